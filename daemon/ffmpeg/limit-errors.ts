import { VencError } from '../../src/shared/errors.js';
import { formatBytes } from '../../src/shared/text/numbers.js';
import type { EncodeLimits, ProgramLimits } from './containment/program-limits.js';
import type { ExitResult } from './launch.js';

/** The error of an encoder that made no progress. */
export function stallError({ stallSeconds }: EncodeLimits): VencError {
  const message = `The encoder made no progress for ${formatSeconds(stallSeconds)} (--encode-stall-timeout).`;
  return new VencError('TranscodingTimeoutError', message);
}

/** The error of an encoder that printed text without end that is not its progress. */
export function noProgressError(): VencError {
  const message = 'The encoder printed text that is not its progress, and was ended.';
  return new VencError('TranscodingError', message);
}

/** The error of a run that took too long. */
export function encodeTimeError({ maxEncodeSeconds }: EncodeLimits): VencError {
  const limit = formatSeconds(maxEncodeSeconds ?? 0);
  const message = `The encoding took longer than ${limit}, the limit of this service (--max-encode-time).`;
  return new VencError('EncodeTimeLimitError', message);
}

/** The error of an input that is too long, before or while it is encoded. */
export function inputDurationError({ maxInputSeconds }: EncodeLimits, seconds?: number): VencError {
  const limit = formatSeconds(maxInputSeconds ?? 0);
  const subject =
    seconds === undefined
      ? 'The input is'
      : `The input has a duration of ${formatSeconds(seconds)}, which is`;
  const message = `${subject} longer than ${limit}, the limit of this service (--max-input-duration).`;
  return new VencError('InputDurationLimitError', message);
}

/** What an output may be longer than the limit of inputs: its last frame, and rounding. */
const toleratedSeconds = 10;

/** Whether an output is longer than any permitted input, because the file of the input declares a wrong duration. */
export function isBeyondInput(seconds: number, { maxInputSeconds }: EncodeLimits): boolean {
  return maxInputSeconds !== null && seconds > maxInputSeconds + toleratedSeconds;
}

/** Messages of ffmpeg and its libraries when memory cannot be allocated. */
const certainPattern =
  /Cannot allocate memory|Out of memory|malloc of size \d+ failed|[Mm]emory allocation (?:error|failure)|std::bad_alloc/;
/** Messages that have other causes as well. */
const possiblePattern =
  /insufficient resources|get_buffer\(\) failed|Failed to allocate|Resource temporarily unavailable|could not allocate/i;

/** Finds messages about missing memory in all of stderr, of which a failed run keeps only the end. */
export class MemoryShortage {
  #line = '';
  #isCertain = false;
  #isPossible = false;

  /** Reads a chunk of the messages. */
  add(chunk: string): void {
    const text = this.#line + chunk;
    this.#isCertain ||= certainPattern.test(text);
    this.#isPossible ||= possiblePattern.test(text);
    this.#line = text.slice(text.lastIndexOf('\n') + 1).slice(-1000);
  }

  /** Whether a message says that memory was missing. */
  get isCertain(): boolean {
    return this.#isCertain;
  }

  /** Whether a message may have that cause. */
  get isPossible(): boolean {
    return this.#isCertain || this.#isPossible;
  }
}

/**
 * The part of the limit from which memory that was in use explains a failure. Allocations are large: frames of several
 * MB.
 */
const nearLimit = 0.7;

/**
 * The error of a run that a limit of the kernel ended; null if it ended for another reason. Recognises it also behind
 * bubblewrap.
 */
export function explainLimit(
  exit: ExitResult,
  { memoryBytes, fileSizeBytes, cpuSeconds }: ProgramLimits,
  { limits, memory }: { readonly limits: EncodeLimits; readonly memory: MemoryShortage },
): VencError | null {
  const { signal, exitCode, stderr, usage } = exit;
  const usedCpuSeconds = usage?.cpuSeconds ?? 0;
  if (signal === 'SIGXCPU' || usedCpuSeconds >= cpuSeconds - 1) {
    const message = `The encoding used more than ${formatSeconds(cpuSeconds)} of processor time, the limit for this media (--encode-cpu-factor).`;
    return new VencError('CpuTimeLimitError', message);
  }
  if (signal === 'SIGXFSZ' || /File too large/.test(stderr)) {
    if (limits.maxOutputBytes === null)
      return new VencError('OutOfSpaceError', 'The output is larger than the free space on the disk.');
    const message = `The output is larger than ${formatBytes(fileSizeBytes)}, the limit of this service (--max-output-size).`;
    return new VencError('OutputSizeLimitError', message);
  }
  const wasNearLimit = (usage?.dataBytes ?? 0) >= memoryBytes * nearLimit;
  const crashed = signal === 'SIGSEGV' || signal === 'SIGABRT' || signal === 'SIGBUS';
  if (memory.isPossible || (wasNearLimit && (crashed || exitCode !== 0))) {
    const message = `The encoding needs more memory than ${formatBytes(memoryBytes)}, the limit of this service (--max-encode-memory).`;
    return new VencError('MemoryLimitError', message);
  }
  return null;
}

function formatSeconds(seconds: number): string {
  const rounded = Math.round(seconds * 10) / 10;
  return `${rounded} ${rounded === 1 ? 'second' : 'seconds'}`;
}
