import { readFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { routes } from '../../src/shared/routes.js';
import type { SeenAnswer } from './answer-check.js';

/**
 * A table of routes by representation and status, with the number of responses that tests received, from the lines that were written
 * to `VENC_COVERAGE_FILE`. Routes without requests have a line that says so.
 */
export function coverageTable(lines: string): string {
  const seen = lines
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as SeenAnswer);
  const counts = new Map<string, Map<string, number>>(Object.keys(routes).map((name) => [name, new Map()]));
  for (const { route, representation, status } of seen) {
    const ofRoute = counts.get(route) ?? new Map<string, number>();
    const what = `${representation} ${status}`;
    counts.set(route, ofRoute.set(what, (ofRoute.get(what) ?? 0) + 1));
  }
  const width = Math.max(...[...counts.keys()].map((name) => name.length));
  return [...counts].map(([name, ofRoute]) => `${name.padEnd(width)}  ${cells(ofRoute)}`).join('\n');
}

function cells(counts: ReadonlyMap<string, number>): string {
  if (counts.size === 0) return 'never asked for';
  return [...counts]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([what, count]) => `${what} (${count})`)
    .join(', ');
}

const [, program, file] = process.argv;
if (program !== undefined && import.meta.url === pathToFileURL(program).href) {
  if (file === undefined) throw new Error('usage: node dist/test/helpers/coverage-table.js FILE');
  console.log(coverageTable(readFileSync(file, 'utf8')));
}
