import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { resultsFolder } from '../contracts/transport/contract-recorder.js';
import { contractTable } from './contract-table.js';

/*
 * `npm test`: every test file, a few of them to a run of uvu, one run more side by side than there are processors, as much of a test is
 * waiting for others. What a run
 * says is shown when it is over, and in the end what runs left in their temporary folders, which go with all that is in them. With an
 * argument, only the files that it fits as a regular expression. What the contract of transports proved stands in
 * dist/transport-promises.md afterwards: which scheme kept which promise, against which server.
 */

const root = fileURLToPath(new URL('..', import.meta.url));
const uvu = fileURLToPath(new URL('../bin.js', import.meta.resolve('uvu')));
const tablePath = fileURLToPath(new URL('../../transport-promises.md', import.meta.url));
/** Few enough that the workers end at about the same time, many enough that the start of Node does not matter. */
const filesARun = 12;
/** The rooms that take longest begin first, in this order. */
const slowestFolders = ['cli', 'http', 'transports', 'ffmpeg', 'store', 'plan', 'tui', 'work'];
/** Runs side by side. */
const workerCount = availableParallelism() + 1;

/** The temporary folder of all runs, each of which has one of its own in it. */
const temporary = mkdtempSync(join(tmpdir(), 'venc-tests-'));
// The servers of tests let in users of the machine, whose homes are in there.
chmodSync(temporary, 0o755);
const running = new Set<ChildProcess>();
process.once('exit', () => rmSync(temporary, { recursive: true, force: true, maxRetries: 5 }));
for (const signal of ['SIGHUP', 'SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => {
    for (const child of running) child.kill(signal);
    process.exit(130);
  });
}

interface Run {
  readonly isPassed: boolean;
  readonly output: string;
  /** What it left behind, and the files of which one did; null where there is nothing. */
  readonly leftoverFiles: string | null;
}

async function main([pattern = '']: readonly string[]): Promise<number> {
  const all = (await readdir(root, { recursive: true })).filter((name) => /\.test\.js$/.test(name)).sort();
  const files = all.filter((name) => new RegExp(pattern).test(name));
  const ordered = files.toSorted((one, other) => rankOf(one) - rankOf(other));
  const batches = Array.from({ length: Math.ceil(ordered.length / filesARun) }, (_, index) =>
    ordered.slice(index * filesARun, (index + 1) * filesARun),
  );
  const began = Date.now();
  const ended: Run[] = [];
  const left = batches.entries();
  const worker = async () => {
    for (const [index, batch] of left) {
      const run = await runFiles(batch, join(temporary, String(index)));
      process.stdout.write(run.output);
      ended.push(run);
    }
  };
  await Promise.all(Array.from({ length: workerCount }, worker));
  const count = (word: string) => ended.reduce((sum, { output }) => sum + countIn(output, word), 0);
  const seconds = Math.round((Date.now() - began) / 1000);
  const table = contractTable(resultsFolder);
  if (table !== null) await writeFile(tablePath, table);
  const skipped = count('Skipped');
  if (skipped > 0) console.log(`${skipped} skipped: see above for what they miss`);
  for (const { leftoverFiles } of ended)
    if (leftoverFiles !== null) console.log(`Left behind: ${leftoverFiles}`);
  console.log(`${count('Passed')} of ${count('Total')} tests passed in ${seconds} s`);
  return files.length > 0 && ended.every(({ isPassed }) => isPassed) ? 0 : 1;
}

/** Runs some files one after the other, in a process of their own with a temporary folder of its own. */
async function runFiles(files: readonly string[], folder: string): Promise<Run> {
  await mkdir(folder);
  const names = files.map((name) => name.replaceAll('.', '\\.')).join('|');
  const child = spawn(process.execPath, [uvu, root, `^(${names})$`], {
    stdio: ['ignore', 'pipe', 'inherit'],
    // What ffmpeg is able to do is asked once for all.
    env: { ...process.env, TMPDIR: folder, XDG_CACHE_HOME: join(temporary, 'cache') },
  });
  running.add(child);
  let output = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    output += text;
  });
  const [code, signal] = (await once(child, 'close')) as [number | null, NodeJS.Signals | null];
  running.delete(child);
  const hasResult = /Total:\s+\d/.test(output);
  if (!hasResult) output += `The run of ${files.join(', ')} ended early: ${signal ?? `code ${code}`}.\n`;
  const left = await readdir(folder);
  const leftoverFiles = left.length === 0 ? null : `${left.join(', ')} by one of ${files.join(', ')}`;
  return { isPassed: code === 0 && hasResult, output, leftoverFiles };
}

/** Where a file stands in the order, by its room. */
function rankOf(name: string): number {
  const rank = slowestFolders.indexOf(name.split('/', 1)[0] ?? '');
  return rank === -1 ? slowestFolders.length : rank;
}

/** A number of uvu's summary. */
function countIn(output: string, word: string): number {
  return Number(new RegExp(`${word}:\\s+(\\d+)`).exec(output)?.[1] ?? 0);
}

process.exitCode = await main(process.argv.slice(2));
