import { join } from 'node:path';
import { type Ffmpeg, openFfmpeg } from '../daemon/ffmpeg/index.js';
import { alternate, type Figure, ratiosOf, spreadOf, timed } from './measure.js';
import { clipSeconds, makeClip } from './media.js';
import { requireFfmpeg } from './one-job.js';
import { runProgram } from './programs.js';

/** Encoded with settings that keep it short; the input is decoded as in a job. */
const encoderArgs = ['-vf', 'scale=640:-2', '-c:v', 'libx264', '-preset', 'veryfast', '-c:a', 'aac'] as const;

/**
 * Measures an encode and a probe of one file, with limits and sandbox, and with limits only, compared with the same commands by hand.
 */
export async function measureContainment(folder: string, rounds: number): Promise<readonly Figure[]> {
  const plain = await requireFfmpeg();
  const clip = await makeClip(plain.ffmpeg.path, folder);
  const [limited, sandboxed] = [await opened('none'), await opened('auto')];
  const args = ['-i', clip, ...encoderArgs, '-y', join(folder, 'out.mp4')];
  const byHand = ['-nostdin', '-v', 'error', ...args];
  const encode = ({ run }: Ffmpeg) =>
    timed(() => run(args, { signal: new AbortController().signal, scratch: folder, onProgress: () => {} }));
  const probe = ['-v', 'error', '-show_format', '-show_streams', clip];
  const encodes = await alternate(rounds, {
    byHand: () => timed(() => runProgram(plain.ffmpeg.path, byHand)),
    limits: () => encode(limited),
    sandbox: () => encode(sandboxed),
  });
  const probes = await alternate(rounds, {
    byHand: () => timed(() => runProgram(plain.ffprobe.path, probe)),
    limits: () => timed(() => limited.probe(clip)),
    sandbox: () => timed(() => sandboxed.probe(clip)),
  });
  const figure = (
    name: string,
    samples: { readonly own: readonly number[]; readonly reference: readonly number[] },
    atMost: number | null,
  ): Figure => {
    const text = (values: readonly number[]) => `${(spreadOf(values).median / 1000).toFixed(3)} s`;
    const basis = `${text(samples.own)}, compared with ${text(samples.reference)}`;
    return { name, unit: 'x', value: spreadOf(ratiosOf(samples.own, samples.reference)), atMost, basis };
  };

  const titled = `encode of ${clipSeconds} s`;
  return [
    figure(`${titled}, limits, by hand`, { own: encodes.limits, reference: encodes.byHand }, 1.02),
    figure(`${titled}, sandbox, by hand`, { own: encodes.sandbox, reference: encodes.byHand }, 1.02),
    figure(`${titled}, sandbox, limits`, { own: encodes.sandbox, reference: encodes.limits }, 1.02),
    figure('probe, limits, by hand', { own: probes.limits, reference: probes.byHand }, null),
    figure('probe, sandbox, limits', { own: probes.sandbox, reference: probes.limits }, null),
  ];
}

async function opened(sandbox: 'auto' | 'none'): Promise<Ffmpeg> {
  const { ffmpeg, report } = await openFfmpeg({ sandbox });
  if (ffmpeg === null) throw new Error('ffmpeg and ffprobe are needed to measure the containment');
  if (report.sandboxProblem !== null) throw new Error(`there is no sandbox here: ${report.sandboxProblem}`);
  return ffmpeg;
}
