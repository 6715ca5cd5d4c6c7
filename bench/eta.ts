import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { CreatedRecord } from '../src/shared/records.js';
import { routePath } from '../src/shared/routes.js';
import type { OutputSettings } from '../src/shared/settings/index.js';
import { readTimedEvents, type TimedEvents } from '../test/helpers/read-timed-events.js';
import { type BenchDaemon, startDaemon } from './daemon.js';
import { type Figure, spreadOf } from './measure.js';
import { clipSeconds, makeClip } from './media.js';
import { requireFfmpeg } from './one-job.js';

const cases: Readonly<Record<string, readonly OutputSettings[]>> = {
  'one pass': [{ speed: 2, width: 640 }],
  'two passes': [{ speed: 3, width: 640, video_bitrate: 800 }],
  thumbnails: [{ speed: 2, width: 640, thumbnails: [{ number: 10 }] }],
  'three outputs': [640, 480, 320].map((width) => ({ speed: 3, width })),
  vp8: [{ video_codec: 'vp8', width: 480 }],
};

/** The target duration of an encode in seconds: long enough for an estimate, short enough to wait for. */
const encodeSeconds = 9;
/** Length in seconds of the trial encode that determines the clip length. */
const trialSeconds = 5;
/** Minimum clip length in seconds: of a shorter clip, most would be in the lookahead of the encoder. */
const minClipSeconds = 15;
/** Estimates with fewer seconds left do not count: half a second of deviation would be a large share of them. */
const minRemainingSeconds = 2;

/**
 * Measures the error of the estimated time left compared with the actual time, after the first quarter of the job:
 * the worst of all reports until two seconds before the end, as a share of the actual time left. A trial determines
 * the clip length, so that a round takes about as long on every machine.
 */
export async function measureEta(folder: string, rounds: number): Promise<readonly Figure[]> {
  const clip = pathToFileURL(await makeClip((await requireFfmpeg()).ffmpeg.path, folder)).href;
  const daemon = await startDaemon(join(folder, 'data'), folder);
  try {
    const figures: Figure[] = [];
    for (const [name, outputs] of Object.entries(cases)) {
      const trial = secondsOf(await measureCase(daemon, clip, outputs, trialSeconds));
      const targetSeconds = Math.ceil((trialSeconds * encodeSeconds) / trial);
      const length = Math.min(clipSeconds, Math.max(minClipSeconds, targetSeconds));
      const estimates: TimedEvents[] = [];
      for (let round = 0; round < rounds; round += 1)
        estimates.push(await measureCase(daemon, clip, outputs, length));
      figures.push({
        name: `time left, ${name}: error`,
        unit: 'x',
        value: spreadOf(estimates.map(worstError)),
        atMost: 0.2,
        basis: `worst after a quarter of ${spreadOf(estimates.map(secondsOf)).median.toFixed(1)} s`,
      });
    }
    return figures;
  } finally {
    await daemon.stop();
  }
}

/** Encodes a part of the clip and records its events until it ends. */
async function measureCase(
  daemon: BenchDaemon,
  input: string,
  outputs: readonly OutputSettings[],
  clip_length: number,
): Promise<TimedEvents> {
  const headers = { 'Service-Api-Key': daemon.env.VENC_API_KEY ?? '' };
  const body = JSON.stringify({ input, outputs: outputs.map((output) => ({ ...output, clip_length })) });
  const created = await fetch(daemon.url + routePath('createJob'), { method: 'POST', headers, body });
  const { id } = (await created.json()) as CreatedRecord;
  const estimates = await readTimedEvents(
    await fetch(daemon.url + routePath('jobEvents', { id: id ?? '' }), { headers }),
  );
  const last = estimates.at(-1)?.[1];
  if (last?.state !== 'finished') throw new Error(`the job is ${last?.state}`);
  return estimates;
}

const secondsOf = (estimates: TimedEvents): number => estimates.at(-1)?.[0] ?? Number.NaN;

/** The worst relative error of any estimate of any output. An output ends when it is first reported as finished. */
function worstError(estimates: TimedEvents): number {
  const isFinished = new Map<number, number>();
  for (const [at, { outputs }] of estimates)
    for (const { id, state } of outputs)
      if (state === 'finished' && !isFinished.has(id)) isFinished.set(id, at);
  const errors = estimates.flatMap(([at, { outputs }]) =>
    outputs.flatMap(({ id, eta_in_ms }) => {
      const left = (isFinished.get(id) ?? 0) - at;
      const isCounted =
        eta_in_ms !== undefined && at >= secondsOf(estimates) / 4 && left >= minRemainingSeconds;
      return isCounted ? [Math.abs(eta_in_ms / 1000 - left) / left] : [];
    }),
  );
  return errors.length === 0 ? Number.NaN : Math.max(...errors);
}
