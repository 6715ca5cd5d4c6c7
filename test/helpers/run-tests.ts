import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { resultsFolder } from '../contracts/transport/contract-recorder.js';
import { contractTable } from './contract-table.js';
import { parseSuiteArgs, suiteEnvironment, suiteOptions } from './suite-options.js';

/*
 * `npm test` runs every test file, in batches of a few files per uvu process. There is one more process than CPUs, because tests spend much
 * time waiting. The output of a batch is printed when it ends. At the end, files left behind in the temporary folders are reported, and the
 * folders are removed. An argument is a regular expression that selects files; `--long` and `--seed` are for the suites with random
 * operations, `--serial` runs one batch after another. The results of the transport contract are then in dist/transport-promises.md: a table of promises by scheme and server.
 */

const root = fileURLToPath(new URL('..', import.meta.url));
const uvu = fileURLToPath(new URL('../bin.js', import.meta.resolve('uvu')));
const tablePath = fileURLToPath(new URL('../../transport-promises.md', import.meta.url));
/** Large enough that the start-up time of Node and of the modules of the program, about 0.4 s of CPU time, does not matter. */
const maxFilesPerBatch = 24;
/** A batch has the files that are left, divided by this and by the number of processes: batches get smaller, and all processes end at about the same time. */
const batchesPerWorker = 4;
/** The folders that take longest start first, in this order. */
const slowestFolders = ['cli', 'http', 'transports', 'ffmpeg', 'store', 'plan', 'tui', 'pipeline'];
/** The files that take longest: each is a batch of its own, and they start before all others. */
const slowestFiles = [
  ...['bitrates', 'field-lengths', 'odd-files', 'outputs-together', 'odd-audio', 'thumbnail-times'],
  ...['quality-target', 'measure-quality', 'audio-settings', 'odd-videos', 'field-tracks', 'caption-files'],
  ...['mirrors', 'containers', 'surround'],
].map((name) => `encodes/${name}.test.js`);
/** A batch that takes longer fails. */
const batchDeadlineMs = 15 * 60_000;
const longBatchDeadlineMs = 4 * 3_600_000;
/** So does one that goes on for so long after its summary: a failed test may leave a server behind that keeps the process alive. */
const exitDeadlineMs = 30_000;
/** Number of concurrent batches. */
const workerCount = availableParallelism() + 1;

/** The temporary folder of all batches. Each batch has its own folder in it. */
const temporary = mkdtempSync(join(tmpdir(), 'venc-tests-'));
// Servers of tests run as other system users, whose home folders are in it.
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
  /** Files left behind, and the test files of the batch; null if there are none. */
  readonly remainingFiles: string | null;
}

async function main(args: readonly string[]): Promise<number> {
  const { pattern, isSerial, ...suite } = parseSuiteArgs(args);
  Object.assign(process.env, suiteEnvironment(suite));
  console.log(`Seed: ${suite.seed}`);
  const all = (await readdir(root, { recursive: true })).filter((name) => /\.test\.js$/.test(name)).sort();
  const files = all.filter((name) => new RegExp(pattern).test(name));
  const ordered = files.toSorted((one, other) => rankOf(one) - rankOf(other));
  const began = Date.now();
  const ended: Run[] = [];
  const slow = slowestFiles.filter((name) => files.includes(name));
  const batches = [
    ...slow.map((name) => [name]),
    ...batchesOf(ordered.filter((name) => !slow.includes(name))),
  ];
  const left = batches.entries();
  const worker = async () => {
    for (const [index, batch] of left) {
      const run = await runFiles(batch, join(temporary, String(index)));
      process.stdout.write(run.output);
      ended.push(run);
    }
  };
  await Promise.all(Array.from({ length: isSerial ? 1 : workerCount }, worker));
  const count = (word: string) => ended.reduce((sum, { output }) => sum + countIn(output, word), 0);
  const seconds = Math.round((Date.now() - began) / 1000);
  const table = contractTable(resultsFolder);
  if (table !== null) await writeFile(tablePath, table);
  const skipped = count('Skipped');
  if (skipped > 0) console.log(`${skipped} skipped: the missing programs are listed above`);
  for (const { remainingFiles } of ended)
    if (remainingFiles !== null) console.log(`Left behind: ${remainingFiles}`);
  console.log(`${count('Passed')} of ${count('Total')} tests passed in ${seconds} s`);
  return files.length > 0 && ended.every(({ isPassed }) => isPassed) ? 0 : 1;
}

/** Splits files, in their order, into batches that get smaller towards the end. */
function* batchesOf(files: readonly string[]): Generator<readonly string[]> {
  for (let at = 0, size = 0; at < files.length; at += size) {
    size = Math.min(maxFilesPerBatch, Math.ceil((files.length - at) / (workerCount * batchesPerWorker)));
    yield files.slice(at, at + size);
  }
}

/** Runs some files one after the other, in one process with its own temporary folder. */
async function runFiles(files: readonly string[], folder: string): Promise<Run> {
  await mkdir(folder);
  const names = files.map((name) => name.replaceAll('.', '\\.')).join('|');
  const child = spawn(process.execPath, [uvu, root, `^(${names})$`], {
    stdio: ['ignore', 'pipe', 'inherit'],
    // Shares the cache of ffmpeg capabilities, so that ffmpeg is asked only once.
    env: {
      ...process.env,
      TMPDIR: folder,
      XDG_CACHE_HOME: join(temporary, 'cache'),
      // npm would leave its compile cache in the temporary folder.
      NODE_DISABLE_COMPILE_CACHE: '1',
    },
  });
  running.add(child);
  const end = () => {
    child.kill('SIGKILL');
    // A process that it started may hold its output open.
    child.stdout.destroy();
  };
  const deadlines = [setTimeout(end, suiteOptions().isLong ? longBatchDeadlineMs : batchDeadlineMs)];
  let output = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    output += text;
    if (hasSummary(output) && deadlines.length === 1) deadlines.push(setTimeout(end, exitDeadlineMs));
  });
  const [code, signal] = (await once(child, 'close')) as [number | null, NodeJS.Signals | null];
  for (const deadline of deadlines) clearTimeout(deadline);
  running.delete(child);
  const hasResult = hasSummary(output);
  if (signal !== null || !hasResult)
    output += `The run of ${files.join(', ')} ended early: ${signal ?? `code ${code}`}.\n`;
  const left = await readdir(folder);
  const remainingFiles = left.length === 0 ? null : `${left.join(', ')} by one of ${files.join(', ')}`;
  return { isPassed: code === 0 && hasResult, output, remainingFiles };
}

/** Position of a file in the order, by its folder. */
function rankOf(name: string): number {
  const rank = slowestFolders.indexOf(name.split('/', 1)[0] ?? '');
  return rank === -1 ? slowestFolders.length : rank;
}

function hasSummary(output: string): boolean {
  return /Total:\s+\d/.test(output);
}

/** A number of uvu's summary. */
function countIn(output: string, word: string): number {
  return Number(new RegExp(`${word}:\\s+(\\d+)`).exec(output)?.[1] ?? 0);
}

process.exitCode = await main(process.argv.slice(2));
