import { readdir, readlink, rm } from 'node:fs/promises';
import { getPriority, setPriority } from 'node:os';
import { join, resolve } from 'node:path';
import { VencError } from '../../src/shared/errors.js';
import { freeBytes } from '../../src/shared/util/disk.js';
import { currentFreezer, type TimeLimit } from '../../src/shared/util/freezer.js';
import { safeInputOptions } from '../plan/safe-input.js';
import { cpuSecondsFor, type EncodeLimits, type ProgramLimits } from './containment/program-limits.js';
import {
  audioChangeError,
  explainFailure,
  hasHiddenWriteError,
  indexSizeError,
  undecodedTrackError,
} from './explain.js';
import type { Binary, EncodeOptions, EncodeProgress } from './ffmpeg-types.js';
import { type LaunchSettings, launch, maxStderrCharacters, TextTail } from './launch.js';
import {
  encodeTimeError,
  explainLimit,
  inputDurationError,
  isBeyondInput,
  MemoryShortage,
  noProgressError,
  stallError,
} from './limit-errors.js';
import { recordProcess } from './orphan-processes.js';
import { RunReporter, reportLevel } from './run-report.js';

/** Settings of all encoder runs. */
interface RunSettings extends LaunchSettings {
  readonly limits: EncodeLimits;
  /** The limit of memory of one run. */
  readonly memoryBytes: number;
}

/** The limit of the size of files if the free space is unknown. */
const unknownFreeBytes = 1e15;

// Progress goes to stdout, which no plan writes to, so no third pipe is needed.
const baseArgs = ['-hide_banner', '-nostdin', '-nostats', '-progress', 'pipe:1'] as const;

const interruptedError = (cause: unknown) =>
  new VencError('InterruptedError', 'The encoding was interrupted.', { cause });

/**
 * Implements `Ffmpeg.run`. Rejects with `TranscodingTimeoutError` after `stallSeconds` without progress, and with the
 * class of a limit that ended the run. Resolves with the end of the log, which has errors only unless `logLevel` is
 * `info`.
 */
