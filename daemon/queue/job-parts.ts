import { isPlaylist } from '../../src/shared/settings/playlists.js';
import { isSegmented } from '../../src/shared/settings/segments.js';
import { isFinal } from '../../src/shared/states.js';
import type { Job, JobOutput } from '../jobs/job.js';
import { dependentsOf, sourcesToMakeAgain } from '../jobs/output-graph.js';
import { outputsOfPlaylist } from '../jobs/playlists.js';
import { isEncoded, needsOfOutput, type OutputNeeds } from './output-needs.js';

/** Outputs of a job that need the same of a machine. */
export interface JobPart {
  /** Labels that the machine must have in addition to those of the job, sorted. */
  readonly requires: readonly string[];
  /** What its ffmpeg must be able to do: each need once. */
  readonly needs: readonly OutputNeeds[];
  /** Parts with the same number may share the decoding of the input on one machine; -1 for those that decode nothing. */
  readonly decoding: number;
}

/** A part, and the outputs of a job that it has. */
export interface PartOfJob extends JobPart {
  readonly outputIds: readonly number[];
}

/** Outputs that one machine must make. */
type Unit = readonly JobOutput[];

/**
 * The parts of a job that different machines can make: its unfinished outputs by what they need. An output and its source are in one part, and
 * so are a playlist and what it lists. The order does not depend on that of the outputs. Pure.
 */
export function partsOf({ outputs }: Pick<Job, 'outputs'>): readonly PartOfJob[] {
  const remade = sourcesToMakeAgain(outputs);
  const toMake = outputs.filter(({ id, state }) => !isFinal(state) || remade.has(id));
  const [only, second] = toMake;
  if (only !== undefined && second === undefined) return [partOf(only)];
  const units = joined(toMake.map((output) => [output, ...boundTo(toMake, output)]));
  const parts = new Map<string, Unit>();
  for (const unit of units) {
    const key = JSON.stringify(needsOfUnit(unit));
    parts.set(key, [...(parts.get(key) ?? []), ...unit]);
  }
  const sorted = [...parts].toSorted(([one], [other]) => (one < other ? -1 : 1));
  const decodings = joined(sorted.map(([, members]) => members.flatMap(clipOf)));
  return sorted.map(([key, members]) => ({
    ...(JSON.parse(key) as Pick<JobPart, 'requires' | 'needs'>),
    decoding: decodings.findIndex((clips) => members.flatMap(clipOf).some((clip) => clips.includes(clip))),
    outputIds: members.map(({ id }) => id),
  }));
}

/** The part of a job with one output, as most are. */
function partOf(output: JobOutput): PartOfJob {
  return { ...needsOfUnit([output]), decoding: clipOf(output).length - 1, outputIds: [output.id] };
}

/** The outputs that must be made where this one is. */
function boundTo(outputs: readonly JobOutput[], output: JobOutput): readonly JobOutput[] {
  return [
    ...dependentsOf(outputs, output),
    ...(isPlaylist(output.settings) ? outputsOfPlaylist(outputs, output) : []),
    // Captions are cut as the segments are.
    ...(isSegmented(output.settings) ? outputs.filter(({ settings }) => isSegmented(settings)) : []),
  ];
}

/** Joins the lists that have an entry in common. */
function joined<T>(lists: readonly (readonly T[])[]): readonly (readonly T[])[] {
  return lists.reduce<readonly (readonly T[])[]>((groups, list) => {
    const touched = groups.filter((group) => group.some((entry) => list.includes(entry)));
    const others = groups.filter((group) => !touched.includes(group));
    return [...others, [...new Set([...touched.flat(), ...list])]];
  }, []);
}

function needsOfUnit(unit: Unit): Pick<JobPart, 'requires' | 'needs'> {
  const labels = unit.flatMap(({ settings }) => settings.requires ?? []);
  const needs = unit.flatMap((output) => {
    const one = needsOfOutput(output);
    return one === null ? [] : JSON.stringify(one);
  });
  return {
    requires: [...new Set(labels)].toSorted(),
    needs: [...new Set(needs)].toSorted().map((one) => JSON.parse(one)),
  };
}

/** Names the clip that an output is decoded from; none if it decodes nothing of the input. */
function clipOf({ settings }: JobOutput): readonly string[] {
  const { source, start_clip: start = 0, clip_length: length = null } = settings;
  return source === undefined && isEncoded(settings) ? [JSON.stringify([start, length])] : [];
}
