import type { LadderPointRecord } from '../../src/shared/records.js';
import type { OutputSettings } from '../../src/shared/settings/index.js';
import { defaultLadderTarget, ladderDefaults } from '../../src/shared/settings/ladders.js';
import { isPlaylist } from '../../src/shared/settings/playlists.js';
import { isFinal } from '../../src/shared/states.js';
import type { Job, JobOutput, LadderOptions } from './job.js';
import { skippedBecause } from './skip-rules.js';

/** The outputs of a job that are renditions of its ladder and have not ended. */
export function renditionsToMake({ outputs }: Pick<Job, 'outputs'>): readonly JobOutput[] {
  return outputs.filter(({ state, settings }) => numberOf(settings) !== null && !isFinal(state));
}

/** Whether a rendition of a ladder was chosen for the output. */
export function isChosen({ requested }: Pick<JobOutput, 'requested'>): boolean {
  return requested !== undefined;
}

/** The number of the rendition that an output has, from 1, the lowest; null if it is none of a ladder. */
function numberOf({ dynamic_profile_rendition: number }: OutputSettings): number | null {
  return number ?? null;
}

/** The score that the best rendition is to have. */
export function targetOfLadder(renditions: readonly Pick<JobOutput, 'settings'>[]): number {
  const targets = renditions.flatMap(({ settings: { quality_target: target } }) => target ?? []);
  return targets.length === 0 ? defaultLadderTarget : Math.max(...targets);
}

/** The settings of a rendition to try sizes and factors with: only its video, compared with the film. */
export function trialSettings(settings: OutputSettings, height: number | null): OutputSettings {
  const { thumbnails: _thumbnails, label: _label, ...video } = settings;
  return {
    ...video,
    ...(height === null ? {} : { height }),
    ...{ quality_reference: 'source', skip_audio: true },
  };
}

/**
 * The job with the ladder that was chosen: each rendition that has not ended gets its height, its factor and its
 * highest bitrate. Those that the ladder lacks get `skip`. Playlists get the points for their records.
 */
export function withLadder(
  job: Job,
  points: readonly LadderPointRecord[],
  skip: (output: JobOutput, reason: string) => JobOutput,
): Job {
  const { options = {} } = job.ladder ?? {};
  const count = points.filter(({ rendition }) => rendition !== null).length;
  const reason =
    count === 0
      ? 'the input has no video for a ladder'
      : `the ladder for this film has ${count} ${count === 1 ? 'rendition' : 'renditions'}`;
  return {
    ...job,
    ladder: { options, points },
    outputs: job.outputs.map((output) => {
      if (isFinal(output.state)) return output;
      if (isPlaylist(output.settings)) return { ...output, hull: points };
      const number = numberOf(output.settings);
      if (number === null || isChosen(output)) return output;
      const point = points.find(({ rendition }) => rendition === number);
      if (point === undefined) return skip(output, skippedBecause(reason));
      return { ...output, settings: withPoint(output.settings, point, options), requested: output.settings };
    }),
  };
}

function withPoint(
  settings: OutputSettings,
  { height, crf, kbps }: LadderPointRecord,
  options: LadderOptions,
): OutputSettings {
  const { quality_target: _target, quality_check: check = 'full', ...given } = settings;
  const {
    bitrate_cap_to_bitrate_ratio: capRatio,
    buffer_size_to_bitrate_ratio: bufferRatio,
    bitrate_cap_offset = 0,
    buffer_size_offset = 0,
  } = { ...ladderDefaults, ...options };
  const cap = Math.round(kbps * capRatio + bitrate_cap_offset);
  return {
    ...given,
    ...{ height, crf },
    bitrate_cap: Math.max(1, cap),
    buffer_size: Math.max(1, Math.round(kbps * bufferRatio + buffer_size_offset)),
    ...(check === 'none' ? {} : { quality_check: check, measure_quality: true }),
  };
}

/**
 * The job without the ladder that was chosen, because its input may have changed. It is kept if a rendition is finished,
 * so that all have the same one.
 */
export function withoutLadder(job: Job): Job {
  const { ladder } = job;
  const isKept = job.outputs.some((output) => isChosen(output) && output.state === 'finished');
  if (ladder === undefined || isKept) return job;
  return {
    ...job,
    ladder: { options: ladder.options },
    outputs: job.outputs.map(({ hull: _hull, requested, ...output }) =>
      requested === undefined ? output : { ...output, settings: requested },
    ),
  };
}
