import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { plan } from '../daemon/plan/plan.js';
import type { OutputSettings } from '../src/shared/settings/index.js';
import { alternate, type Figure, ratiosOf, spreadOf, timed } from './measure.js';
import { measureFile } from './measure-file.js';
import { makeClip } from './media.js';
import { costOf, requireFfmpeg } from './one-job.js';
import { runProgram, vencPath } from './programs.js';

const filmBytes = 1_000_000_000;
const trackCount = 10;

/**
 * Measures `venc run --copy` of 1 GB of Matroska, into Matroska and into MP4, against `ffmpeg -c copy` by hand, without
 * and with a flush to the disk as venc does one, and for MP4 with `+faststart`; and the processor time of an encode
 * with ten tracks of audio against the same command by hand.
 */
export async function measureRemux(folder: string, rounds: number): Promise<readonly Figure[]> {
  const ffmpeg = (await requireFfmpeg()).ffmpeg.path;
  const byHand = (args: readonly string[]) => runProgram(ffmpeg, ['-nostdin', '-v', 'error', '-y', ...args]);
  const venc = (args: readonly string[]) =>
    runProgram(process.execPath, [vencPath, 'run', '--quiet', '--force', ...args]);
  const clip = await makeClip(ffmpeg, folder, { size: '1920x1080', seconds: 8, megabits: 60 });
  const film = join(folder, 'film.mkv');
  const { sizeBytes } = await measureFile(clip);
  const loops = Math.ceil(filmBytes / sizeBytes) - 1;
  await byHand(['-stream_loop', String(loops), '-i', clip, '-c', 'copy', film]);
  const programs = { clip, venc, byHand };
  return [
    ...(await measureCopies(join(folder, 'copy.mkv'), film, rounds, programs)),
    ...(await measureCopies(join(folder, 'copy.mp4'), film, rounds, programs)),
    await measureTracks(folder, rounds, programs),
  ];
}

interface Programs {
  readonly clip: string;
  readonly venc: (args: readonly string[]) => Promise<void>;
  readonly byHand: (args: readonly string[]) => Promise<void>;
}

/** Measures copies of a film to one path. By hand, MP4 is also written with the index in front, as venc writes it. */
async function measureCopies(
  copy: string,
  film: string,
  rounds: number,
  { venc, byHand }: Programs,
): Promise<readonly Figure[]> {
  const timedCopy = async (work: () => Promise<unknown>) => {
    await rm(copy, { force: true });
    await runProgram('sync', []);
    return timed(work);
  };
  const isMp4 = copy.endsWith('.mp4');
  const front = isMp4 ? ['-movflags', '+faststart'] : [];
  const copyByHand = (words: readonly string[]) =>
    byHand(['-i', film, '-map', '0', '-c', 'copy', ...words, copy]);
  const samples = await alternate(rounds, {
    hand: () => timedCopy(() => copyByHand([])),
    front: () => timedCopy(() => copyByHand(front)),
    flushed: () => timedCopy(() => copyByHand(front).then(() => runProgram('sync', [copy]))),
    venc: () => timedCopy(() => venc(['--copy', film, '-o', copy])),
  });
  const text = (ms: readonly number[]) => `${(spreadOf(ms).median / 1000).toFixed(2)} s`;
  const speed = (name: string, reference: readonly number[]): Figure => ({
    ...{ name, unit: 'x', atMost: null, atLeast: 0.8, value: spreadOf(ratiosOf(reference, samples.venc)) },
    basis: `${text(samples.venc)}, by hand ${text(reference)}`,
  });
  return [
    speed(`remux of 1 GB into ${isMp4 ? 'MP4' : 'MKV'}, speed of ffmpeg -c copy`, samples.hand),
    ...(isMp4 ? [speed('  the same, and +faststart by hand', samples.front)] : []),
    speed(`  the same, and ${isMp4 ? '+faststart, ' : ''}sync by hand`, samples.flushed),
  ];
}

async function measureTracks(
  folder: string,
  rounds: number,
  { clip, venc, byHand }: Programs,
): Promise<Figure> {
  const film = join(folder, 'tracks.mkv');
  const maps = Array.from({ length: trackCount }, () => ['-map', '0:a']).flat();
  await byHand(['-i', clip, '-map', '0:v', ...maps, '-c', 'copy', film]);
  const ffmpeg = await requireFfmpeg();
  const settings: OutputSettings = { audio_tracks: ['all'], audio_codec: 'aac' };
  const output = { id: 1, settings, filename: 'out.mkv', isTest: false };
  const paths = { input: film, scratch: folder };
  const { steps } = plan([output], await ffmpeg.probe(film), paths, ffmpeg.capabilities);
  const [step] = steps;
  if (step === undefined || steps.length > 1) throw new Error('the tracks must be planned as one step');
  const encoded = join(folder, 'encoded.mkv');
  const samples = await alternate(rounds, {
    hand: () => costOf('self', () => byHand(step.args)),
    venc: () =>
      costOf('self', () => venc([film, '-o', encoded, '--audio-tracks', 'all', '--audio-codec', 'aac'])),
  });
  const seconds = (costs: typeof samples.hand) => costs.map(({ cpuSeconds }) => cpuSeconds);
  const text = (costs: typeof samples.hand) => `${spreadOf(seconds(costs)).median.toFixed(2)} s`;
  return {
    ...{ name: `${trackCount} tracks of audio, CPU`, unit: 'x', atMost: 1.1 },
    value: spreadOf(ratiosOf(seconds(samples.venc), seconds(samples.hand))),
    basis: `${text(samples.venc)}, by hand ${text(samples.hand)}`,
  };
}
