/** Seconds as ffmpeg reads them: decimal, to the microsecond, without an exponent. */
export function secondsArgument(seconds: number): string {
  return seconds.toFixed(6).replace(/\.?0+$/, '');
}
