import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { alternate, type Figure, ratiosOf, spreadOf, timed } from './measure.js';
import { cpuSecondsOf, runProgram, vencPath } from './programs.js';

const jobCount = 50;
const settleMs = 4000;
const pollIntervalMs = 10_000;

/**
 * Measures the screen of `venc watch` on its own terminal: the time to its first frame with a service that does not
 * respond, compared with a Node process that does nothing; and the share of a core that watching fifty active jobs
 * takes.
 */
export async function measureWatch(_folder: string, rounds: number): Promise<readonly Figure[]> {
  const service = await startBusyService(jobCount);
  const earlier = await startBusyService(jobCount, false);
  try {
    service.pauseEvents(true);
    const samples = await alternate<'node' | 'frame', number>(rounds, {
      node: () => timed(() => runProgram('script', inTerminal([process.execPath, '-e', '0']))),
      frame: () => measureFirstFrame(service.url),
    });
    service.pauseEvents(false);
    const [shares, separateShares]: [number[], number[]] = [[], []];
    for (let round = 0; round < Math.ceil(rounds / 5); round += 1) {
      shares.push(await measureCoreShare(service.url));
      separateShares.push(await measureCoreShare(earlier.url));
    }
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
        atMost: 0.03,
        basis: `over ${pollIntervalMs / 1000} s, with a stream for each job ${spreadOf(separateShares).median.toFixed(3)}`,
      },
    ];
  } finally {
    await earlier.close();
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

async function measureFirstFrame(url: string): Promise<number> {
  let child: ChildProcess | undefined;
  const took = await timed(async () => {
    child = watch(url);
    await waitForText(child, 'q quit');
  });
  if (child !== undefined) await leave(child);
  return took;
}

async function measureCoreShare(url: string): Promise<number> {
  const child = watch(url);
  try {
    await waitForText(child, 'processing');
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

async function waitForText(child: ChildProcess, text: string): Promise<void> {
  let seen = '';
  await new Promise<void>((resolve, reject) => {
    child.once('exit', () => reject(new Error(`venc watch exited before it showed "${text}": ${seen}`)));
    child.stdout?.setEncoding('utf8').on('data', (chunk: string) => {
      seen = (seen + chunk).slice(-10_000);
      if (seen.includes(text)) resolve();
    });
  });
}

async function onlyChildOf(pid: number): Promise<number> {
  return Number((await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8')).trim().split(' ')[0]);
}

/** A service whose jobs are all being processed and never end. */
export interface BusyService {
  readonly url: string;
  /** Sets whether requests get no response. */
  pauseEvents(isPaused: boolean): void;
  close(): Promise<void>;
}

/** Interval of events, about that of the daemon for an active job. */
const eventEveryMs = 500;

/**
 * Starts the service, with event streams like those of the daemon: one of all jobs, or only one for each job, as earlier
 * daemons have.
 */
export async function startBusyService(jobCount: number, hasCommonStream = true): Promise<BusyService> {
  let isPaused = false;
  const begin = Date.now();
  const streams = new Map<ServerResponse, NodeJS.Timeout>();
  const ids = Array.from({ length: jobCount }, (_, index) => 1000 + index * 10);
  const progressOf = (id: number) => {
    const progress = ((Date.now() - begin) / 1000 + id) % 100;
    const moving = { state: 'processing', current_event: 'transcoding', progress };
    return {
      ...{ state: 'processing', progress },
      input: { id: id + 1, state: 'finished', progress: 100 },
      outputs: [
        {
          id: id + 2,
          ...moving,
          current_event_progress: progress,
          fps: 48 + (progress % 3),
          speed: 2,
          eta_in_ms: 1e5,
        },
      ],
    };
  };
  const jobOf = (id: number) => ({
    job: {
      ...{ id, state: 'processing' },
      input_media_file: { id: id + 1, state: 'finished', url: `http://example.com/films/${id}.mp4` },
      output_media_files: [{ id: id + 2, state: 'processing', label: 'web' }],
    },
  });
  const server = createServer((request, response) => {
    const path = (request.url ?? '').replace(/\?.*|\.json/g, '');
    const id = Number(/\/jobs\/(\d+)/.exec(path)?.[1]);
    if (isPaused) return;
    const isCommon = path === '/v2/events';
    if (isCommon && !hasCommonStream) {
      response.writeHead(404, { 'Content-Type': 'application/json' }).end('{"errors":["Not found"]}');
      return;
    }
    if (path.endsWith('/events')) {
      response.writeHead(200, { 'Content-Type': 'text/event-stream' });
      const dataOf = () =>
        isCommon
          ? { jobs: ids.map((one) => ({ id: one, ...progressOf(one) })), removed: [] }
          : progressOf(id);
      const sendEvent = () => response.write(`data: ${JSON.stringify(dataOf())}\n\n`);
      sendEvent();
      streams.set(response, setInterval(sendEvent, eventEveryMs));
      response.on('close', () => clearInterval(streams.get(response)));
      return;
    }
    const answer = path.endsWith('/progress') ? progressOf(id) : id > 0 ? jobOf(id) : ids.map(jobOf);
    response.writeHead(200, { 'Content-Type': 'application/json' }).end(JSON.stringify(answer));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    pauseEvents: (is) => {
      isPaused = is;
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
