import type { OutputSettings } from '../../src/shared/settings/index.js';
import type { Captions } from '../captions/cues.js';
import type { MediaFacts } from '../jobs/media.js';
import { captionsOfFile, textFormOf } from '../plan/decide/captions.js';
import type { Plan, PreparedCaptions } from '../plan/plan-types.js';

/** What is assumed of captions that are not read: there is always one. */
const assumed: Captions = {
  syntax: 'other',
  cues: [{ startMs: 0, endMs: Number.POSITIVE_INFINITY, spans: [{ text: '...' }] }],
  language: null,
  warnings: [],
};

/**
 * The text subtitles of an input and the caption files of an output, for command lines that are shown. They are not read, because that needs
 * a run of ffmpeg, or a download.
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

/** What `venc plan` says about files of captions, one sentence each. */
export function captionNotes({ captionFiles }: Plan): readonly string[] {
  if (captionFiles.length === 0) return [];
  const names = captionFiles.map(({ path }) => path).join(', ');
  return [`the captions are read and cut before the encoding, into ${names}`];
}
