import { mkdtemp, rm } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { execa } from 'execa';
import { VencError } from '../../../src/shared/errors.js';
import {
  metricFiles,
  metricGraph,
  metricSize,
  modelFor,
  subsampleFor,
} from '../../plan/quality/metric-graph.js';
import type { FrameScore, MeasuredFrames } from '../../plan/quality/pool-scores.js';
import { fileArgument } from '../../plan/safe-input.js';
import { cpuSecondsFor, type EncodeLimits, type ProgramLimits } from '../containment/program-limits.js';
import { explainFailure } from '../explain.js';
import type { EncodeOptions, Measurer, QualityRequest } from '../ffmpeg-types.js';
import { type LaunchSettings, launch } from '../launch.js';
import { explainLimit, MemoryShortage } from '../limit-errors.js';
import { guardInputs, lowerPriority } from '../run.js';
import { readScores, readStatistics } from './read-scores.js';

/** What all measurements share. */
interface MeasureSettings extends LaunchSettings {
  readonly limits: EncodeLimits;
  /** The limit of memory of one program. */
  readonly memoryBytes: number;
  /** Runs the ffmpeg that decodes and filters the frames. */
  readonly run: (args: readonly string[], options: EncodeOptions) => Promise<void>;
}

/** The named pipes through which the frames of both sides reach the program that measures. */
const pipes = { output: 'output.nut', reference: 'reference.nut' } as const;

/** The limit of the size of a file with scores: about 200 bytes for each frame. */
const maxScoreBytes = 1e9;

/**
 * Implements `Ffmpeg.measureQuality`. The frames of each side are decoded and filtered by a run of ffmpeg, as when they
 * are encoded, and reach the program that measures through a named pipe: so it needs no decoders and filters of its
 * own, and holds only a few frames in memory.
 */
