import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Proof, ProvedPromise } from '../contracts/transport/promises.js';

/**
 * What the suites of a folder proved, as a Markdown table: a row for each promise, a column for each scheme and server. A cell is how
 * often a promise was kept of how often it was tried; `n/a` where it cannot be, with the reason below; empty where a suite
 * does not have it. Null where nothing was proved.
 */
export function proofTable(folder: string): string | null {
  const proofs = proofsIn(folder);
  if (proofs.length === 0) return null;
  const promises = [...new Set(proofs.flatMap((proof) => proof.promises.map(({ promise }) => promise)))];
  const columns = proofs.map((proof) => ({
    proof,
    cells: new Map(proof.promises.map((one) => [one.promise, one])),
  }));
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  const reasons = proofs.flatMap(({ scheme, against, promises: told }) =>
    told.flatMap(({ promise, notApplicable }) =>
      notApplicable === undefined ? [] : [`- ${scheme} (${against}), ${promise}: ${notApplicable}`],
    ),
  );
  return [
    line(['promise', ...proofs.map(({ scheme, against }) => `${scheme}: ${against}`)]),
    line(Array.from({ length: proofs.length + 1 }, () => '---')),
    ...promises.map((promise) =>
      line([promise.replaceAll('|', '\\|'), ...columns.map(({ cells }) => cell(cells.get(promise)))]),
    ),
    '',
    ...(reasons.length === 0 ? [] : ['Not applicable:', '', ...reasons, '']),
  ].join('\n');
}

function proofsIn(folder: string): readonly Proof[] {
  if (!existsSync(folder)) return [];
  return (
    readdirSync(folder)
      .filter((name) => name.endsWith('.json'))
      .sort()
      // The suites of this build wrote them.
      .map((name) => JSON.parse(readFileSync(join(folder, name), 'utf8')) as Proof)
  );
}

function cell(one: ProvedPromise | undefined): string {
  if (one === undefined) return '';
  if (one.notApplicable !== undefined) return 'n/a';
  if (one.tried === 0) return 'not run';
  const kept = `${one.kept} of ${one.tried}`;
  return one.kept === one.tried ? kept : `**${kept}**`;
}
