import type { OutputSettings } from '../../src/shared/settings/index.js';
import { coverUrlOf } from '../../src/shared/settings/sources.js';
import type { Captions } from '../captions/cues.js';
import type { CoverFacts, MediaFacts } from '../jobs/media.js';
import { captionsOfFile, textFormOf } from '../plan/decide/captions.js';
import type { CoverImage, Plan, PlannedFile, PreparedCaptions, PreparedCovers } from '../plan/plan-types.js';

/** What is assumed of captions that are not read: there is always one. */
const assumed: Captions = {
  syntax: 'other',
  cues: [{ startMs: 0, endMs: Number.POSITIVE_INFINITY, spans: [{ text: '...' }] }],
  language: null,
  warnings: [],
};

/**
 * The text subtitles of an input and the caption files of an output, for command lines that are shown. They are not
 * read, because that needs a run of ffmpeg, or a download.
 */
export function assumedCaptions(
  { subtitles = [] }: MediaFacts,
  { caption_url: files = [] }: OutputSettings,
): readonly PreparedCaptions[] {
  const ofInput = subtitles
    .filter(({ codec }) => textFormOf(codec) !== null)
    .map(({ streamIndex, language, title, dispositions = [] }) => ({
      captions: assumed,
      streamIndex,
      language: language ?? null,
      title: title ?? null,
      dispositions,
    }));
  return [...ofInput, ...files.map((file) => captionsOfFile(file, assumed))];
}

/**
 * The cover images of an input or of an output, for command lines that are shown. They are not read. Those of the
 * request are assumed to be JPEG if their name does not say otherwise.
 */
export function assumedCovers({ covers = [] }: MediaFacts, settings: OutputSettings): PreparedCovers {
  const image = (
    name: string,
    format: CoverImage['format'],
    facts: Partial<CoverFacts> = {},
  ): CoverImage => ({
    ...{ path: `./${name}.${format}`, sizeBytes: 0, format, fileName: facts.fileName ?? `cover.${format}` },
    ...{ streamIndex: facts.streamIndex ?? null, title: facts.title ?? null, shows: facts.shows ?? null },
  });
  const url = coverUrlOf(settings);
  if (url !== null) return { images: [image('cover', /\.png$/i.test(url) ? 'png' : 'jpg')], warnings: [] };
  const own = settings.cover === 'drop' ? [] : covers;
  return {
    images: own.map((facts) =>
      image(`cover-${facts.streamIndex}`, facts.codec === 'mjpeg' ? 'jpg' : 'png', facts),
    ),
    warnings: [],
  };
}

/** What `venc plan` says about the files that the steps read besides the input, one sentence for each kind. */
export function fileNotes({ files, steps }: Plan): readonly string[] {
  const words = new Set(steps.flatMap(({ args }) => args));
  const covers = [...words].filter((word) => /^file:\.\/cover(?:-\d+)?\.(?:jpg|png)$/.test(word));
  const named = (content: PlannedFile['holds'], toSentence: (names: string) => string) => {
    const paths = files.flatMap(({ holds, path }) => (holds === content ? [path] : []));
    return paths.length === 0 ? [] : [toSentence(paths.join(', '))];
  };
  return [
    ...named('captions', (names) => `the captions are read and cut before the encoding, into ${names}`),
    ...(covers.length === 0
      ? []
      : [
          `the cover images are read before the encoding, into ${covers.map((word) => word.slice(5)).join(', ')}`,
        ]),
    ...named('metadata', (names) => `the tags and chapters are written before the encoding, to ${names}`),
  ];
}
