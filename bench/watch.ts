import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { alternate, type Figure, ratiosOf, spreadOf, timed } from './measure.js';
import { cpuSecondsOf } from './proc.js';
import { runProgram, vencPath } from './programs.js';
import { startBusyService } from './watch-service.js';

const jobCount = 50;
const settleMs = 4000;
const pollIntervalMs = 10_000;

/**
 * The live screen on a terminal of its own: how long until its first frame stands, with a service that does not answer, beside a Node
 * that does nothing; and how much of a core it takes to watch fifty active jobs, all of them moving.
 */
export async function measureWatch(_folder: string, rounds: number): Promise<readonly Figure[]> {
  const service = await startBusyService(jobCount);
  try {
    service.pauseEvents(true);
    const samples = await alternate<'node' | 'frame', number>(rounds, {
      node: () => timed(() => runProgram('script', inTerminal([process.execPath, '-e', '0']))),
      frame: () => firstFrame(service.url),
    });
    service.pauseEvents(false);
    const shares: number[] = [];
    for (let round = 0; round < Math.ceil(rounds / 5); round += 1)
      shares.push(await shareOfCore(service.url));
    const [frame, bare] = [spreadOf(samples.frame).median, spreadOf(samples.node).median];
    return [
      {
        name: 'venc watch, first frame',
        unit: 'x',
        value: spreadOf(ratiosOf(samples.frame, samples.node)),
        atMost: 4,
        basis: `${frame.toFixed(0)} ms, node -e 0 ${bare.toFixed(0)} ms`,
      },
      {
        name: `venc watch of ${jobCount} active jobs, share of a core`,
        unit: 'x',
        value: spreadOf(shares),
        atMost: 0.05,
        basis: `over ${pollIntervalMs / 1000} s`,
      },
    ];
  } finally {
    await service.close();
  }
}

function inTerminal(words: readonly string[]): readonly string[] {
  return ['-qec', `stty cols 100 rows 40; exec ${words.map((word) => `'${word}'`).join(' ')}`, '/dev/null'];
}

function watch(url: string): ChildProcess {
  const { CI: _, ...env } = process.env;
  return spawn('script', [...inTerminal([process.execPath, vencPath, 'watch'])], {
    env: { ...env, TERM: 'xterm-256color', VENC_URL: url, VENC_API_KEY: 'a-key-for-the-bench-only' },
    stdio: ['pipe', 'pipe', 'ignore'],
  });
}

async function leave(child: ChildProcess): Promise<void> {
  const ended = once(child, 'exit');
  child.stdin?.write('q');
  await ended;
}

async function firstFrame(url: string): Promise<number> {
  let child: ChildProcess | undefined;
  const took = await timed(async () => {
    child = watch(url);
    await shown(child, 'q quit');
  });
  if (child !== undefined) await leave(child);
  return took;
}

async function shareOfCore(url: string): Promise<number> {
  const child = watch(url);
  try {
    await shown(child, 'processing');
    child.stdout?.resume();
    await sleep(settleMs);
    const pid = await onlyChildOf(child.pid ?? 0);
    const before = await cpuSecondsOf(pid);
    const took = await timed(() => sleep(pollIntervalMs));
    return ((await cpuSecondsOf(pid)) - before) / (took / 1000);
  } finally {
    await leave(child);
  }
}

async function shown(child: ChildProcess, text: string): Promise<void> {
  let seen = '';
  await new Promise<void>((resolve, reject) => {
    child.once('exit', () => reject(new Error(`the screen ended before it showed "${text}": ${seen}`)));
    child.stdout?.setEncoding('utf8').on('data', (chunk: string) => {
      seen = (seen + chunk).slice(-10_000);
      if (seen.includes(text)) resolve();
    });
  });
}

async function onlyChildOf(pid: number): Promise<number> {
  return Number((await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8')).trim().split(' ')[0]);
}
