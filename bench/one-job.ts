import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { type Ffmpeg, openFfmpeg } from '../daemon/ffmpeg/index.js';
import { plan } from '../daemon/plan/plan.js';
import { defaultOutput } from '../src/shared/settings/index.js';
import { startDaemon } from './daemon.js';
import { alternate, type Figure, ratiosOf, spreadOf, timed } from './measure.js';
import { clipSeconds, makeClip } from './media.js';
import { cpuSecondsOf, runProgram } from './programs.js';

interface Cost {
  readonly wallMs: number;
  readonly cpuSeconds: number;
}

/**
 * Measures one job, from its submission until it is finished, compared with the ffmpeg command planned for the same
 * input and settings, started by hand. The processor time is that of the daemon and all its children.
 */
export async function measureOneJob(folder: string, rounds: number): Promise<readonly Figure[]> {
  const ffmpeg = await requireFfmpeg();
  const clip = await makeClip(ffmpeg.ffmpeg.path, folder);
  const line = await defaultOutputArgs(ffmpeg, clip, join(folder, 'by-hand'));
  const daemon = await startDaemon(join(folder, 'data'), folder);
  try {
    const samples = await alternate(rounds, {
      byHand: () => costOf('self', () => runProgram(ffmpeg.ffmpeg.path, line)),
      job: () => costOf(daemon.pid, () => daemon.runJob(pathToFileURL(clip).href)),
    });
    const figure = (name: string, atMost: number, unit: string, of: (cost: Cost) => number): Figure => {
      const [job, byHand] = [samples.job.map(of), samples.byHand.map(of)];
      const text = (values: readonly number[]): string => `${spreadOf(values).median.toFixed(2)} ${unit}`;
      const basis = `${text(job)}, by hand ${text(byHand)}`;
      return { name, unit: 'x', value: spreadOf(ratiosOf(job, byHand)), atMost, basis };
    };
    return [
      figure(`job of ${clipSeconds} s, wall`, 1.05, 's', ({ wallMs }) => wallMs / 1000),
      figure(`job of ${clipSeconds} s, CPU`, 1.03, 's', ({ cpuSeconds }) => cpuSeconds),
    ];
  } finally {
    await daemon.stop();
  }
}

/** The ffmpeg that a daemon would use. */
export async function requireFfmpeg(): Promise<Ffmpeg> {
  const { ffmpeg } = await openFfmpeg();
  if (ffmpeg === null) throw new Error('ffmpeg and ffprobe are needed to measure a job');
  return ffmpeg;
}

/** The arguments of the single step planned for the default output. */
async function defaultOutputArgs(ffmpeg: Ffmpeg, clip: string, scratch: string): Promise<readonly string[]> {
  await mkdir(scratch, { recursive: true });
  const output = { id: 1, settings: defaultOutput, filename: 'out.mp4', isTest: false };
  const { steps } = plan([output], await ffmpeg.probe(clip), { input: clip, scratch }, ffmpeg.capabilities);
  const [step] = steps;
  if (step === undefined || steps.length > 1)
    throw new Error('the default output must be planned as one step');
  return ['-nostdin', '-v', 'error', '-y', ...step.args];
}

/** What some work costs a process and its children. */
export async function costOf(pid: number | 'self', work: () => Promise<unknown>): Promise<Cost> {
  const before = await cpuSecondsOf(pid);
  const wallMs = await timed(work);
  return { wallMs, cpuSeconds: (await cpuSecondsOf(pid)) - before };
}
