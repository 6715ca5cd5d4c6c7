import { type AudioDecision, type Decision, encodedAudio } from '../decide/decisions.js';
import type { Capabilities, PlannedMeasurement, PlanPaths } from '../plan-types.js';
import { mixingFilters } from './audio.js';
import { filtersBefore } from './audio-effects.js';
import { audioFileArgs, audioInputs, inputArgs, joinedLabel, repackArgs, secondsArgument } from './input.js';
import { joinedGraph } from './joined-audio.js';
import { skipOf } from './output.js';

/** `framelog` leaves only the summary in the log. */
const loudnessMeter = 'ebur128=peak=true:framelog=verbose';
/**
 * What to measure in the audio of an output before it is encoded: nothing or one value for each track. The audio passes the same
 * filters as when it is encoded, up to that point, and only the part that the output has is measured. Peaks are
 * measured in floats: the samples of `volumedetect` are integers, and hide how far a boosted tone exceeds full scale
 * (3.4 dB above it came out as 0). The loudness that `loudnorm` measures itself is 0.5 LU too high for audio that is 12
 * dB quieter in one half; `ebur128` is exact.
 */
export function measurementsOf(
  decision: Decision,
  paths: PlanPaths,
  capabilities: Capabilities,
): readonly PlannedMeasurement[] {
  return encodedAudio(decision).flatMap((audio) => measurementOf(decision, audio, paths, capabilities));
}

function measurementOf(
  decision: Decision,
  audio: AudioDecision,
  paths: PlanPaths,
  capabilities: Capabilities,
): readonly PlannedMeasurement[] {
  const { outputId, clip } = decision;
  const { repack, streamIndex } = audio;
  const measurement = audio.effects.normalization.missing;
  if (measurement === null) return [];
  const from = skipOf(decision).seconds;
  const to = clip.lengthSeconds === null ? [] : [`end=${secondsArgument(from + clip.lengthSeconds)}`];
  const filters = [
    ...mixingFilters(audio, capabilities),
    ...filtersBefore(measurement, audio),
    `atrim=${[`start=${secondsArgument(from)}`, ...to].join(':')}`,
    measurement === 'loudness' ? loudnessMeter : 'astats',
  ];
  const run = [
    ...(audio.joined === undefined
      ? oneStream(decision, audio, filters, paths)
      : [
          ...[...inputArgs(paths, clip, null), ...audioInputs([decision], paths).args.flat()],
          ...['-filter_complex', joinedGraph(decision, audio, filters, paths, capabilities)],
          ...['-map', joinedLabel],
        ]),
    ...['-f', 'null', '-'],
  ];
  const before = repack === null ? [] : [repackArgs(decision, audio, paths)];
  return [{ outputId, streamIndex, measurement, runs: [...before, run] }];
}

function oneStream(
  decision: Decision,
  audio: AudioDecision,
  filters: readonly string[],
  paths: PlanPaths,
): readonly string[] {
  const audioFile = audioFileArgs(decision, audio, paths);
  return [
    ...(audioFile ?? inputArgs(paths, decision.clip, null)),
    ...['-map', audioFile === null ? `0:${audio.streamIndex}` : '0:0'],
    ...['-af', filters.join(',')],
  ];
}
