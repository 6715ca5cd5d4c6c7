import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { type Ffmpeg, openFfmpeg } from '../daemon/ffmpeg/index.js';
import { plan } from '../daemon/plan/plan.js';
import { defaultOutput } from '../src/shared/settings/index.js';
import { shellLine } from '../src/shared/text/shell-words.js';
import { startDaemon } from './daemon.js';
import { alternate, type Figure, ratiosOf, spreadOf, timed } from './measure.js';
import { type ClipForm, clipSeconds, makeClip } from './media.js';
import { cpuSecondsOf, runProgram } from './programs.js';
import { cpuFigureSuffix } from './transfer-cost.js';

interface Cost {
  readonly wallMs: number;
  readonly cpuSeconds: number;
}

/** A clip, and what a job of it is compared with. */
interface ComparedJob {
  readonly name: string;
  readonly form?: ClipForm;
  readonly flags: readonly string[];
  /** Whether the commands by hand also probe the input and the output, as a job does. */
  readonly hasProbes: boolean;
  readonly atMost: { readonly wall: number; readonly cpu: number };
}

const usualJob: ComparedJob = {
  name: `job of ${clipSeconds} s`,
  flags: [],
  hasProbes: false,
  atMost: { wall: 1.05, cpu: 1.03 },
};

const shortJob: ComparedJob = {
  name: 'job of 10 s at 360p, no sandbox, with both probes by hand',
  form: { size: '640x360', seconds: 10, megabits: 1 },
  flags: ['--sandbox', 'none'],
  hasProbes: true,
  atMost: { wall: 1.03, cpu: 1.25 },
};

/**
 * Measures jobs, from the submission until they are finished, compared with the ffmpeg command planned for the same
 * input and settings, run by a shell script; and a short one compared with all its commands. The processor time is that of the daemon and all its children.
 */
export async function measureOneJob(folder: string, rounds: number): Promise<readonly Figure[]> {
  const figures: Figure[] = [];
  for (const [index, job] of [usualJob, shortJob].entries()) {
    const place = join(folder, String(index));
    await mkdir(place);
    figures.push(...(await measureComparedJob(place, rounds, job)));
  }
  return figures;
}

/** Measures only the short job. */
export function measureShortJob(folder: string, rounds: number): Promise<readonly Figure[]> {
  return measureComparedJob(folder, rounds, shortJob);
}

async function measureComparedJob(
  folder: string,
  rounds: number,
  { name, form, flags, hasProbes, atMost }: ComparedJob,
): Promise<readonly Figure[]> {
  const ffmpeg = await requireFfmpeg();
  const clip = await makeClip(ffmpeg.ffmpeg.path, folder, form);
  const scratch = join(folder, 'by-hand');
  const encode = [ffmpeg.ffmpeg.path, ...(await defaultOutputArgs(ffmpeg, clip, scratch))];
  const probe = (path: string) => [ffmpeg.ffprobe.path, ...probeArgs, path];
  const commands = hasProbes ? [probe(clip), encode, probe(join(scratch, 'output-1.mp4'))] : [encode];
  const script = join(folder, 'by-hand.sh');
  await writeFile(
    script,
    `set -e\n${commands.map((words) => `${shellLine(words)} > /dev/null`).join('\n')}\n`,
  );
  const daemon = await startDaemon(join(folder, 'data'), folder, flags);
  try {
    const samples = await alternate(rounds, {
      byHand: () => costOf('self', () => runProgram('sh', [script])),
      job: () => costOf(daemon.pid, () => daemon.runJob(pathToFileURL(clip).href)),
    });
    const figure = (what: string, limit: number, unit: string, of: (cost: Cost) => number): Figure => {
      const [job, byHand] = [samples.job.map(of), samples.byHand.map(of)];
      const text = (values: readonly number[]): string => `${spreadOf(values).median.toFixed(2)} ${unit}`;
      const basis = `${text(job)}, by hand ${text(byHand)}`;
      return {
        name: `${name}, ${what}`,
        unit: 'x',
        value: spreadOf(ratiosOf(job, byHand)),
        atMost: limit,
        basis,
      };
    };
    return [
      figure('wall', atMost.wall, 's', ({ wallMs }) => wallMs / 1000),
      figure(cpuFigureSuffix, atMost.cpu, 's', ({ cpuSeconds }) => cpuSeconds),
    ];
  } finally {
    await daemon.stop();
  }
}

/** What ffprobe prints of a file in a job. */
const probeArgs = [
  ...['-v', 'warning', '-print_format', 'json', '-show_format', '-show_streams', '-show_programs'],
  ...['-show_chapters', '-show_packets', '-read_intervals', '%+#8'],
];

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
