import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Ffmpeg } from '../daemon/ffmpeg/index.js';
import { plan } from '../daemon/plan/plan.js';
import type { OutputSettings } from '../src/shared/settings/index.js';
import { alternate, type Figure, ratiosOf, spreadOf, timed } from './measure.js';
import { makeClip } from './media.js';
import { requireFfmpeg } from './one-job.js';
import { cpuSecondsOf, runProgram } from './programs.js';

/** Length of the film in seconds: enough that starting ffmpeg three times instead of once does not matter. */
const seconds = 12;

const sizes = [
  { width: 1280, height: 720 },
  { width: 854, height: 480 },
  { width: 640, height: 360 },
] as const;

interface Cost {
  readonly wallSeconds: number;
  readonly cpuSeconds: number;
}

type FfmpegArgs = readonly string[];

/**
 * Measures three sizes of a film of 1920x1080: the runs planned for one job with three outputs, compared with three
 * plain ffmpeg commands, one after another, with the same encoder settings.
 */
export async function measureLadder(folder: string, rounds: number): Promise<readonly Figure[]> {
  const ffmpeg = await requireFfmpeg();
  const film = { size: '1920x1080', seconds, megabits: 8 };
  const clip = await makeClip(ffmpeg.ffmpeg.path, folder, film);
  const together = await linesFor(ffmpeg, clip, join(folder, 'together'), sizes);
  const apart: FfmpegArgs[] = [];
  for (const size of sizes) {
    const [single = []] = await linesFor(ffmpeg, clip, join(folder, `apart-${size.height}`), [size]);
    apart.push(byHand(single, clip, size));
  }
  const samples = await alternate(rounds, {
    together: () => costOf(ffmpeg, together),
    apart: () => costOf(ffmpeg, apart),
  });
  const figure = (name: string, of: (cost: Cost) => number): Figure => {
    const [one, three] = [samples.together.map(of), samples.apart.map(of)];
    const basis = `${spreadOf(one).median.toFixed(2)} s, apart ${spreadOf(three).median.toFixed(2)} s`;
    return { name, unit: 'x', value: spreadOf(ratiosOf(one, three)), atMost: 0.92, basis };
  };
  return [
    figure(`three sizes of ${seconds} s, CPU`, ({ cpuSeconds }) => cpuSeconds),
    figure(`three sizes of ${seconds} s, wall`, ({ wallSeconds }) => wallSeconds),
  ];
}

/** The runs planned for outputs of the given sizes without further settings. */
async function linesFor(
  ffmpeg: Ffmpeg,
  input: string,
  scratch: string,
  outputSizes: readonly OutputSettings[],
): Promise<readonly FfmpegArgs[]> {
  await mkdir(scratch, { recursive: true });
  const outputs = outputSizes.map((size, index) => ({
    id: index + 1,
    settings: size,
    filename: 'out.mp4',
    isTest: false,
  }));
  const { steps } = plan(outputs, await ffmpeg.probe(input), { input, scratch }, ffmpeg.capabilities);
  return steps.map(({ args }) => args);
}

/**
 * The command that a user would type: ffmpeg selects the streams, and `-vf` scales. From the encoder on it is the
 * same as in the plan.
 */
function byHand(planned: FfmpegArgs, clip: string, { width, height }: (typeof sizes)[number]): FfmpegArgs {
  const encoder = planned.indexOf('-c:v');
  if (encoder === -1) throw new Error('the plan names no encoder');
  return ['-y', '-i', clip, '-vf', `scale=${width}:${height}:flags=bicubic`, ...planned.slice(encoder)];
}

async function costOf({ ffmpeg }: Ffmpeg, lines: readonly FfmpegArgs[]): Promise<Cost> {
  const before = await cpuSecondsOf('self');
  const wallMs = await timed(async () => {
    for (const line of lines) await runProgram(ffmpeg.path, ['-nostdin', '-v', 'error', ...line]);
  });
  return { wallSeconds: wallMs / 1000, cpuSeconds: (await cpuSecondsOf('self')) - before };
}
