import type * as declared from './declarations.js';
import { InvalidRequestError, toPublicError } from './errors.js';
import { Job } from './job.js';
import {
  type CallContext,
  changeConfiguration,
  configuredPrograms,
  namedDestinations,
  namedPlaces,
  openClaim,
  turns,
} from './process-state.js';

/*
 * The package as a library: `import { encode } from 'venc'`. Only this module and what it imports is loaded at first; the
 * work is in `work/`, which the first call loads with the pipeline.
 */

export {
  EncodeError,
  InputError,
  InvalidRequestError,
  OutputError,
  UnavailableError,
  VencError,
} from './errors.js';

/** Encodes a file in this process. */
export const encode: typeof declared.encode = (input, options, call) => {
  const claim = openClaim();
  // Before anything is awaited, so that of two encodes to one file the second is refused.
  const claimed = attempt(() => claim.add(namedPlaces(options)));
  watchStreams([input, ...namedDestinations(options)]);
  return new Job((onProgress) =>
    perform(call, async (context) => {
      claimed();
      const { runEncode } = await import('./work/run-encode.js');
      return runEncode(input, options, { ...context, claim, onProgress });
    }).finally(() => claim.release()),
  );
};

/** Plans what `encode` would do. */
export const plan: typeof declared.plan = (input, options, call) => {
  watchStreams([input]);
  return perform(call, async (context) => {
    const { makePlan } = await import('./work/make-plan.js');
    return makePlan(input, options, context);
  });
};

/** Reads what a media file is. */
export const probe: typeof declared.probe = (input, options, call) => {
  watchStreams([input]);
  return perform(call, async (context) => {
    const { probeInput } = await import('./work/measure.js');
    return probeInput(input, options, context);
  });
};

/** Measures how close a video comes to another. */
export const compare: typeof declared.compare = (input, reference, options, call) => {
  watchStreams([input, reference]);
  return perform(call, async (context) => {
    const { compareInputs } = await import('./work/measure.js');
    return compareInputs([input, reference], options, { ...context, onProgress: call?.onProgress });
  });
};

/** Takes images of a video. */
export const thumbnails: typeof declared.thumbnails = (input, options, call) => {
  watchStreams([input]);
  return perform(call, async (context) => {
    const { takeThumbnails } = await import('./work/take-thumbnails.js');
    return takeThumbnails(input, options, context);
  });
};

/** Changes what all later calls in this process use. */
export const configure: typeof declared.configure = (configuration) => changeConfiguration(configuration);

/** How long a call that was cancelled is awaited. Its cleanup has two seconds. */
const maxEndMs = 2900;

/** Calls `work` with a signal that follows that of the call. Rejects with the reason of the signal, or with an error. */
async function perform<T>(
  call: declared.CallOptions | undefined,
  work: (context: CallContext) => Promise<T>,
): Promise<T> {
  const given = call?.signal;
  if (given !== undefined && typeof given?.addEventListener !== 'function')
    throw new InvalidRequestError('signal must be an AbortSignal.', {
      ...{ code: 'invalid_request', field: 'signal' },
      hint: 'pass controller.signal of an AbortController',
    });
  const ended = new AbortController();
  const cancel = () => ended.abort(given?.reason);
  given?.addEventListener('abort', cancel, { once: true });
  if (given?.aborted === true) cancel();
  let timer: NodeJS.Timeout | undefined;
  const lateEnd = new Promise<never>((_, reject) => {
    ended.signal.addEventListener('abort', () => {
      timer = setTimeout(() => reject(ended.signal.reason), maxEndMs);
    });
  });
  lateEnd.catch(() => undefined);
  try {
    ended.signal.throwIfAborted();
    const working = work({
      signal: ended.signal,
      turns,
      programs: configuredPrograms(),
      cwd: currentFolder(),
    });
    return await Promise.race([working, lateEnd]);
  } catch (error) {
    if (ended.signal.aborted) throw ended.signal.reason;
    throw toPublicError(error);
  } finally {
    clearTimeout(timer);
    given?.removeEventListener('abort', cancel);
  }
}

const ignore = () => undefined;

/**
 * Listens to the errors of streams of Node.js from the start of a call, because an error without a listener ends the
 * process. A stream keeps its error for those who read or write it later.
 */
function watchStreams(values: readonly unknown[]): void {
  for (const value of values)
    if (typeof value === 'object' && value !== null && 'on' in value && typeof value.on === 'function')
      value.on('error', ignore);
}

/** The current folder; empty if it was removed, which is an error for relative paths only. */
function currentFolder(): string {
  try {
    return process.cwd();
  } catch {
    return '';
  }
}

/** Runs a step now. The function that it returns throws its error. */
function attempt(step: () => void): () => void {
  try {
    step();
    return () => undefined;
  } catch (error) {
    return () => {
      throw error;
    };
  }
}
