import { decideMixing } from '../decide/audio-channels.js';
import { minAudioSeconds } from '../decide/decide-audio.js';
import type { AudioDecision, Decision } from '../decide/decisions.js';
import type { Capabilities, PlanPaths } from '../plan-types.js';
import { mixingFilters, resampleFilter } from './audio.js';
import { effectFilters } from './audio-effects.js';
import { audioInputs, joinedLabel } from './input.js';
import { skipOf } from './output.js';

/** The filter graph of the audio of an output that is put together from several tracks; none for other outputs. */
export function joinedGraphs(
  decision: Decision,
  paths: PlanPaths,
  capabilities: Capabilities,
): readonly string[] {
  return decision.audio.flatMap(({ encoding }) => {
    if (encoding?.joined === undefined) return [];
    const last = [
      ...mixingFilters(encoding, capabilities),
      ...effectFilters(encoding, capabilities, skipOf(decision).seconds),
    ];
    return [joinedGraph(decision, encoding, last, paths, capabilities)];
  });
}

/**
 * The filter graph that puts a track together, and filters it. Each channel is kept in sync with the video, and made
 * as long as the longest, because the merge ends with the shortest. Rejected: `join`, with which builds before 7.0 lost
 * the last 272 samples of four tracks.
 */
export function joinedGraph(
  decision: Decision,
  { joined, sampleRate }: AudioDecision,
  filters: readonly string[],
  paths: PlanPaths,
  capabilities: Capabilities,
): string {
  const { channels = [], endSeconds = null } = joined ?? {};
  const { seconds: skipSeconds, readFromSeconds } = skipOf(decision);
  const { streamOf } = audioInputs([decision], paths);
  const seconds = Math.max(minAudioSeconds + skipSeconds, (endSeconds ?? 0) - readFromSeconds);
  const toOne = [
    `aformat=sample_fmts=fltp:sample_rates=${sampleRate}:channel_layouts=mono`,
    `apad=whole_len=${Math.ceil(seconds * sampleRate)}`,
  ];
  const branches = channels.map(({ track, channel }) => {
    const { converted } = track;
    const mixing = decideMixing(converted === undefined ? track.channels : 2, 1);
    const mixed = {
      ...({ sampleRate, channels: 1, mixing } as const),
      ...(converted === undefined ? {} : { converted }),
    };
    const picked =
      channel === null ? mixingFilters(mixed, capabilities) : [resampleFilter, `pan=mono|c0=c${channel}`];
    return `[${streamOf(decision, { ...track, repack: null })}]${[...picked, ...toOne].join(',')}`;
  });
  const [only] = branches;
  const last = filters.length === 0 ? '' : `,${filters.join(',')}`;
  if (branches.length === 1) return `${only}${last}${joinedLabel}`;
  const ends = channels.map(({ name }) => `[${name}]`);
  const merged = `${ends.join('')}amerge=inputs=${ends.length}${last}${joinedLabel}`;
  return [...branches.map((branch, at) => `${branch}${ends[at]}`), merged].join(';');
}
