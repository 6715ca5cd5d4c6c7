import { isVencError, VencError } from '../shared/errors.js';
import { exitCodes } from '../shared/exit-codes.js';
import type { Client } from './client.js';
import { pause } from './pause.js';
import type { Pace } from './polling-schedule.js';

/** What is told of an outage: once when it begins, and once when it is over. */
export type OutageEvent =
  | { readonly type: 'unreachable'; readonly error: VencError }
  | { readonly type: 'back' };

/** How to ask. */
export interface PatienceOptions {
  readonly client: Pick<Client, 'relocate'>;
  readonly pace: Pace;
  readonly signal: AbortSignal | undefined;
  /** The service answered a moment ago: an outage at the first question is waited out as well. */
  readonly isKnownReachable: boolean;
  /** How time passes, for tests. */
  readonly wait?: typeof pause;
}

/** Longest time for which a service is left alone because it asks for that: it may be there again long before. */
const longestWaitSeconds = 60;

/** Puts one question, when its turn has come. */
export type Patiently = <T>(question: () => Promise<T>) => AsyncGenerator<OutageEvent, T, undefined>;

/**
 * Puts questions to a service and waits outages out. Throws what cannot pass: a refusal, a service that never answered, and the
 * signal's own reason (`InterruptedError` where that is none of ours).
 */
export function createPatience({
  client,
  pace,
  signal,
  isKnownReachable,
  wait = pause,
}: PatienceOptions): Patiently {
  let hasAnswered = isKnownReachable;
  let isLost = false;
  return async function* patiently(question) {
    for (;;) {
      try {
        await pace.turn(signal);
        const answer = await question();
        hasAnswered = true;
        if (isLost) yield { type: 'back' };
        isLost = false;
        return answer;
      } catch (error) {
        if (signal?.aborted === true) throw endOf(signal);
        if (!hasAnswered || !isVencError(error) || error.entry.exitCode !== exitCodes.unreachable)
          throw error;
        if (!isLost) yield { type: 'unreachable', error };
        isLost = true;
        pace.note(false);
        await leaveAlone(error, wait, signal);
        await client.relocate();
      }
    }
  };
}

/** Heeds `Retry-After`: a service that limits its callers may shut out who asks before. */
async function leaveAlone(
  error: VencError,
  wait: typeof pause,
  signal: AbortSignal | undefined,
): Promise<void> {
  const seconds = Math.min(error.retryAfterSeconds ?? 0, longestWaitSeconds);
  try {
    if (seconds > 0) await wait(seconds * 1000, signal);
  } catch (reason) {
    throw signal?.aborted === true ? endOf(signal) : reason;
  }
}

/** The error that an aborted signal ends work with: its own reason, `InterruptedError` where that is none of ours. */
export function endOf(signal: AbortSignal): VencError {
  return isVencError(signal.reason) ? signal.reason : new VencError('InterruptedError', 'Interrupted.');
}
