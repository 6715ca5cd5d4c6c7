import type { Ratio } from '../../jobs/media.js';

/** The rates of television that are a thousandth below a whole number: what 23.976, 29.97 and 59.94 are short for. */
const broadcastRates = [12, 15, 24, 30, 48, 60, 120, 240] as const;
/** How far a written rate may be from one of those: 23.98 is meant for 23.976. */
const broadcastTolerance = 0.0045;
/** Other rates are kept to this part of a frame a second. */
const finestTimeBase = 100_000;

/** A frame rate that was given as a number, as the fraction it stands for: 29.97 is 30000/1001, 12.5 is 25/2. */
export function rateOf(framesPerSecond: number): Ratio {
  if (Number.isInteger(framesPerSecond)) return { numerator: framesPerSecond, denominator: 1 };
  const wholeRate = broadcastRates.find(
    (rate) => Math.abs((rate * 1000) / 1001 - framesPerSecond) < broadcastTolerance,
  );
  if (wholeRate !== undefined) return { numerator: wholeRate * 1000, denominator: 1001 };
  return reduced({ numerator: Math.round(framesPerSecond * finestTimeBase), denominator: finestTimeBase });
}

/** A frame rate divided by a number. */
export function dividedRate({ numerator, denominator }: Ratio, divisor: number): Ratio {
  if (divisor === 1) return { numerator, denominator };
  if (Number.isInteger(divisor)) return reduced({ numerator, denominator: denominator * divisor });
  return reduced({ numerator: numerator * 1000, denominator: denominator * Math.round(divisor * 1000) });
}

/** Whether a rate is above another by more than what writing it down costs. */
export function isHigher(rate: Ratio, b: Ratio): boolean {
  return perSecond(rate) > perSecond(b) * 1.000_01;
}

/** Frames a second. */
export function perSecond({ numerator, denominator }: Ratio): number {
  return numerator / denominator;
}

function reduced({ numerator, denominator }: Ratio): Ratio {
  const common = greatestCommonDivisor(numerator, denominator);
  return { numerator: numerator / common, denominator: denominator / common };
}

function greatestCommonDivisor(a: number, b: number): number {
  return b === 0 ? a : greatestCommonDivisor(b, a % b);
}