export async function measureQuality(
  measurer: Measurer,
  request: QualityRequest,
  settings: MeasureSettings,
  options: EncodeOptions,
): Promise<MeasuredFrames> {
  const started = performance.now();
  const folder = await mkdtemp(join(resolve(options.scratch), 'quality-'));
  const inFolder = (name: string) => join(folder, name);
  try {
    await execa('mkfifo', ['-m', '600', inFolder(pipes.output), inFolder(pipes.reference)]);
    await runPrograms(measurer, request, settings, { ...options, folder });
    const [{ version, scores }, output, reference] = await Promise.all([
      readScores(inFolder(metricFiles.scores)),
      readStatistics(inFolder(metricFiles.outputLuma), inFolder(metricFiles.outputSpread)),
      readStatistics(inFolder(metricFiles.referenceLuma), inFolder(metricFiles.referenceSpread)),
    ]);
    requireEqualCounts(output.times.length, reference.times.length);
    if (scores.length === 0) throw new VencError('QualityError', 'The video has no frame to measure.');
    return {
      ...{ model: modelFor(request.metric, request.output.side.size), version },
      subsample: subsampleOf(request),
      spentSeconds: (performance.now() - started) / 1000,
      ...{ scores: withFileNumbers(scores, request.frames), output, reference },
    };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Of chosen frames all are measured: they are few. */
function subsampleOf({ frames, seconds, frameCount, subsample }: QualityRequest): number {
  return subsample ?? (frames === undefined ? subsampleFor(seconds, frameCount) : 1);
}

/** Scores of chosen frames, which were counted on their own, with the numbers that the frames have in the file. */
function withFileNumbers(
  scores: readonly FrameScore[],
  frames: QualityRequest['frames'],
): readonly FrameScore[] {
  if (frames === undefined) return scores;
  const numbers = frames.flatMap(({ first, last }) =>
    Array.from({ length: last - first + 1 }, (_, index) => first + index),
  );
  return scores.map((score) => ({ ...score, frame: numbers[score.frame] ?? score.frame }));
}

function requireEqualCounts(output: number, reference: number): void {
  if (output === reference) return;
  throw new VencError(
    'QualityError',
    `The frame counts differ: the video has ${output} frames, and its reference ${reference}. Frames are compared by number.`,
    {
      hint: 'compare a file with its original; cut both to the same part, and give both the same frame rate',
    },
  );
}

/** How long a decoder that has failed may take to report it after the failure of the program that measures. */
const reportMs = 1000;

/**
 * Runs the three programs. If one fails the others are ended. The error is that of a decoder before that of the program
 * that measures, which fails as well when its input ends early, and may report it first.
 */
async function runPrograms(
  measurer: Measurer,
  request: QualityRequest,
  settings: MeasureSettings,
  options: EncodeOptions & { readonly folder: string },
): Promise<void> {
  const { folder, onProgress, onReport: _report, ...others } = options;
  const stopper = new AbortController();
  const signal = AbortSignal.any([options.signal, stopper.signal]);
  const threads = request.threads === undefined ? [] : ['-threads', String(request.threads)];
  const decode = (side: 'output' | 'reference') =>
    settings.run([...threads, ...request[side].args, fileArgument(join(folder, pipes[side]))], {
      ...{ ...others, signal },
      onProgress: side === 'output' ? onProgress : () => {},
    });
  const errors: unknown[] = [];
  const stopOthers = (error: unknown) => {
    errors.push(error);
    stopper.abort();
  };
  const measure = compare(measurer, request, settings, { ...options, signal });
  const decoders = Promise.all(
    [decode('output'), decode('reference')].map((run) =>
      run.catch(async (error: unknown) => {
        // If the program that measures ends early, those that write to it fail as well: its error is the cause.
        if (isBrokenPipe(error))
          await measure.then(
            () => stopOthers(error),
            () => {},
          );
        else stopOthers(error);
      }),
    ),
  );
  const measured = measure.catch(async (error: unknown) => {
    // One that waits for a reader of its pipe never ends.
    await Promise.race([decoders, setTimeout(reportMs, undefined, { signal }).catch(() => {})]);
    stopOthers(error);
  });
  await Promise.all([decoders, measured]);
  options.signal.throwIfAborted();
  if (errors.length > 0) throw errors[0];
}

function isBrokenPipe(error: unknown): boolean {
  return error instanceof Error && /broken pipe/i.test(error.message);
}

/** Runs the program that measures. */
async function compare(
  { program, binary }: Measurer,
  request: QualityRequest,
  { containment, meter, limits, memoryBytes }: MeasureSettings,
  { folder, signal, onStderr }: Pick<EncodeOptions, 'signal' | 'onStderr'> & { readonly folder: string },
): Promise<void> {
  const { metric, output, reference, frames, seconds, threads } = request;
  const { width, height } = metricSize(output.side.size);
  const used = threads ?? limits.threads ?? availableParallelism();
  const graph = {
    ...{ metric, output: output.side, reference: reference.side },
    ...{ subsample: subsampleOf(request), threads: used },
    ...(frames === undefined ? {} : { frames }),
  };
  const quiet = ['-v', 'error', '-hide_banner'];
  const nut = (name: string) => ['-f', 'nut', '-i', fileArgument(name)];
  const movie = (name: string, label: string) => `movie=filename=${name}:format_name=nut[${label}]`;
  const args =
    program === 'ffmpeg'
      ? guardInputs([
          ...[...quiet, '-nostdin', '-nostats', ...nut(pipes.output), ...nut(pipes.reference)],
          ...['-filter_complex', metricGraph(graph, ['0:v', '1:v']), '-map', '[measured]', '-f', 'null', '-'],
        ])
      : [
          ...[...quiet, '-f', 'lavfi', '-i'],
          [
            ...[movie(pipes.output, 'a'), movie(pipes.reference, 'b')],
            metricGraph(graph, ['a', 'b']).replace('[measured]', '[out0]'),
          ].join(';'),
          ...['-count_frames', '-show_entries', 'stream=nb_read_frames'],
        ];
  const programLimits: ProgramLimits = {
    memoryBytes,
    fileSizeBytes: maxScoreBytes,
    cpuSeconds: cpuSecondsFor({ seconds, pixels: width * height }, limits.cpuFactor),
  };
  const memory = new MemoryShortage();
  const exit = await launch(binary.path, args, {
    ...{ containment, meter, program, signal },
    limits: programLimits,
    access: { folder, inputs: [] },
    onStart: (pid) => lowerPriority(pid, limits.nice),
    onStdout: () => {},
    onStderr: (text) => {
      memory.add(text);
      onStderr?.(text);
    },
  });
  signal.throwIfAborted();
  if (exit.exitCode === 0) return;
  const limitError =
    containment.prlimit === null ? null : explainLimit(exit, programLimits, { limits, memory });
  if (limitError !== null) throw limitError;
  const { message } = explainFailure(exit, { folders: [folder] });
  throw new VencError('QualityError', `The measurement failed: ${message}`);
}
