import { spawn } from 'node:child_process';
import { readdir } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';

/*
 * `npm test`: every test file, in as many runs of uvu side by side as there are processors. What the first run says is shown as it
 * comes, what the others say after it, so that nothing is mixed up. With an argument, only the files that it fits as a regular expression.
 */

const root = fileURLToPath(new URL('..', import.meta.url));
const uvu = fileURLToPath(new URL('../bin.js', import.meta.resolve('uvu')));

interface Run {
  readonly isPassed: boolean;
  readonly said: string;
}

async function main([pattern = '']: readonly string[]): Promise<number> {
  const all = await readdir(root, { recursive: true });
  const files = all.filter((name) => /\.test\.js$/.test(name) && new RegExp(pattern).test(name)).sort();
  const runCount = Math.min(availableParallelism(), files.length);
  const began = Date.now();
  const runs = Array.from({ length: runCount }, (_, run) =>
    runFiles(
      files.filter((_name, index) => index % runCount === run),
      run === 0,
    ),
  );
  const ended: Run[] = [];
  for (const [index, run] of runs.entries()) {
    const done = await run;
    if (index > 0) process.stdout.write(done.said);
    ended.push(done);
  }
  const count = (word: string) => ended.reduce((sum, { said }) => sum + countIn(said, word), 0);
  const seconds = Math.round((Date.now() - began) / 1000);
  console.log(
    `${count('Passed')} of ${count('Total')} tests passed, ${runCount} runs side by side, ${seconds} s`,
  );
  return files.length > 0 && ended.every(({ isPassed }) => isPassed) ? 0 : 1;
}

/** Runs some files one after the other, in a process of their own. */
async function runFiles(files: readonly string[], isShown: boolean): Promise<Run> {
  const names = files.map((name) => name.replaceAll('.', '\\.')).join('|');
  const child = spawn(process.execPath, [uvu, root, `^(${names})$`], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let said = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    said += text;
    if (isShown) process.stdout.write(text);
  });
  const code = await new Promise<number | null>((resolve) => child.once('close', resolve));
  return { isPassed: code === 0, said };
}

/** A number of uvu's summary. */
function countIn(said: string, word: string): number {
  return Number(new RegExp(`${word}:\\s+(\\d+)`).exec(said)?.[1] ?? 0);
}

process.exitCode = await main(process.argv.slice(2));
