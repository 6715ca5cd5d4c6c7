/** How a bitrate was met: what was asked for, what the encoder was told, what came out, all in Kbps, and how long it lasts. */
export interface RateMet {
  readonly askedKbps: number;
  readonly toldKbps: number;
  readonly foundKbps: number;
  readonly seconds: number;
  /** `bitrate_cap`: no encoder is told more. Null where there is none. */
  readonly capKbps: number | null;
}

/** A bitrate is met when it is missed by no more than that share of it. */
const tolerance = 0.1;
/** Encoders that miss stay within a half; what falls further short is easy, and has no use for more. */
const leastOfHard = 0.5;
/** A film this long is missed from below by being easy, never by a rate control that had no time. */
const longestShortClipSeconds = 120;
/** Encoders are told no less and no more than these shares of what was asked for. */
const bounds = { least: 0.25, most: 2 } as const;

/** By how much a bitrate is missed, as a share of it. */
export function missOf({ askedKbps, foundKbps }: Pick<RateMet, 'askedKbps' | 'foundKbps'>): number {
  return Math.abs(foundKbps / askedKbps - 1);
}

/**
 * The bitrate to tell the encoder instead, in Kbps, where another second pass can bring the file nearer to the one that was asked for;
 * null where it is met, or where that is not worth its time. Too much is corrected at any length: somebody counts on the size. Too
 * little is corrected in clips of up to two minutes that reached half of it: four seconds of testsrc2 at 4000 Kbps came out of x264 with
 * 1039 and two of grey with 6, since there was no more to encode, and a film of an hour falls short for that reason alone. Measured with two
 * seconds of noise at 160x120: Theora gave 521 Kbps of 300 and 1400 of 800, and 327 and 797 after this.
 *
 * `other` is another try, null where there is none yet: what was asked for is sought between two tries that missed it on either
 * side. SVT-AV1 gave 746 Kbps of that noise for 300 and 122 for 121. Pure.
 */
export function correctedKbps(met: RateMet, other: RateMet | null = null): number | null {
  const { askedKbps, toldKbps, foundKbps, seconds, capKbps } = met;
  if (!(foundKbps > 0) || missOf(met) <= tolerance) return null;
  const isBetween = other !== null && areAround(met, other);
  const isShort = foundKbps < askedKbps;
  if (!isBetween && isShort && (foundKbps < askedKbps * leastOfHard || seconds > longestShortClipSeconds)) {
    return null;
  }
  const most = Math.min(askedKbps * bounds.most, capKbps ?? Number.POSITIVE_INFINITY);
  const wanted = isBetween ? between(met, other) : (toldKbps * askedKbps) / foundKbps;
  const next = Math.max(1, Math.round(Math.min(most, Math.max(askedKbps * bounds.least, wanted))));
  return next === toldKbps || next === other?.toldKbps ? null : next;
}

/** Whether what was asked for lies between what two tries gave, and they were told accordingly. */
export function areAround(one: RateMet, other: RateMet): boolean {
  const [low, high] = one.foundKbps < other.foundKbps ? [one, other] : [other, one];
  const { askedKbps } = one;
  return low.foundKbps < askedKbps && askedKbps < high.foundKbps && low.toldKbps < high.toldKbps;
}

/** What is told in between, as if what is found were a power of it. */
function between(one: RateMet, other: RateMet): number {
  const share = Math.log(one.askedKbps / one.foundKbps) / Math.log(other.foundKbps / one.foundKbps);
  return one.toldKbps * (other.toldKbps / one.toldKbps) ** share;
}

/** Whether a correction did so much that one more may help: an encoder at the end of what it can do stays where it is. */
export function helped(before: RateMet, after: RateMet): boolean {
  return missOf(after) <= missOf(before) * 0.7;
}
