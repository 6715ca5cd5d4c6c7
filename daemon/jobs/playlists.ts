import { isCaptions } from '../../src/shared/settings/captions.js';
import type { OutputSettings } from '../../src/shared/settings/index.js';
import { isPlaylist, playlistExtension, type StreamSettings } from '../../src/shared/settings/playlists.js';
import { isSegmented } from '../../src/shared/settings/segments.js';
import {
  decodeUrlPart,
  fileNameInUrl,
  isUrl,
  siblingInUrl,
  withoutExtension,
} from '../../src/shared/text/url-text.js';
import { memoizeByKey } from '../../src/shared/util/collections.js';
import type { OutputDestination } from './job.js';

/** An output as streams refer to it: by its label, or by its address. */
type NamedOutput = Pick<OutputDestination, 'url' | 'destination'> & { readonly settings: OutputSettings };

/**
 * The output that a stream of a playlist refers to: by `source`, or by a `path` that is its address. It is a segmented
 * one, or in SMIL any with media. Undefined if there is none.
 */
export function sourceOfStream<T extends NamedOutput>(
  outputs: readonly T[],
  playlist: NamedOutput,
  { source, path }: StreamSettings,
): T | undefined {
  const isSmil = playlistExtension(playlist.settings, playlist.destination) === '.smil';
  const listable: readonly T[] = outputsByKind(outputs)[isSmil ? 'media' : 'segmented'];
  const { labels, addresses } = positionsOf(listable);
  if (source !== undefined) return listable[labels.get(source) ?? -1];
  if (path === undefined) return undefined;
  const bases = isUrl(path) ? [path] : [playlist.url, playlist.destination].map((url) => resolved(url, path));
  const found = bases.flatMap((base) => addresses.get(decodeUrlPart(base)) ?? []);
  return listable[Math.min(...found)];
}

/** The outputs that SMIL may list, and those that the others may. */
const outputsByKind = memoizeByKey(<T extends NamedOutput>(outputs: readonly T[]) => ({
  media: outputs.filter(({ settings }) => !isPlaylist(settings) && !isCaptions(settings)),
  segmented: outputs.filter(({ settings }) => isSegmented(settings)),
}));

/** The position of the first output with a label or an address. */
const positionsOf = memoizeByKey((outputs: readonly NamedOutput[]) => {
  const labels = new Map<string | undefined, number>();
  const addresses = new Map<string, number>();
  for (const [position, { settings, url, destination }] of [...outputs.entries()].toReversed()) {
    labels.set(settings.label, position);
    for (const address of [url, destination]) addresses.set(decodeUrlPart(address), position);
  }
  return { labels, addresses };
});

/**
 * The outputs that a playlist names in its streams, its audio and its captions; all others of the job that are not
 * playlists, if it names none: its addresses may be those of their copies elsewhere.
 */
export function outputsOfPlaylist<T extends NamedOutput>(outputs: readonly T[], playlist: T): readonly T[] {
  const { streams = [], alternate_audio = [], captions = [] } = playlist.settings;
  const labels = new Set([...streams, ...alternate_audio, ...captions].flatMap(({ source }) => source ?? []));
  const ofStreams = new Set(streams.flatMap((stream) => sourceOfStream(outputs, playlist, stream) ?? []));
  const named = outputs.filter(
    (output) =>
      ofStreams.has(output) || (output.settings.label !== undefined && labels.has(output.settings.label)),
  );
  return named.length > 0 ? named : outputs.filter(({ settings }) => !isPlaylist(settings));
}

/** The name of the manifest that belongs next to the playlist of an output with both (`packaging: cmaf`). */
export function manifestNameOf({ destination }: Pick<OutputDestination, 'destination'>): string {
  return `${withoutExtension(fileNameInUrl(destination))}.mpd`;
}

/** The address of a relative path next to a URL. */
function resolved(url: string, path: string): string {
  const parts = path.split('/').filter((part) => part !== '.');
  const up = parts.findIndex((part) => part !== '..');
  let folder = siblingInUrl(url, '');
  for (let level = 0; level < up; level += 1) folder = folder.replace(/[^/]+\/$/, '');
  return `${folder}${parts.slice(Math.max(0, up)).join('/')}`;
}

/** The address of an output in a playlist: relative if both are in folders of one place, else absolute. */
export function relativeAddress(playlist: string, output: string): string {
  const [, base = '', path = ''] = placePattern.exec(playlist) ?? [];
  const [, otherBase = '', otherPath = ''] = placePattern.exec(output) ?? [];
  if (base === '' || base !== otherBase) return output;
  const from = path.split('/').slice(0, -1);
  const to = otherPath.split('/');
  let common = 0;
  while (common < Math.min(from.length, to.length - 1) && from[common] === to[common]) common += 1;
  const up = from.slice(common).map(() => '..');
  const down = to.slice(common).map((part) => encodeURIComponent(decodeUrlPart(part)));
  return [...up, ...down].join('/');
}

/** Scheme and host, and the path of a URL. A query belongs to one file only. */
const placePattern = /^([a-z][a-z0-9+.-]*:\/\/[^/]*\/)([^?#]+)$/is;
