import { setMaxListeners } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { backoffDelayMs } from '../../../src/shared/util/backoff.js';
import type { Trouble } from '../../transfer/transfer-error.js';
import type { Stretch, Stretches } from './stretches.js';

/** How the bringing of a stretch ended. */
export type Fetched =
  | { readonly type: 'done' }
  | { readonly type: 'changed' }
  | { readonly type: 'unsound' }
  | {
      readonly type: 'trouble';
      readonly trouble: Trouble;
      /** Whether a server said no, for now or for good. */
      readonly isRefusal: boolean;
    };

/** What a crew works with. */
export interface CrewParts {
  readonly signal: AbortSignal;
  readonly retryDelayMs: number;
  readonly mostDelayMs: number;
  /** How long the rest must take, in seconds, and how large it must be, for more than one connection. */
  readonly worthSeconds: number;
  readonly leastBytes: number;
  /** How the file is divided; null before it was answered for. */
  readonly stretches: () => Stretches | null;
  /** How many connections there may be now. */
  readonly limit: () => number;
  readonly lowerLimit: (limit: number) => void;
  /** Whether the server was seen to give parts. */
  readonly isProven: () => boolean;
  /** Brings a stretch and releases it; null for all of a file of which nothing is known yet. */
  readonly fetch: (stretch: Stretch | null, signal: AbortSignal) => Promise<Fetched>;
  /** Nothing that came is of use. */
  readonly forget: (why: 'changed' | 'unsound') => Trouble;
  /** The server is not to be asked for parts any more. */
  readonly withoutParts: () => void;
}

type Failed = Extract<Fetched, { type: 'trouble' }>;

/** How often it is looked whether another connection is worth it, in milliseconds. */
const lookMs = 50;
/** Failures in a row without a byte, after which a connection is left alone as long as there are others. */
const maxFailures = 3;

/**
 * Brings a file over one connection, and over more where the rest would take long: first one that proves that the server gives
 * parts, then as many as there may be. A connection that fails leaves its part to the others and tries again; one that is refused makes
 * them fewer. Null when the file is whole; the last trouble where no connection is left that brings anything. All is settled then.
 */
export function crewOf(parts: CrewParts): Promise<Trouble | null> {
  return new Crew(parts).run();
}

class Crew {
  readonly #over = new AbortController();
  readonly #signal: AbortSignal;
  readonly #members = new Set<Promise<void>>();
  #busy = 0;
  #hired = 0;
  #verdict: Trouble | null = null;
  #fault: { readonly error: unknown } | null = null;

  constructor(private readonly parts: CrewParts) {
    this.#signal = AbortSignal.any([parts.signal, this.#over.signal]);
    // Each of up to 25 connections may wait: Node takes more than ten for a leak.
    setMaxListeners(0, this.#signal);
  }

  async run(): Promise<Trouble | null> {
    this.#hire();
    const timer = setInterval(() => this.#look(), lookMs);
    try {
      while (this.#members.size > 0) await Promise.all(this.#members);
    } finally {
      clearInterval(timer);
    }
    if (this.#fault !== null) throw this.#fault.error;
    return this.#verdict;
  }

  #hire(): void {
    this.#hired += 1;
    const member = this.#work()
      .catch((error: unknown) => {
        if (this.#over.signal.aborted) return;
        this.#fault = { error };
        this.#over.abort();
      })
      .finally(() => this.#members.delete(member));
    this.#members.add(member);
  }

  /** Hires where it is worth it. */
  #look(): void {
    const { stretches, limit, isProven, leastBytes, worthSeconds } = this.parts;
    const all = stretches();
    if (all === null || this.#over.signal.aborted || this.#members.size >= limit()) return;
    if (!all.isDivided) {
      if (all.restBytes < 2 * leastBytes || all.secondsLeft < worthSeconds) return;
      all.divide();
      this.#hire();
    }
    if (!isProven()) return;
    while (this.#members.size < limit()) this.#hire();
  }

  async #work(): Promise<void> {
    const { stretches, fetch } = this.parts;
    let failures = 0;
    let speed: number | null = null;
    let hasBrought = false;
    while (!this.#signal.aborted) {
      const all = stretches();
      if (all?.isWhole === true) return this.#end(null);
      const stretch: Stretch | null = all?.take(speed) ?? null;
      if (all !== null && stretch === null) {
        // Another connection has the last part: it may fail yet, or turn out to be slow.
        await sleep(lookMs, undefined, { signal: this.#signal });
        continue;
      }
      const from = stretch?.at ?? 0;
      const began = performance.now();
      this.#busy += 1;
      const fetched: Fetched = await fetch(stretch, this.#signal).finally(() => {
        this.#busy -= 1;
      });
      const moved: number = (stretch?.at ?? 0) - from;
      const isForward = moved > 0;
      if (isForward) speed = moved / ((performance.now() - began) / 1_000);
      hasBrought ||= isForward || fetched.type === 'done';
      if (fetched.type === 'done') failures = 0;
      else if (fetched.type !== 'trouble') {
        if (!this.#goesOnWithoutParts(fetched.type)) this.#end(this.parts.forget(fetched.type));
        return;
      } else {
        failures = isForward ? 1 : failures + 1;
        if (this.#busy === 0) return this.#end(this.#softened(fetched));
        if (this.#isLeft(fetched.isRefusal, hasBrought, failures)) return;
        await this.#pause(fetched.trouble, failures);
      }
    }
  }

  /** Whether a server without parts can bring all of it over the connection that there was first. */
  #goesOnWithoutParts(why: 'changed' | 'unsound'): boolean {
    const { stretches, isProven, withoutParts } = this.parts;
    if (why !== 'unsound' || isProven() || this.#busy !== 1) return false;
    withoutParts();
    return stretches()?.unite() === true;
  }

  /** Whether a connection that failed is not tried again as long as there are others. */
  #isLeft(isRefusal: boolean, hasBrought: boolean, failures: number): boolean {
    const { isProven, lowerLimit, stretches } = this.parts;
    const isUnwanted = isRefusal && !hasBrought;
    if (!isUnwanted && failures < maxFailures) return false;
    if (isRefusal || !isProven()) lowerLimit(this.#members.size - 1);
    if (!isProven()) stretches()?.unite();
    return true;
  }

  /** What is refused for good to one of several connections may yet be given to a single one. */
  #softened({ trouble, isRefusal }: Failed): Trouble {
    if (!isRefusal || trouble.kind !== 'final' || this.#hired < 2) return trouble;
    this.parts.lowerLimit(1);
    return { ...trouble, kind: 'passing' };
  }

  async #pause({ retryAfterMs }: Trouble, failures: number): Promise<void> {
    const { retryDelayMs, mostDelayMs } = this.parts;
    const ms = Math.min(
      Math.max(retryAfterMs ?? 0, backoffDelayMs(failures, { firstMs: retryDelayMs, maxMs: mostDelayMs })),
      mostDelayMs,
    );
    await sleep(ms, undefined, { signal: this.#signal });
  }

  #end(verdict: Trouble | null): void {
    if (this.#over.signal.aborted) return;
    this.#verdict = verdict;
    this.#over.abort();
  }
}
