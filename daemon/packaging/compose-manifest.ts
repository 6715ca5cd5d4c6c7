import { VencError } from '../../src/shared/errors.js';
import type { JobOutput } from '../jobs/job.js';
import { relativeAddress } from '../jobs/playlists.js';
import { dashProfileOf } from '../plan/decide/packaging.js';
import { entryLabels } from './alternate-audio.js';
import { type DashTrack, dashManifestText } from './dash-manifest.js';
import { captionFilesOf } from './playlist-captions.js';
import { audioSourcesOf, streamsOf } from './playlist-sources.js';
import { dashTrack, durationOfTrack, withDefaultAudio } from './track-documents.js';

/**
 * Composes the manifest (DASH) of several outputs of a job, which have all ended. Equal audio of several outputs is
 * listed once. Throws `SkippedSourceError` and `SourceFailedError` as for other playlists.
 */
export function composeManifest(playlist: JobOutput, outputs: readonly JobOutput[]): string {
  const streams = streamsOf(playlist, outputs).flatMap(({ settings, source }) =>
    source === null ? [] : [{ ...settings, source }],
  );
  const alternates = audioSourcesOf(playlist, outputs);
  const isAlternate = (source: JobOutput) => alternates.some((one) => one.source.id === source.id);
  const tracks = [
    ...streams.flatMap(({ source, path, audio }) => {
      // A stream with a group has the audio of that, and not its own.
      const hasAudio = audio === undefined && !isAlternate(source);
      return tracksOfSource(source, playlist, path).filter(({ kind }) => kind === 'video' || hasAudio);
    }),
    ...alternates.flatMap(({ source, settings }) => {
      const audio = tracksOfSource(source, playlist, settings.path).filter(({ kind }) => kind === 'audio');
      return audio.map((track, index) => {
        const own = { language: track.language, name: track.label };
        const { language, name: label } = entryLabels(settings, own, audio.length);
        return { ...track, language, label, isDefault: settings.default === true && index === 0 };
      });
    }),
  ];
  const isRepeated = (track: DashTrack, index: number) =>
    track.kind === 'audio' && tracks.slice(0, index).some((other) => isSameAudio(other, track));
  const listed = tracks.filter((track, index) => !isRepeated(track, index));
  const sources = [...streams, ...alternates].map(({ source }) => source);
  return dashManifestText({
    profile:
      sources.map(({ settings }) => dashProfileOf(settings)).find((profile) => profile !== null) ?? 'live',
    durationSeconds: Math.max(...listed.map(durationOfTrack)),
    tracks: withDefaultAudio(listed),
    captions: captionFilesOf(playlist, sources, outputs),
  });
}

function tracksOfSource(
  { url, label, id, rendition, media }: JobOutput,
  playlist: JobOutput,
  path: string | undefined,
): readonly DashTrack[] {
  const { tracks } = rendition ?? {};
  if (rendition === undefined || tracks === undefined || media === null)
    throw new VencError('SegmentingError', `The output ${label ?? id} has no segments for DASH.`);
  // A given path is that of the folder, or of the manifest in it.
  const given = path === undefined || /\.mpd$/i.test(path) ? path : `${path.replace(/\/$/, '')}/`;
  const folder = (given ?? relativeAddress(playlist.url, url)).replace(/[^/]*$/, '');
  return tracks.map((track) => dashTrack(track, { facts: rendition, media }, folder));
}

/** Whether two tracks have the same audio: encoders give equal sizes for equal settings. */
function isSameAudio(one: DashTrack, other: DashTrack): boolean {
  const names = [
    ...(['kind', 'codec', 'language', 'label', 'averageBitrate', 'channels', 'sampleRate'] as const),
  ];
  return names.every((name) => one[name] === other[name]);
}
