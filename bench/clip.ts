import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { plan } from '../daemon/plan/plan.js';
import { alternate, type Figure, spreadOf, timed } from './measure.js';
import { makeClip } from './media.js';
import { requireFfmpeg } from './one-job.js';
import { runProgram } from './programs.js';

const loopSeconds = 30;
const loops = 40;
const filmSeconds = loops * loopSeconds;
const clipLengthSeconds = 0.1;

/**
 * Measures how much longer a clip of a tenth of a second takes from the end of a film of 20 minutes than from its
 * beginning: wall clock of the planned ffmpeg runs.
 */
export async function measureClip(folder: string, rounds: number): Promise<readonly Figure[]> {
  const ffmpeg = await requireFfmpeg();
  const runFfmpeg = (args: readonly string[]) =>
    runProgram(ffmpeg.ffmpeg.path, ['-nostdin', '-v', 'error', '-y', ...args]);
  const loop = await makeClip(ffmpeg.ffmpeg.path, folder, {
    size: '640x360',
    seconds: loopSeconds,
    megabits: 1,
  });
  const film = join(folder, 'film.mp4');
  await runFfmpeg(['-stream_loop', String(loops - 1), '-i', loop, '-c', 'copy', film]);
  const media = await ffmpeg.probe(film);
  const planClip = async (name: string, start_clip: number) => {
    const scratch = join(folder, name);
    await mkdir(scratch);
    const settings = { start_clip, clip_length: clipLengthSeconds };
    const output = { id: 1, settings, filename: 'out.mp4', isTest: false };
    const { steps, products, rejections } = plan(
      [output],
      media,
      { input: film, scratch },
      ffmpeg.capabilities,
    );
    const [product] = products;
    if (product === undefined) throw new Error(rejections[0]?.failure.message ?? 'nothing was planned');
    return { steps, path: product.path };
  };
  const runSteps = async ({ steps }: Awaited<ReturnType<typeof planClip>>) => {
    for (const { args } of steps) await runFfmpeg(args);
  };
  const [first, last] = [
    await planClip('first', 0),
    await planClip('last', filmSeconds - 2 * clipLengthSeconds),
  ];
  const samples = await alternate(rounds, {
    last: () => timed(() => runSteps(last)),
    first: () => timed(() => runSteps(first)),
  });
  for (const { path } of [first, last]) {
    const { video } = await ffmpeg.probe(path);
    if (video === null) throw new Error(`${path} has no video`);
  }
  const text = (values: readonly number[]) => `${spreadOf(values).median.toFixed(0)} ms`;
  return [
    {
      name: `clip at end of ${filmSeconds / 60} min, compared to start`,
      unit: 'ms',
      value: spreadOf(samples.last.map((ms, round) => ms - (samples.first[round] ?? Number.NaN))),
      atMost: 1000,
      basis: `${text(samples.last)}, at start ${text(samples.first)}`,
    },
  ];
}
