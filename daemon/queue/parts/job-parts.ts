import { isCaptions } from '../../../src/shared/settings/captions.js';
import type { OutputSettings } from '../../../src/shared/settings/index.js';
import { isPlaylist } from '../../../src/shared/settings/playlists.js';
import { isMeasured } from '../../../src/shared/settings/quality.js';
import { isSegmented } from '../../../src/shared/settings/segments.js';
import { isTransferOnly } from '../../../src/shared/settings/sources.js';
import { isFinal } from '../../../src/shared/states.js';
import { fileNameInUrl } from '../../../src/shared/text/url-text.js';
import { memoizeLatest } from '../../../src/shared/util/collections.js';
import { endStateOf } from '../../jobs/end-of-claim.js';
import type { Job, JobOutput } from '../../jobs/job.js';
import { outputsByLabel, sourcesToMakeAgain } from '../../jobs/output-graph.js';
import { outputsOfPlaylist } from '../../jobs/playlists.js';
import { requiredLabels } from '../../jobs/required-labels.js';
import { forcingSettings } from '../../plan/decide/keyframes.js';
import { extensionOf } from '../../plan/formats.js';
import type { WaitingJob } from '../waiting-jobs.js';

/** Outputs of a job that need the same of a machine. */
export interface JobPart {
  /** Labels that the machine must have in addition to those of the job, sorted. */
  readonly requires: readonly string[];
  /** What its ffmpeg must be able to do: each need once. */
  readonly needs: readonly OutputNeeds[];
  /**
   * Parts with the same number may share the decoding of the input on one machine; -1 for those that decode nothing.
   */
  readonly decoding: number;
}

/** A part, and the outputs of a job that it has. */
interface PartOfJob extends JobPart {
  readonly outputIds: readonly number[];
}

/** Outputs that one machine must make. */
type Unit = readonly JobOutput[];

/**
 * The parts of a job that different machines can make: its unfinished outputs by what they need. An output and its
 * source are in one part, and so are a playlist and what it lists. The order does not depend on that of the outputs.
 * Pure.
 */
export function partsOf({ outputs }: Pick<Job, 'outputs'>): readonly PartOfJob[] {
  const remade = sourcesToMakeAgain(outputs);
  const toMake = outputs.filter(({ id, state }) => !isFinal(state) || remade.has(id));
  const [only, second] = toMake;
  // Most jobs have one output.
  if (only !== undefined && second === undefined) {
    return [{ ...needsOfUnit(toMake), decoding: clipOf(only).length - 1, outputIds: [only.id] }];
  }
  const parts = new Map<string, { needs: ReturnType<typeof needsOfUnit>; members: JobOutput[] }>();
  for (const unit of joined(boundOutputs(toMake))) {
    const needs = needsOfUnit(unit);
    const key = JSON.stringify(needs);
    const part = parts.get(key) ?? { needs, members: [] };
    part.members.push(...unit);
    parts.set(key, part);
  }
  const sorted = [...parts]
    .toSorted(([one], [other]) => (one < other ? -1 : 1))
    .map(([, { needs, members }]) => ({ needs, members, clips: members.flatMap(clipOf) }));
  const decodings = new Map(
    joined(sorted.map(({ clips }) => clips)).flatMap((clips, index) =>
      clips.map((clip) => [clip, index] as const),
    ),
  );
  return sorted.map(({ needs, members, clips: [clip = ''] }) => ({
    ...needs,
    decoding: decodings.get(clip) ?? -1,
    outputIds: members.map(({ id }) => id),
  }));
}

/** Lists of outputs that one machine must make; each output is in one at least. */
function boundOutputs(outputs: readonly JobOutput[]): readonly Unit[] {
  const byLabel = outputsByLabel(outputs);
  return [
    ...outputs.map((output) => [
      output,
      ...[byLabel.get(output.settings.source ?? null) ?? []].flat(),
      ...(isPlaylist(output.settings) ? outputsOfPlaylist(outputs, output) : []),
    ]),
    // Their ladder is chosen once.
    outputs.filter(({ settings }) => settings.dynamic_profile_rendition !== undefined),
    // Captions are cut as the segments are.
    outputs.filter(({ settings }) => isSegmented(settings)),
  ];
}

/** Joins the lists that have an entry in common. */
function joined<T>(lists: readonly (readonly T[])[]): readonly (readonly T[])[] {
  const groupOf = new Map<T, Set<T>>();
  for (const list of lists) {
    if (list.length < 2) {
      for (const entry of list) groupOf.set(entry, groupOf.get(entry) ?? new Set(list));
      continue;
    }
    const touched = new Set(list.flatMap((entry) => groupOf.get(entry) ?? []));
    // The largest group receives the others, so that no entry moves often.
    const [largest = new Set<T>(), ...others] = [...touched].toSorted((a, b) => b.size - a.size);
    for (const entry of [...others.flatMap((group) => [...group]), ...list]) {
      largest.add(entry);
      groupOf.set(entry, largest);
    }
  }
  return [...new Set(groupOf.values())].map((group) => [...group]);
}

