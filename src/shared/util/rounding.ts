/** A number with at most two decimals, as answers give percentages and frame rates. */
export function roundToHundredths(value: number): number {
  return Math.round(value * 100) / 100;
}
