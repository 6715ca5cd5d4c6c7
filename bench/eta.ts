import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { CreatedRecord } from '../src/api/records.js';
import { routePath } from '../src/api/routes.js';
import { toldBy } from '../test/helpers/told-events.js';
import { type BenchDaemon, startDaemon } from './daemon.js';
import { type Figure, spreadOf } from './measure.js';
import { makeClip } from './media.js';
import { ffmpegAtHand } from './one-job.js';

const cases = {
  'one pass': { speed: 1 },
  'two passes': { speed: 2, video_bitrate: 800 },
} as const;

/**
 * How far the time left that a daemon foretells is from the time that an encode then takes, after its first quarter: the median, over the
 * reports of an encode, of the error by what was left.
 */
export async function measureEta(folder: string, rounds: number): Promise<readonly Figure[]> {
  const clip = pathToFileURL(await makeClip((await ffmpegAtHand()).ffmpeg.path, folder)).href;
  const daemon = await startDaemon(join(folder, 'data'), folder);
  try {
    const figures: Figure[] = [];
    for (const [name, settings] of Object.entries(cases)) {
      const errors: number[] = [];
      for (let round = 0; round < rounds; round += 1) errors.push(await errorOf(daemon, clip, settings));
      figures.push({
        name: `time left, ${name}: error`,
        unit: 'x',
        value: spreadOf(errors),
        atMost: 0.2,
        basis: 'median over the reports after the first quarter',
      });
    }
    return figures;
  } finally {
    await daemon.stop();
  }
}

async function errorOf(daemon: BenchDaemon, input: string, settings: object): Promise<number> {
  const headers = { 'Service-Api-Key': daemon.env.VENC_API_KEY ?? '' };
  const body = JSON.stringify({ input, outputs: [settings] });
  const created = await fetch(daemon.url + routePath('createJob'), { method: 'POST', headers, body });
  const { id } = (await created.json()) as CreatedRecord;
  const events = await fetch(daemon.url + routePath('jobEvents', { id: id ?? '' }), { headers });
  const told = await toldBy(events);
  const [end = 0, last] = told.at(-1) ?? [];
  if (last?.state !== 'finished') throw new Error(`the job is ${last?.state}`);
  const errors = told.flatMap(([at, { outputs }]) => {
    const eta = outputs[0]?.eta_in_ms;
    const left = end - at;
    return eta === undefined || at < end / 4 || left < 1 ? [] : [Math.abs(eta / 1000 - left) / left];
  });
  return spreadOf(errors).median;
}
