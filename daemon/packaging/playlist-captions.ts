import { VencError } from '../../src/shared/errors.js';
import { isCaptions } from '../../src/shared/settings/captions.js';
import { languageCode, languageName } from '../../src/shared/text/languages.js';
import { siblingInUrl } from '../../src/shared/text/url-text.js';
import type { JobOutput, RenditionFacts } from '../jobs/job.js';
import { relativeAddress } from '../jobs/playlists.js';
import type { DashCaptions } from './dash-manifest.js';
import type { AlternateRendition } from './master-playlist.js';
import { isListed, type SourcedStream } from './playlist-sources.js';

/** The name of the group of all captions in a playlist. */
export const captionGroup = 'captions';

type Captions = NonNullable<RenditionFacts['captions']>[number];

/**
 * The captions of a playlist: those of the request, or else those of the renditions that it lists. Equal ones of
 * several renditions are listed once, from the first. Throws `CaptionError` if an output that the request names has
 * none in the language.
 */
export function captionsOf(
  playlist: JobOutput,
  streams: readonly SourcedStream[],
  outputs: readonly JobOutput[],
): readonly AlternateRendition[] {
  if (playlist.settings.captions !== undefined)
    return alternates(
      requestedEntries(playlist, outputs, 'playlist').flatMap(({ captions, uri }) =>
        uri === null ? [] : [{ captions, uri }],
      ),
    );
  const sources = streams.flatMap(({ source }) => source ?? []);
  return alternates(
    distinct(sources).flatMap(({ source, captions }) => {
      const { playlist: name } = captions;
      const uri = name === undefined ? null : siblingInUrl(relativeAddress(playlist.url, source.url), name);
      return uri === null ? [] : [{ captions, uri }];
    }),
  );
}

/**
 * The captions that the request lists in a playlist, and the address of each: of its playlist (HLS), or of its file
 * (DASH); null if an output has them only in the other form. Captions of outputs that were skipped are left out.
 */
function requestedEntries(
  playlist: JobOutput,
  outputs: readonly JobOutput[],
  form: 'playlist' | 'file',
): readonly { readonly captions: Captions; readonly uri: string | null }[] {
  const entries = playlist.settings.captions ?? [];
  const listed = entries.flatMap((entry) => {
    const source = outputs.find(({ label }) => entry.source !== undefined && label === entry.source);
    if (source === undefined) return [{ entry, uri: entry.path ?? null }];
    if (!isListed(source, playlist)) return [];
    const name = captionsIn(entry.language, source)[form];
    const own = name === undefined ? null : siblingInUrl(relativeAddress(playlist.url, source.url), name);
    return [{ entry, uri: entry.path ?? own }];
  });
  const chosen = listed.findLastIndex(({ entry }) => entry.default === true);
  return listed.map(({ entry: { language, name, forced = false }, uri }, index) => ({
    uri,
    captions: {
      language,
      label: name ?? languageName(language) ?? language,
      isDefault: index === chosen,
      isForced: forced,
    },
  }));
}

/**
 * The captions of an output in a language. An output that is captions has only one track, whose language its file may
 * not say.
 */
function captionsIn(language: string, { rendition, settings, label, id }: JobOutput): Captions {
  const code = languageCode(language);
  const found = rendition?.captions?.find(
    (one) => isCaptions(settings) || (one.language !== null && languageCode(one.language) === code),
  );
  if (found !== undefined) return found;
  throw new VencError(
    'CaptionError',
    `The output ${label ?? id} has no captions in the language ${language}.`,
  );
}

/**
 * The captions of a manifest, each as one file: those of the request, or else those of the outputs that it lists. A
 * playlist at an address of the request is for HLS only. Throws as `captionsOf` does.
 */
export function captionFilesOf(
  playlist: JobOutput,
  sources: readonly JobOutput[],
  outputs: readonly JobOutput[],
): readonly DashCaptions[] {
  const requested = playlist.settings.captions;
  if (requested !== undefined)
    return requestedEntries(playlist, outputs, 'file').flatMap(({ captions, uri }) =>
      uri === null || isHlsAddress(uri) ? [] : [dashCaptions(captions, uri)],
    );
  return distinct(sources).flatMap(({ source, captions }) =>
    captions.file === undefined
      ? []
      : [dashCaptions(captions, siblingInUrl(relativeAddress(playlist.url, source.url), captions.file))],
  );
}

function isHlsAddress(uri: string): boolean {
  return /\.m3u8(?:[?#]|$)/i.test(uri);
}

/** Captions as a manifest lists them. */
export function dashCaptions({ language, label, isDefault, isForced }: Captions, uri: string): DashCaptions {
  return { uri, language: language ?? 'und', label, isDefault, isForced };
}

/** The captions of one rendition, as the playlist of that alone lists them. */
export function ownCaptions({ captions = [] }: RenditionFacts): readonly AlternateRendition[] {
  return alternates(
    captions.flatMap((one) =>
      one.playlist === undefined ? [] : [{ captions: one, uri: encodeURIComponent(one.playlist) }],
    ),
  );
}

function distinct(sources: readonly JobOutput[]) {
  const all = sources.flatMap((source) =>
    (source.rendition?.captions ?? []).map((captions) => ({ source, captions })),
  );
  const isSame = (one: Captions, other: Captions) =>
    one.language === other.language && one.label === other.label && one.isForced === other.isForced;
  return all.filter(
    ({ source, captions }, index) =>
      all.findIndex((other) => isSame(other.captions, captions)) === index ||
      // A rendition may have two of one name.
      all.find((other) => isSame(other.captions, captions))?.source === source,
  );
}

function alternates(
  listed: readonly { readonly captions: Captions; readonly uri: string }[],
): readonly AlternateRendition[] {
  return listed.map(
    ({ captions: { language, label, isDefault, isForced }, uri }): AlternateRendition => ({
      type: 'SUBTITLES',
      group: captionGroup,
      name: label,
      language: language === 'und' ? null : language,
      isDefault,
      isAutoselect: true,
      ...(isForced ? { isForced: true } : {}),
      uri,
    }),
  );
}
