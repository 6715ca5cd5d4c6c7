import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import type { CreatedRecord, ProgressRecord } from '../src/shared/records.js';
import { routePath } from '../src/shared/routes.js';
import { type BenchDaemon, startDaemon } from './daemon.js';
import { formatRequest, type Load, startLoad } from './http-load.js';
import type { LoadResult } from './load.js';
import { alternate, type Figure, spreadOf } from './measure.js';
import { makeClip } from './media.js';
import { requireFfmpeg } from './one-job.js';

const encodes = 4;
/** The encoders use all processors. Meanwhile, most requests come from a few programs that follow their jobs. */
const callers = { some: 4, many: 32 } as const;
const sliceMs = 1000;
const pollIntervalMs = 100;

/**
 * Measures the 99th percentile of the time of progress requests while four jobs are encoded: with 32 connections,
 * which is the figure that counts, and with 4. Every connection sends its next request as soon as it has the
 * response.
 */
export async function measureHttpWhileEncoding(folder: string, rounds: number): Promise<readonly Figure[]> {
  const clip = await makeClip((await requireFfmpeg()).ffmpeg.path, folder);
  const flags = ['--jobs', String(encodes), '--grace', '0'];
  const daemon = await startDaemon(join(folder, 'data'), folder, flags);
  const generator = startLoad();
  try {
    const paths = await Promise.all(Array.from({ length: encodes }, () => submit(daemon, clip)));
    await waitUntilEncoding(daemon, paths);
    const load = loadOfProgress(daemon, paths);
    const slice = (connections: number) => () =>
      generator.run({
        ...load,
        connections,
        atMost: { milliseconds: sliceMs, requests: Number.POSITIVE_INFINITY },
      });
    const results = await alternate<keyof typeof callers, LoadResult>(rounds, {
      some: slice(callers.some),
      many: slice(callers.many),
    });
    if (!(await isEncoding(daemon, paths))) throw new Error('the encodes ended before the measurement');
    return [figureOf(callers.many, 50, results.many), figureOf(callers.some, null, results.some)];
  } finally {
    await generator.stop();
    await daemon.stop();
  }
}

function figureOf(connections: number, atMost: number | null, results: readonly LoadResult[]): Figure {
  const rate = spreadOf(results.map(({ perSecond }) => perSecond)).median;
  const middle = spreadOf(results.map(({ p50Ms }) => p50Ms)).median;
  return {
    name: `http: p99 of progress, ${encodes} encodes, ${connections} callers`,
    unit: 'ms',
    value: spreadOf(results.map(({ p99Ms }) => p99Ms)),
    atMost,
    basis: `p50 ${middle.toFixed(2)} ms at ${Math.round(rate).toLocaleString('en')}/s`,
  };
}

/** Submits a job and resolves to the progress path of its output. */
async function submit(daemon: BenchDaemon, clip: string): Promise<string> {
  const created = await requestJson<CreatedRecord>(daemon, routePath('createJob'), {
    method: 'POST',
    body: JSON.stringify({ input: pathToFileURL(clip).href }),
  });
  return `${routePath('outputProgress', { id: Number(created.outputs[0]?.id) })}.json`;
}

async function waitUntilEncoding(daemon: BenchDaemon, paths: readonly string[]): Promise<void> {
  while (!(await isEncoding(daemon, paths))) await sleep(pollIntervalMs);
}

/** Whether every output is being encoded. Rejects if one has already ended. */
async function isEncoding(daemon: BenchDaemon, paths: readonly string[]): Promise<boolean> {
  const all = await Promise.all(paths.map((path) => requestJson<ProgressRecord>(daemon, path)));
  const ended = all.find(({ state }) => state === 'finished' || state === 'failed');
  if (ended !== undefined) throw new Error(`an encode is ${ended.state} before the end of the measurement`);
  return all.every((progress) => progress.current_event === 'transcoding');
}

function loadOfProgress({ url, env }: BenchDaemon, paths: readonly string[]): Load {
  const headers = { 'Zencoder-Api-Key': env.VENC_API_KEY ?? '' };
  const requests = paths.map((path) => formatRequest(url, path, { headers }));
  return { port: Number(new URL(url).port), requests, lengths: null, status: 200 };
}

async function requestJson<Answer>(
  { url, env }: BenchDaemon,
  path: string,
  init: RequestInit = {},
): Promise<Answer> {
  const headers = { 'Zencoder-Api-Key': env.VENC_API_KEY ?? '', 'Content-Type': 'application/json' };
  const response = await fetch(url + path, { ...init, headers });
  const text = await response.text();
  if (!response.ok) throw new Error(`${url}${path} responded with ${response.status}: ${text}`);
  return JSON.parse(text) as Answer;
}
