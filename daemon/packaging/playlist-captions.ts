import { VencError } from '../../src/shared/errors.js';
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
 * The captions of a playlist: those of the request, or else those of the renditions that it lists. Equal ones of several renditions are
 * listed once, from the first. Throws `CaptionError` if an output that the request names has none in the language.
 */
export function captionsOf(
  playlist: JobOutput,
  streams: readonly SourcedStream[],
  outputs: readonly JobOutput[],
): readonly AlternateRendition[] {
  if (playlist.settings.captions !== undefined) return requestedCaptions(playlist, outputs);
  const sources = streams.flatMap(({ source }) => source ?? []);
  return alternates(
    distinct(sources).flatMap(({ source, captions }) => {
      const { playlist: name } = captions;
      const uri = name === undefined ? null : siblingInUrl(relativeAddress(playlist.url, source.url), name);
      return uri === null ? [] : [{ captions, uri }];
    }),
  );
}

function requestedCaptions(
  playlist: JobOutput,
  outputs: readonly JobOutput[],
): readonly AlternateRendition[] {
  const entries = playlist.settings.captions ?? [];
  const listed = entries.flatMap((entry) => {
    const source = outputs.find(({ label }) => entry.source !== undefined && label === entry.source);
    if (source !== undefined && !isListed(source, playlist)) return [];
    return [{ entry, uri: entry.path ?? addressOf(entry.language, source, playlist) }];
  });
  const chosen = listed.findLastIndex(({ entry }) => entry.default === true);
  return alternates(
    listed.map(({ entry: { language, name, forced = false }, uri }, index) => ({
      uri,
      captions: {
        language,
        label: name ?? languageName(language) ?? language,
        isDefault: index === chosen,
        isForced: forced,
      },
    })),
  );
}

/** The address of the captions of an output in a language. */
function addressOf(language: string, source: JobOutput | undefined, playlist: JobOutput): string {
  const code = languageCode(language);
  const found = source?.rendition?.captions?.find(
    (one) => one.language !== null && languageCode(one.language) === code,
  );
  if (source !== undefined && found?.playlist !== undefined)
    return siblingInUrl(relativeAddress(playlist.url, source.url), found.playlist);
  const name = source === undefined ? 'The playlist' : `The output ${source.label ?? source.id}`;
  throw new VencError('CaptionError', `${name} has no captions in the language ${language}.`);
}

/** The captions of outputs as files, as a manifest at the address of a playlist lists them. */
export function captionFilesOf(playlist: JobOutput, sources: readonly JobOutput[]): readonly DashCaptions[] {
  return distinct(sources).flatMap(({ source, captions: { file, language, label } }) =>
    file === undefined
      ? []
      : [
          {
            uri: siblingInUrl(relativeAddress(playlist.url, source.url), file),
            language: language ?? 'und',
            label,
          },
        ],
  );
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
