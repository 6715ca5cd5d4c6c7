import { spawn } from 'node:child_process';
import { readdir, writeFile } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { provedFolder } from '../contracts/transport/promises.js';
import { proofTable } from './proof-table.js';

/*
 * `npm test`: every test file, a few of them to a run of uvu, as many runs side by side as there are processors. What a run
 * says is shown when it is over. With an argument, only the files that it fits as a regular expression. What the contract of
 * transports proved stands in dist/transport-promises.md afterwards: which scheme kept which promise, against which server.
 */

const root = fileURLToPath(new URL('..', import.meta.url));
const uvu = fileURLToPath(new URL('../bin.js', import.meta.resolve('uvu')));
const tablePath = fileURLToPath(new URL('../../transport-promises.md', import.meta.url));
/** Few enough that the lanes end at about the same time, many enough that starting Node does not count. */
const filesARun = 4;
/** Those that take longest begin first. */
const slowest = /^(plan|whole|store|cli|client|notify)\//;

interface Run {
  readonly isPassed: boolean;
  readonly said: string;
}

async function main([pattern = '']: readonly string[]): Promise<number> {
  const all = (await readdir(root, { recursive: true })).filter((name) => /\.test\.js$/.test(name)).sort();
  const files = all.filter((name) => new RegExp(pattern).test(name));
  const ordered = [
    ...files.filter((name) => slowest.test(name)),
    ...files.filter((name) => !slowest.test(name)),
  ];
  const batches = Array.from({ length: Math.ceil(ordered.length / filesARun) }, (_, index) =>
    ordered.slice(index * filesARun, (index + 1) * filesARun),
  );
  const began = Date.now();
  const ended: Run[] = [];
  const left = batches.values();
  const lane = async () => {
    for (const batch of left) {
      const run = await runFiles(batch);
      process.stdout.write(run.said);
      ended.push(run);
    }
  };
  await Promise.all(Array.from({ length: availableParallelism() }, lane));
  const count = (word: string) => ended.reduce((sum, { said }) => sum + countIn(said, word), 0);
  const seconds = Math.round((Date.now() - began) / 1000);
  const table = proofTable(provedFolder);
  if (table !== null) await writeFile(tablePath, table);
  const skipped = count('Skipped');
  if (skipped > 0) console.log(`${skipped} skipped: see above for what they miss`);
  console.log(`${count('Passed')} of ${count('Total')} tests passed in ${seconds} s`);
  return files.length > 0 && ended.every(({ isPassed }) => isPassed) ? 0 : 1;
}

/** Runs some files one after the other, in a process of their own. */
async function runFiles(files: readonly string[]): Promise<Run> {
  const names = files.map((name) => name.replaceAll('.', '\\.')).join('|');
  const child = spawn(process.execPath, [uvu, root, `^(${names})$`], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let said = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    said += text;
  });
  const code = await new Promise<number | null>((resolve) => child.once('close', resolve));
  return { isPassed: code === 0, said };
}

/** A number of uvu's summary. */
function countIn(said: string, word: string): number {
  return Number(new RegExp(`${word}:\\s+(\\d+)`).exec(said)?.[1] ?? 0);
}

process.exitCode = await main(process.argv.slice(2));
