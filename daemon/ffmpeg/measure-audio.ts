import type { AudioMeasurement, Loudness, MeasuredAudio } from '../plan/decide/normalization.js';

/** Reads what was measured from the log of ffmpeg; null if the log does not have it. */
export function readMeasurement(measurement: AudioMeasurement, log: string): MeasuredAudio | null {
  const value = measurement === 'loudness' ? readLoudness(log) : readPeak(log);
  return value === undefined ? null : { [measurement]: value };
}

/** Below this level in dB, audio counts as silent. Builds of 2018 report -6153 dB for samples of 0. */
const silenceDb = -120;
/** The loudness of silence. */
const silenceLufs = -70;

/** `astats` reports the peak of each channel, and then that of all. Null for silence, undefined if it is missing. */
function readPeak(log: string): number | null | undefined {
  const peaks = [...log.matchAll(/Peak level dB: (\S+)/g)];
  const text = peaks.at(-1)?.[1];
  if (text === undefined) return undefined;
  const peak = Number.parseFloat(text);
  return Number.isFinite(peak) && peak > silenceDb ? peak : null;
}

/** `ebur128` reports a summary. Null for silence or less than the 0.4 seconds that it needs, undefined if it is missing. */
function readLoudness(log: string): Loudness | null | undefined {
  const summary = log.slice(log.lastIndexOf('Integrated loudness:'));
  const number = (pattern: RegExp): number => Number.parseFloat(pattern.exec(summary)?.[1] ?? '');
  const integratedLufs = number(/\bI:\s+(\S+) LUFS/);
  if (Number.isNaN(integratedLufs)) return undefined;
  const truePeakDb = number(/\bPeak:\s+(\S+) dBFS/);
  if (integratedLufs <= silenceLufs || !Number.isFinite(truePeakDb)) return null;
  return { integratedLufs, truePeakDb, thresholdLufs: number(/\bThreshold:\s+(\S+) LUFS/) };
}
