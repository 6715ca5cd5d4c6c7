import { limitSignal } from '../../../src/shared/util/freezer.js';
import { LineReader } from '../../../src/shared/util/line-reader.js';
import type { Ratio, VideoFacts } from '../../jobs/media.js';
import type { Binary } from '../ffmpeg-types.js';
import { entryArgs, launchFfprobe, type ProbeSettings } from './run-ffprobe.js';

/** The times of frames are compared when there are this many, and whenever their number has doubled. */
const firstCheck = 64;

/**
 * Implements `Ffmpeg.measureConstantRate`. Measured: 2.6 s of processor time for a Matroska file of two hours and 3.7
 * GB, and 0.08 s for a short one. A video with a variable rate is read until 64 frames show it.
 */
export async function measureConstantRate(
  ffprobe: Binary,
  path: string,
  { streamIndex, frameRate, codec }: VideoFacts,
  settings: ProbeSettings,
  signal: AbortSignal | undefined,
): Promise<Ratio | null> {
  const args = entryArgs('packet=pts,pts_time,dts,dts_time', streamIndex);
  const stopReading = new AbortController();
  const limit = limitSignal(settings.seconds * 1000);
  const times: FrameTime[] = [];
  let candidates: readonly Ratio[] = [...standardRates, ...(frameRate === null ? [] : [frameRate])];
  let nextCheck = firstCheck;
  const check = () => {
    candidates = fittingRates(times, candidates, codec);
    if (candidates.length === 0) stopReading.abort();
  };
  const reader = new LineReader((line) => {
    const time = timeOf(line);
    if (time === null) stopReading.abort();
    else times.push(time);
    if (times.length < nextCheck) return;
    nextCheck *= 2;
    check();
  });
  const exit = await launchFfprobe(ffprobe, args, path, {
    settings,
    signal: AbortSignal.any([stopReading.signal, limit, ...(signal === undefined ? [] : [signal])]),
    onStdout: (text) => reader.add(text),
  });
  if (stopReading.signal.aborted || exit.exitCode !== 0) return null;
  check();
  return chosenRate(candidates, frameRate);
}

/**
 * The time at which a frame is displayed; that at which it is decoded, if the file has only that, as ASF with H.264.
 */
function timeOf(line: string): FrameTime | null {
  const [tick = Number.NaN, seconds = Number.NaN, decodingTick = Number.NaN, decodingSeconds = Number.NaN] =
    line.split(',').map(Number.parseFloat);
  if (Number.isFinite(tick + seconds)) return { tick, seconds };
  return Number.isFinite(decodingTick + decodingSeconds)
    ? { tick: decodingTick, seconds: decodingSeconds }
    : null;
}

/** The time of a frame in the clock of the file, and in seconds. */
export interface FrameTime {
  readonly tick: number;
  readonly seconds: number;
}

/** Whole rates up to 240, the broadcast rates below them, and the half rate of PAL. */
const standardRates: readonly Ratio[] = [
  ...Array.from({ length: 240 }, (_, at) => ({ numerator: at + 1, denominator: 1 })),
  ...Array.from({ length: 240 }, (_, at) => ({ numerator: (at + 1) * 1000, denominator: 1001 })),
  { numerator: 25, denominator: 2 },
];

/**
 * Times are rounded to milliseconds, or to the clock of the file, if that is coarser: QuickTime often counts 600 in a
 * second.
 */
const clockSeconds = { min: 0.001, max: 0.002 } as const;
/** A time may be rounded more than once: to a clock of 90,000 in a second before it was rounded to milliseconds. */
const otherClocksSeconds = 0.0001;

/**
 * The rates at which frames with these times may have been recorded: all times are those of multiples of a frame,
 * rounded, and at least half of the frames follow the one before without a gap. Packets are in the order of decoding.
 * Those of VP8 may have hidden frames, which share the time of another one.
 */
export function fittingRates(
  unordered: readonly FrameTime[],
  rates: readonly Ratio[],
  codec: string,
): readonly Ratio[] {
  // The last packets may be ahead of frames that follow.
  const times = unordered.toSorted((a, b) => a.seconds - b.seconds);
  const [first, last] = [times[0], times.at(-1)];
  if (first === undefined || last === undefined || last.tick === first.tick) return [];
  const tickSeconds = (last.seconds - first.seconds) / (last.tick - first.tick);
  const spread = Math.min(clockSeconds.max, Math.max(clockSeconds.min, tickSeconds)) + otherClocksSeconds;
  const mayRepeat = codec === 'vp8';
  return rates.filter(({ numerator, denominator }) => {
    let [earliest, latest, previousFrame, neighbours, steps] = [0, 0, 0, 0, 0];
    for (const { seconds } of times.slice(1)) {
      const frames = ((seconds - first.seconds) * numerator) / denominator;
      const frame = Math.round(frames);
      const offBy = ((frames - frame) * denominator) / numerator;
      earliest = Math.min(earliest, offBy);
      latest = Math.max(latest, offBy);
      if (latest - earliest > spread || (frame === previousFrame && !mayRepeat)) return false;
      if (frame !== previousFrame) steps += 1;
      if (frame === previousFrame + 1) neighbours += 1;
      previousFrame = frame;
    }
    return neighbours * 2 > steps;
  });
}

/**
 * Of rates that fit, the standard one that is closest to the declared one: a short file may fit 23.976 as well as 24.
 */
export function chosenRate(fitting: readonly Ratio[], declared: Ratio | null): Ratio | null {
  const standard = fitting.filter((rate) => rate !== declared);
  const candidates = standard.length > 0 ? standard : fitting;
  const distance = ({ numerator, denominator }: Ratio) =>
    declared === null
      ? 0
      : Math.abs(numerator / denominator / (declared.numerator / declared.denominator) - 1);
  return candidates.toSorted((a, b) => distance(a) - distance(b))[0] ?? null;
}