export async function runEncoder(
  program: Binary,
  args: readonly string[],
  settings: RunSettings,
  options: EncodeOptions,
  logLevel: 'error' | 'info' = 'error',
): Promise<string> {
  const { signal, onProgress, onReport, onStderr } = options;
  const scratch = resolve(options.scratch);
  const { limits, memoryBytes } = settings;
  if (signal.aborted) throw interruptedError(signal.reason);
  const programLimits: ProgramLimits = {
    memoryBytes,
    fileSizeBytes: limits.maxOutputBytes ?? (await freeBytes(scratch).catch(() => unknownFreeBytes)),
    cpuSeconds: cpuSecondsFor(options.work, limits.cpuFactor),
  };
  const linksBefore = await linksIn(scratch);
  if (signal.aborted) throw interruptedError(signal.reason);
  const stopController = new AbortController();
  const onAbort = () => stopController.abort();
  signal.addEventListener('abort', onAbort, { once: true });
  let stopReason: VencError | null = null;
  const stop = (reason: VencError) => {
    stopReason ??= reason;
    stopController.abort();
  };
  const stallLimit = startLimit(limits.stallSeconds, () => stop(stallError(limits)));
  const encodeLimit = startLimit(limits.maxEncodeSeconds, () => stop(encodeTimeError(limits)));
  let progressState = initialProgressState;
  let progressSnapshot = '';
  let removeRecord = () => {};
  const memory = new MemoryShortage();
  const errors = new TextTail(maxStderrCharacters);
  const onError = (text: string) => {
    errors.add(text);
    memory.add(text);
    onStderr?.(text);
  };
  const isReported = onReport !== undefined || logLevel === 'info';
  const reporter = isReported ? new RunReporter(onError, logLevel) : null;
  try {
    const guarded = guardInputs(args);
    const level = reporter === null ? logLevel : reportLevel;
    const launched = await launch(program.path, ['-v', level, ...baseArgs, ...guarded], {
      ...{ containment: settings.containment, meter: settings.meter, program: 'ffmpeg' },
      limits: programLimits,
      access: { folder: scratch, inputs: inputPaths(guarded, scratch) },
      signal: stopController.signal,
      onStart: (pid) => {
        // In the same tick as the start, so that all its threads inherit the priority.
        lowerPriority(pid, limits.nice);
        removeRecord = recordProcess(scratch, pid);
      },
      onStderr: (text) => (reporter === null ? onError(text) : reporter.add(text)),
      onStdout: (text) => {
        if (stopController.signal.aborted) return;
        const next = parseProgressText(progressState, text);
        progressState = next.state;
        if (isNoProgress(progressState)) stop(noProgressError());
        for (const block of next.blocks) {
          // A stalled ffmpeg may continue to report: only a different report is progress.
          if (progressKey(block) !== progressSnapshot) stallLimit?.refresh();
          progressSnapshot = progressKey(block);
          const progress = progressOf(block);
          if (isBeyondInput(progress.seconds, limits)) stop(inputDurationError(limits));
          if (!stopController.signal.aborted) onProgress(progress);
        }
      },
    });
    reporter?.end();
    const exit = { ...launched, stderr: errors.text };
    await rejectNewLinks(scratch, linksBefore);
    if (signal.aborted) throw interruptedError(signal.reason);
    if (stopReason !== null) throw stopReason;
    const undecoded = reporter?.undecodedTrack ?? null;
    const isUndecoded = undecoded !== null && exit.signal === null && exit.exitCode !== 255;
    if (exit.exitCode === 0 && !isUndecoded && !hasHiddenWriteError(exit.stderr) && !memory.isCertain) {
      if (reporter !== null) onReport?.(reporter.report);
      return exit.stderr;
    }
    const hasLimits = settings.containment.prlimit !== null;
    const limitError = hasLimits ? explainLimit(exit, programLimits, { limits, memory }) : null;
    if (limitError !== null) throw limitError;
    const knownError = audioChangeError(exit.stderr) ?? indexSizeError(exit.stderr);
    if (knownError !== null) throw knownError;
    if (isUndecoded) throw undecodedTrackError(undecoded, program.version);
    const { errorClass, message } = explainFailure(exit, { folders: [scratch] });
    throw new VencError(errorClass, message);
  } finally {
    stallLimit?.clear();
    encodeLimit?.clear();
    signal.removeEventListener('abort', onAbort);
    removeRecord();
  }
}

/** The targets of the symbolic links in a folder, by name. */
async function linksIn(folder: string): Promise<ReadonlyMap<string, string>> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
  const links = new Map<string, string>();
  for (const { name } of entries.filter((entry) => entry.isSymbolicLink()))
    links.set(name, await readlink(join(folder, name)).catch(() => ''));
  return links;
}

/**
 * Removes the links that a run created or changed, and fails. ffmpeg creates none: one that a hostile input has taken
 * over could let the daemon deliver a file that is not visible in the sandbox.
 */
async function rejectNewLinks(folder: string, before: ReadonlyMap<string, string>): Promise<void> {
  const created = [...(await linksIn(folder))].filter(([name, target]) => before.get(name) !== target);
  for (const [name] of created) await rm(join(folder, name), { force: true });
  if (created.length > 0)
    throw new VencError('TranscodingError', 'The encoder created a link to another file, which was removed.');
}

function startLimit(seconds: number | null, onEnd: () => void): TimeLimit | undefined {
  return seconds === null ? undefined : currentFreezer().startLimit(seconds * 1000, onEnd);
}

/** The absolute paths of the inputs in the arguments. */
function inputPaths(args: readonly string[], folder: string): readonly string[] {
  return args.flatMap((arg, index) => {
    const isGenerated = args[index - 2] === 'lavfi';
    return args[index - 1] === '-i' && !isGenerated ? [resolve(folder, arg.replace(/^file:/, ''))] : [];
  });
}

/** The safe input options, as pairs of name and value. */
const guards = safeInputOptions.flatMap((option, index) => {
  const value = safeInputOptions[index + 1];
  return index % 2 === 0 && value !== undefined ? [{ option, value }] : [];
});

/**
 * Adds the missing `safeInputOptions` before every `-i`; options that are present are kept. Plans contain them already:
 * this makes sure that ffmpeg never runs without them. An input whose format is set by `-f` (a generated source) needs
 * no list of formats.
 */