function needsOfUnit(unit: Unit): Pick<JobPart, 'requires' | 'needs'> {
  const labels = unit.flatMap(({ settings }) => settings.requires ?? []);
  const needs = unit.flatMap((output) => needsOfOutput(output) ?? []);
  return { requires: [...new Set(labels)].toSorted(), needs: needs.length < 2 ? needs : distinct(needs) };
}

/** Each once, in an order that does not depend on theirs. */
function distinct(needs: readonly OutputNeeds[]): readonly OutputNeeds[] {
  const texts = new Set(needs.map((one) => JSON.stringify(one)));
  return [...texts].toSorted().map((one) => JSON.parse(one));
}

/** Names the clip that an output is decoded from; none if it decodes nothing of the input. */
function clipOf({ settings }: JobOutput): readonly string[] {
  const { source, start_clip: start = 0, clip_length: length = null } = settings;
  return source === undefined && isEncoded(settings) ? [JSON.stringify([start, length])] : [];
}

/**
 * The job as the holder of a claim for some of its outputs works on it: the outputs that are left to other machines
 * look cancelled, and the job ends with its own outputs. `outputIds` is null for a claim of all outputs, which sees the
 * job as it is.
 */
export function viewOfClaim(job: Job, outputIds: readonly number[] | null): Job {
  if (outputIds === null) return job;
  const outputs = job.outputs.map((output) =>
    outputIds.includes(output.id) || isFinal(output.state)
      ? output
      : { ...output, state: 'cancelled' as const },
  );
  const own = outputs.filter(({ id }) => outputIds.includes(id));
  // The job may have been given to another machine meanwhile.
  if (isFinal(job.state) || !own.every(({ state }) => isFinal(state))) return { ...job, outputs };
  return { ...job, outputs, state: endStateOf(own) };
}

/** The entry of a job in the queue. */
export const waitingJobOf = memoizeLatest((job: Job): WaitingJob => {
  const parts = partsOf(job).map(({ outputIds: _, ...part }) => part);
  return {
    id: job.id,
    accountId: job.accountId,
    priority: job.priority ?? 0,
    requires: requiredLabels(job),
    needsKey: JSON.stringify(parts),
  };
});

/** The parts of a job in the queue, in an order that does not depend on that of its outputs. */
export function readParts({ needsKey }: Pick<WaitingJob, 'needsKey'>): readonly JobPart[] {
  return JSON.parse(needsKey);
}

/**
 * The settings that decide which encoders, filters, muxers and versions of ffmpeg `checkCombination` demands. All are
 * words or yes and no: a job with other numbers, times or texts needs nothing else. What is not here and not in
 * `forcingSettings` never changes the answer for a job that was accepted.
 */
const decisiveSettings = [
  ...(['type', 'format', 'streaming_delivery_format', 'packaging'] as const),
  ...([
    'skip_video',
    'copy_video',
    'measure_quality',
    'video_codec',
    'video_codec_profile',
    'video_bit_depth',
    'tuning',
  ] as const),
  ...(['hdr', 'hdr_format', 'preserve_hdr_metadata'] as const),
  ...(['skip_audio', 'copy_audio', 'audio_codec', 'hint', 'skip_captions', 'subtitles'] as const),
] as const satisfies readonly (keyof OutputSettings)[];

/** What an output of a job needs from ffmpeg. */
interface OutputNeeds {
  readonly settings: OutputSettings;
  /** The name of its file. */
  readonly filename: string;
}

/** What an output needs from ffmpeg; null if its file is not encoded. */
function needsOfOutput({ settings, destination }: JobOutput): OutputNeeds | null {
  if (!isEncoded(settings)) return null;
  return {
    settings: decisiveOf(settings),
    filename: decisiveName(settings, fileNameInUrl(destination)),
  };
}

/** Whether the file of an output is encoded, and not only transferred or written. */
function isEncoded(settings: OutputSettings): boolean {
  return !isTransferOnly(settings) && !isPlaylist(settings) && !isCaptions(settings);
}

function decisiveOf(settings: OutputSettings): OutputSettings {
  const decisive: Partial<Record<keyof OutputSettings, unknown>> = {};
  for (const name of decisiveSettings) if (isGiven(settings[name])) decisive[name] = settings[name];
  // Any target needs a program that measures.
  if (isMeasured(settings)) decisive.measure_quality = true;
  // Any of them, with any value, needs an encoder that places keyframes.
  if (forcingSettings(settings).length > 0) decisive.forced_keyframe_rate = 1;
  return decisive as OutputSettings;
}

/** No setting of the list differs between false and absent. */
function isGiven(value: unknown): boolean {
  return value !== undefined && value !== false;
}

/** A name with the extension, if that decides the container. */
function decisiveName(settings: OutputSettings, name: string): string {
  return `file${settings.format !== undefined || isSegmented(settings) ? '' : extensionOf(name)}`;
}
