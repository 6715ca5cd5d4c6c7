import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ContractResults, PromiseResult } from '../contracts/transport/contract-recorder.js';

/**
 * The results of all contract suites in a folder as a Markdown table: a row per promise, a column per scheme and server. A cell shows
 * how many of the tests passed, `n/a` if the promise does not apply (with the reason below the table), or nothing if the suite does not
 * have the promise. Null without results.
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
  const reasons = allResults.flatMap(({ scheme, against, promises }) =>
    promises.flatMap(({ promise, notApplicable }) =>
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
      // Only suites of this build wrote these files.
      .map((name) => JSON.parse(readFileSync(join(folder, name), 'utf8')) as ContractResults)
  );
}

function cell(one: PromiseResult | undefined): string {
  if (one === undefined) return '';
  if (one.notApplicable !== undefined) return 'n/a';
  if (one.tried === 0) return 'not run';
  const passed = `${one.passed} of ${one.tried}`;
  return one.passed === one.tried ? passed : `**${passed}**`;
}
