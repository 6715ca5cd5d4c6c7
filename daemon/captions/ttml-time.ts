/*
 * Times of TTML 1 (section 10): expressions such as `00:00:01:12` and `1.5s`, and what they count from. The times of an
 * element count from the start of its parent, or in a sequence from the end of the previous element.
 */

/** The clock of a document: attributes `ttp:frameRate`, `ttp:frameRateMultiplier` and `ttp:tickRate`. */
export interface Clock {
  readonly frameRate: number;
  readonly tickRate: number;
}

/** The clock that the attributes of `tt` describe. */
export function clockOf(attributes: ReadonlyMap<string, string>): Clock {
  const [numerator = 1, denominator = 1] = (attributes.get('frameRateMultiplier') ?? '1 1')
    .split(/[ :]+/)
    .map(Number);
  const given = attributes.get('frameRate');
  const frameRate = (Number(given ?? 30) * numerator) / denominator;
  const tickRate = Number(attributes.get('tickRate') ?? (given === undefined ? 1 : frameRate));
  return { frameRate: frameRate > 0 ? frameRate : 30, tickRate: tickRate > 0 ? tickRate : 1 };
}

/** A time expression (TTML 1, section 10.3.1) in milliseconds; null if it is invalid. */
export function millisecondsOf(text: string, { frameRate, tickRate }: Clock): number | null {
  const clock = /^(\d{2,}):([0-5]\d):([0-5]\d|60)(?:\.(\d+)|:(\d{2,})(?:\.\d+)?)?$/.exec(text);
  if (clock !== null) {
    const [, hours, minutes, seconds, fraction, frames = '0'] = clock;
    const whole = (Number(hours) * 60 + Number(minutes)) * 60 + Number(seconds);
    return Math.round((whole + Number(`0.${fraction ?? 0}`) + Number(frames) / frameRate) * 1000);
  }
  const [, amount, unit = ''] = /^(\d+(?:\.\d+)?)(h|ms|m|s|f|t)$/.exec(text) ?? [];
  if (amount === undefined) return null;
  const seconds = { h: 3600, m: 60, s: 1, ms: 0.001, f: 1 / frameRate, t: 1 / tickRate }[unit] ?? 0;
  return Math.round(Number(amount) * seconds * 1000);
}

/** When an element is shown, in milliseconds from the start of the video. */
export interface Timing {
  readonly startMs: number;
  /** Infinite if neither the element nor one around it says when it ends. */
  readonly endMs: number;
  /** Whether the element says itself when it ends. */
  readonly hasEnd: boolean;
  /** Whether its children are shown one after the other (`timeContainer="seq"`). */
  readonly isSequence: boolean;
  /** When its children that have ended so far end: the last one of a sequence, otherwise the latest. */
  reachedMs: number;
}

/** The timing of a whole document. */
export function documentTiming(): Timing {
  return {
    ...{ startMs: 0, endMs: Number.POSITIVE_INFINITY, hasEnd: false },
    ...{ isSequence: false, reachedMs: 0 },
  };
}

/** The timing of an element with the given times, each in milliseconds if it is present. */
export function timingWithin(
  parent: Timing,
  times: {
    readonly begin?: number | undefined;
    readonly end?: number | undefined;
    readonly duration?: number | undefined;
    readonly isSequence: boolean;
  },
): Timing {
  const { begin = 0, end, duration, isSequence } = times;
  const origin = parent.isSequence ? parent.reachedMs : parent.startMs;
  const startMs = origin + begin;
  const ends = [
    parent.endMs,
    ...(end === undefined ? [] : [origin + end]),
    ...(duration === undefined ? [] : [startMs + duration]),
  ];
  return { startMs, endMs: Math.min(...ends), hasEnd: ends.length > 1, isSequence, reachedMs: startMs };
}

/** Ends an element: in a sequence, the next one begins where it ends. */
export function endTiming(parent: Timing, { hasEnd, endMs, reachedMs }: Timing): void {
  const end = hasEnd ? endMs : reachedMs;
  parent.reachedMs = parent.isSequence ? end : Math.max(parent.reachedMs, end);
}
