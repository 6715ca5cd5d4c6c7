import { VencError } from '../../src/shared/errors.js';
import type { AlternateAudioSettings, StreamSettings } from '../../src/shared/settings/playlists.js';
import type { JobOutput } from '../jobs/job.js';
import { sourceOfStream } from '../jobs/playlists.js';

/** A stream of a playlist, and the output of which it is; null if it names an address only. */
export interface SourcedStream {
  readonly settings: StreamSettings;
  readonly source: JobOutput | null;
  /** Its position in the request, from 1. */
  readonly number: number;
}

/**
 * The streams of a playlist, without those whose source was skipped if it may be. Throws `SkippedSourceError` if a
 * source was skipped and must not be, or if no stream is left, and `SourceFailedError` if a source failed.
 */
export function streamsOf(playlist: JobOutput, outputs: readonly JobOutput[]): readonly SourcedStream[] {
  const streams = (playlist.settings.streams ?? []).flatMap((settings, index): readonly SourcedStream[] => {
    const source = sourceOfStream(outputs, playlist, settings) ?? null;
    return source === null || isListed(source, playlist) ? [{ settings, source, number: index + 1 }] : [];
  });
  if (streams.length === 0)
    throw new VencError('SkippedSourceError', 'All streams of the playlist were skipped.');
  return streams;
}

/** Whether the source of a stream is listed: false if it was skipped and may be left out. */
export function isListed(source: JobOutput, { settings }: JobOutput): boolean {
  if (source.state === 'finished') return true;
  const name = `The output ${source.label ?? source.id}, which the playlist names,`;
  if (source.state !== 'skipped') throw new VencError('SourceFailedError', `${name} failed.`);
  if (settings.allow_skipped_sources === true) return false;
  throw new VencError('SkippedSourceError', `${name} was skipped.`);
}

/** Audio that a playlist lists in a group, and the output that it is of. */
interface SourcedAudio {
  readonly settings: AlternateAudioSettings;
  readonly source: JobOutput;
}

/**
 * The audio of outputs that a playlist lists in groups, without those that were skipped. Throws as `streamsOf` does.
 */
export function audioSourcesOf(playlist: JobOutput, outputs: readonly JobOutput[]): readonly SourcedAudio[] {
  return (playlist.settings.alternate_audio ?? []).flatMap((settings) => {
    const source = outputs.find(({ label }) => label !== null && label === settings.source);
    return source !== undefined && isListed(source, playlist) ? [{ settings, source }] : [];
  });
}
