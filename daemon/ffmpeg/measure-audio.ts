import type { AudioMeasurement, Loudness, MeasuredAudio } from '../plan/decide/normalization.js';

/**
 * Reads what was measured from the log of ffmpeg. The value is null for silence, and for audio without samples, of which ffmpeg 7 reports
 * nothing.
 */
export function readMeasurement(measurement: AudioMeasurement, log: string): MeasuredAudio {
  return { [measurement]: measurement === 'loudness' ? readLoudness(log) : readPeak(log) };
}

/** Below this level in dB, audio counts as silent. Builds of 2018 report -6153 dB for samples of 0. */
const silenceDb = -120;
/** The loudness of silence. */
const silenceLufs = -70;

/** `astats` reports the peak of each channel, and then that of all. */
function readPeak(log: string): number | null {
  const peaks = [...log.matchAll(/Peak level dB: (\S+)/g)];
  const peak = Number.parseFloat(peaks.at(-1)?.[1] ?? '');
  return Number.isFinite(peak) && peak > silenceDb ? peak : null;
}

/** `ebur128` reports a summary. Less than the 0.4 seconds that it needs is the same as silence. */
function readLoudness(log: string): Loudness | null {
  const summary = log.slice(log.lastIndexOf('Integrated loudness:'));
  const number = (pattern: RegExp): number => Number.parseFloat(pattern.exec(summary)?.[1] ?? '');
  const integratedLufs = number(/\bI:\s+(\S+) LUFS/);
  const truePeakDb = number(/\bPeak:\s+(\S+) dBFS/);
  const thresholdLufs = number(/\bThreshold:\s+(\S+) LUFS/);
  const isLoud =
    integratedLufs > silenceLufs && Number.isFinite(truePeakDb) && Number.isFinite(thresholdLufs);
  return isLoud ? { integratedLufs, truePeakDb, thresholdLufs } : null;
}
