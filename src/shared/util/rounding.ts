/** Rounds a number to two decimals, for percentages and frame rates in responses. */
export function roundToHundredths(value: number): number {
  return Math.round(value * 100) / 100;
}