export function guardInputs(args: readonly string[]): readonly string[] {
  const guarded: string[] = [];
  let start = 0;
  for (const [index, arg] of args.entries()) {
    if (arg !== '-i') continue;
    const inputOptions = args.slice(start, index);
    const isFixed = inputOptions.includes('-f');
    const missing = guards.filter(
      ({ option }) => !inputOptions.includes(option) && !(isFixed && option === '-format_whitelist'),
    );
    guarded.push(...inputOptions, ...missing.flatMap(({ option, value }) => [option, value]), '-i');
    start = index + 1;
  }
  return [...guarded, ...args.slice(start)];
}

/** The maximum niceness. */
const maxNice = 19;

/**
 * Adds to the niceness of a program that was just started (`--nice`). Encoders use all processors: while four encoders ran at
 * normal priority, the daemon answered after a second (p99) instead of milliseconds. On an otherwise idle machine, a
 * low priority makes encoders no slower. Ignores errors: the program may have ended, or the system may not allow the
 * change.
 */
export function lowerPriority(pid: number, nice: number): void {
  try {
    setPriority(pid, Math.min(maxNice, getPriority() + nice));
  } catch {
    // The program keeps its priority.
  }
}

/** The keys and values of one `-progress` report. */
export type ProgressBlock = ReadonlyMap<string, string>;

/** The parser's state: the incomplete line and the incomplete block. */
interface ProgressParserState {
  readonly rest: string;
  readonly lines: readonly string[];
}

/**
 * More characters in a line, or lines without the end of a block, are not from `-progress`. The state keeps no more of
 * them.
 */
const maxLineCharacters = 65_536;
const maxBlockLines = 1000;

/** Whether a program printed what cannot be the progress of ffmpeg. */
function isNoProgress({ rest, lines }: ProgressParserState): boolean {
  return rest.length > maxLineCharacters || lines.length > maxBlockLines;
}

/** The state before the first text. */
export const initialProgressState: ProgressParserState = { rest: '', lines: [] };

function parseBlock(lines: readonly string[]): ProgressBlock {
  const pairs = lines.map((line): readonly [string, string] => {
    const [key = '', ...value] = line.split('=');
    return [key.trim(), value.join('=').trim()];
  });
  return new Map(pairs);
}

/**
 * Parses the next chunk of text, which may begin and end anywhere, and returns the blocks that it completes (each ends
 * with `progress=`).
 */
export function parseProgressText(
  state: ProgressParserState,
  text: string,
): { readonly state: ProgressParserState; readonly blocks: readonly ProgressBlock[] } {
  const splitLines = (state.rest + text).split('\n');
  const rest = splitLines.pop() ?? '';
  const blocks: ProgressBlock[] = [];
  let lines = [...state.lines];
  for (const line of splitLines) {
    lines.push(line);
    if (!line.startsWith('progress=')) continue;
    blocks.push(parseBlock(lines));
    lines = [];
  }
  const kept = { rest: rest.slice(-maxLineCharacters - 1), lines: lines.slice(-maxBlockLines - 1) };
  return { state: kept, blocks };
}

/** A number as ffmpeg prints it (`30.0`, `1.02x`, ` 7`); null for `N/A` and other text. */
function parseNumber(text: string | undefined): number | null {
  const number = Number.parseFloat(text ?? '');
  return Number.isFinite(number) ? number : null;
}

/**
 * The progress of a block. `out_time_ms` is in microseconds in every release; later releases added `out_time_us`. Both
 * are `N/A` or far below zero until something has been written, which counts as 0.
 */
export function progressOf(block: ProgressBlock): EncodeProgress {
  const microseconds = parseNumber(block.get('out_time_us')) ?? parseNumber(block.get('out_time_ms')) ?? 0;
  return {
    seconds: Math.max(0, microseconds / 1_000_000),
    frame: parseNumber(block.get('frame')),
    fps: parseNumber(block.get('fps')),
    speed: parseNumber(block.get('speed')),
  };
}

/** Identifies the position of a run: two equal keys mean that there was no progress between them. */
export function progressKey(block: ProgressBlock): string {
  return ['frame', 'out_time_ms', 'total_size'].map((key) => block.get(key) ?? '').join(' ');
}
