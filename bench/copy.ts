import { copyFile, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { createFileTransport } from '../daemon/transports/file/file-transport.js';
import { startDaemon } from './daemon.js';
import { alternate, type Figure, ratiosOf, spreadOf, timed } from './measure.js';
import { assertSameFile, measureFile } from './measure-file.js';
import { makeClip } from './media.js';
import { requireFfmpeg } from './one-job.js';
import { runProgram } from './programs.js';

const loops = 20;

/**
 * Measures jobs that copy a local film: with `type: transfer-only` and with `copy_video` and `copy_audio`, from the submission until they
 * are finished; and the delivery of an encoded file to a folder. They are compared with `cp` and `sync` of the same file. A job also computes the MD5 of its input, so the reference with a
 * concurrent `md5sum` is the shortest possible time on a machine where that takes longer than the copy.
 */
export async function measureCopy(folder: string, rounds: number): Promise<readonly Figure[]> {
  const ffmpeg = (await requireFfmpeg()).ffmpeg.path;
  const clip = await makeClip(ffmpeg, folder, { size: '1920x1080', seconds: 4, megabits: 60 });
  const film = join(folder, 'film.mp4');
  const looped = ['-stream_loop', String(loops - 1), '-i', clip, '-c', 'copy', film];
  await runProgram(ffmpeg, ['-nostdin', '-v', 'error', '-y', ...looped]);
  const sent = await measureFile(film);
  const copy = join(folder, 'copy.mp4');
  const output = { url: pathToFileURL(copy).href };
  const byHand = (script: string, from = film) => runProgram('sh', ['-ec', script, 'sh', from, copy]);
  const daemon = await startDaemon(join(folder, 'data'), folder);
  const run = (settings: object) => daemon.runJob(pathToFileURL(film).href, { ...output, ...settings });
  const timedCopy = async (work: () => Promise<unknown>, check: () => Promise<unknown>) => {
    await runProgram('sync', []);
    const took = await timed(work);
    await check();
    await rm(copy);
    return took;
  };
  const isSame = () => assertSameFile(sent, copy);
  /** Delivers an encoded file, which is still in memory. */
  const timedDelivery = async (work: (made: string) => Promise<unknown>) => {
    const made = join(folder, 'made.mp4');
    await runProgram('sync', []);
    await copyFile(film, made);
    const took = await timed(() => work(made));
    await isSame();
    for (const path of [made, copy]) await rm(path, { force: true });
    return took;
  };
  const { signal } = new AbortController();
  const { upload } = createFileTransport('anywhere');
  try {
    const copyAndSync = 'cp "$1" "$2"; sync "$2"';
    const deliveries = await alternate(rounds, {
      delivery: () =>
        timedDelivery(async (made) => upload?.(made, output.url, { signal, onProgress: () => {} })),
      'cp of it': () => timedDelivery((made) => byHand(copyAndSync, made)),
    });
    const copies = await alternate(rounds, {
      cp: () => timedCopy(() => byHand(copyAndSync), isSame),
      'cp and md5sum': () => timedCopy(() => byHand('md5sum "$1" & cp "$1" "$2"; sync "$2"; wait'), isSame),
      transfer: () => timedCopy(() => run({ type: 'transfer-only' }), isSame),
      streams: () =>
        timedCopy(
          () => run({ copy_video: true, copy_audio: true }),
          () => stat(copy),
        ),
    });
    const samples = { ...deliveries, ...copies };
    const speed = (ms: readonly number[]) =>
      `${(sent.sizeBytes / 1000 / spreadOf(ms).median).toFixed(0)} MB/s`;
    const figure = (
      name: string,
      of: 'delivery' | 'transfer' | 'streams',
      to: 'cp of it' | 'cp' | 'cp and md5sum',
      atMost: number | null,
    ): Figure => ({
      name,
      unit: 'x',
      value: spreadOf(ratiosOf(samples[of], samples[to])),
      atMost,
      basis: `${speed(samples[of])}, ${to} ${speed(samples[to])}`,
    });
    const size = `${(sent.sizeBytes / 1_000_000).toFixed(0)} MB`;
    return [
      figure(`delivery of ${size} to a folder`, 'delivery', 'cp of it', 0.6),
      figure(`transfer-only of ${size}`, 'transfer', 'cp and md5sum', 1.5),
      figure('  the same, without the MD5', 'transfer', 'cp', null),
      figure(`copied streams of ${size}`, 'streams', 'cp and md5sum', null),
    ];
  } finally {
    await daemon.stop();
  }
}
