import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ContractResults, PromiseResult } from '../contracts/transport/contract-recorder.js';

/**
 * What the suites of a folder proved, as a Markdown table: a row for each promise, a column for each scheme and server. A cell is how
 * often a promise was kept of how often it was tried; `n/a` where it cannot be, with the reason below; empty where a suite
 * does not have it. Null where nothing was proved.
 */
export function contractTable(folder: string): string | null {
  const allResults = readResults(folder);
  if (allResults.length === 0) return null;
  const promises = [
    ...new Set(allResults.flatMap((results) => results.promises.map(({ promise }) => promise))),
  ];
  const columns = allResults.map((results) => ({
    results,
    cells: new Map(results.promises.map((one) => [one.promise, one])),
  }));
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  const reasons = allResults.flatMap(({ scheme, against, promises: told }) =>
    told.flatMap(({ promise, notApplicable }) =>
      notApplicable === undefined ? [] : [`- ${scheme} (${against}), ${promise}: ${notApplicable}`],
    ),
  );
  return [
    line(['promise', ...allResults.map(({ scheme, against }) => `${scheme}: ${against}`)]),
    line(Array.from({ length: allResults.length + 1 }, () => '---')),
    ...promises.map((promise) =>
      line([promise.replaceAll('|', '\\|'), ...columns.map(({ cells }) => cell(cells.get(promise)))]),
    ),
    '',
    ...(reasons.length === 0 ? [] : ['Not applicable:', '', ...reasons, '']),
  ].join('\n');
}

function readResults(folder: string): readonly ContractResults[] {
  if (!existsSync(folder)) return [];
  return (
    readdirSync(folder)
      .filter((name) => name.endsWith('.json'))
      .sort()
      // The suites of this build wrote them.
      .map((name) => JSON.parse(readFileSync(join(folder, name), 'utf8')) as ContractResults)
  );
}

function cell(one: PromiseResult | undefined): string {
  if (one === undefined) return '';
  if (one.notApplicable !== undefined) return 'n/a';
  if (one.tried === 0) return 'not run';
  const kept = `${one.kept} of ${one.tried}`;
  return one.kept === one.tried ? kept : `**${kept}**`;
}
