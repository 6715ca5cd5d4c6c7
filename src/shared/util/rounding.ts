/** A number with at most two decimals, as answers give percentages and frame rates. */
export function hundredths(value: number): number {
  return Math.round(value * 100) / 100;
}
