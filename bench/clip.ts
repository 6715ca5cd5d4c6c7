import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { plan } from '../daemon/plan/plan.js';
import { alternate, type Figure, spreadOf, timed } from './measure.js';
import { makeClip } from './media.js';
import { ffmpegAtHand } from './one-job.js';
import { runProgram } from './programs.js';

const turnSeconds = 30;
const turns = 40;
const filmSeconds = turns * turnSeconds;
const clipLengthSeconds = 0.1;

/**
 * How much longer a clip of a tenth of a second takes from the end of a film of 20 minutes than from its beginning: the runs that are
 * planned for both, wall clock.
 */
export async function measureClip(folder: string, rounds: number): Promise<readonly Figure[]> {
  const ffmpeg = await ffmpegAtHand();
  const runFfmpeg = (args: readonly string[]) =>
    runProgram(ffmpeg.ffmpeg.path, ['-nostdin', '-v', 'error', '-y', ...args]);
  const turn = await makeClip(ffmpeg.ffmpeg.path, folder, {
    size: '640x360',
    seconds: turnSeconds,
    megabits: 1,
  });
  const film = join(folder, 'film.mp4');
  await runFfmpeg(['-stream_loop', String(turns - 1), '-i', turn, '-c', 'copy', film]);
  const media = await ffmpeg.probe(film);
  const lines = async (name: string, start_clip: number) => {
    const scratch = join(folder, name);
    await mkdir(scratch);
    const settings = { start_clip, clip_length: clipLengthSeconds };
    const output = { id: 1, settings, filename: 'out.mp4', isTest: false };
    const {
      steps,
      products,
      rejections: refusals,
    } = plan([output], media, { input: film, scratch }, ffmpeg.capabilities);
    const [product] = products;
    if (product === undefined) throw new Error(refusals[0]?.failure.message ?? 'nothing was planned');
    return { steps, path: product.path };
  };
  const carryOut = async ({ steps }: Awaited<ReturnType<typeof lines>>) => {
    for (const { args } of steps) await runFfmpeg(args);
  };
  const [first, last] = [await lines('first', 0), await lines('last', filmSeconds - 2 * clipLengthSeconds)];
  const samples = await alternate(rounds, {
    last: () => timed(() => carryOut(last)),
    first: () => timed(() => carryOut(first)),
  });
  for (const { path } of [first, last]) {
    const { video } = await ffmpeg.probe(path);
    if (video === null) throw new Error(`${path} has no picture`);
  }
  const text = (values: readonly number[]) => `${spreadOf(values).median.toFixed(0)} ms`;
  return [
    {
      name: `clip at end of ${filmSeconds / 60} min, beyond one at start`,
      unit: 'ms',
      value: spreadOf(samples.last.map((ms, round) => ms - (samples.first[round] ?? Number.NaN))),
      atMost: 1000,
      basis: `${text(samples.last)}, at start ${text(samples.first)}`,
    },
  ];
}
