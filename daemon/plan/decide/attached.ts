import type { OutputSettings } from '../../../src/shared/settings/index.js';
import { coverUrlOf } from '../../../src/shared/settings/sources.js';
import type { AttachmentFacts, MediaFacts } from '../../jobs/media.js';
import type { Container } from '../formats.js';
import type { CoverImage, PreparedCovers } from '../plan-types.js';
import { namesSentence } from './left-out.js';

/** The cover images and files in an output, and what is left out, one sentence each. */
interface AttachedDecision {
  readonly covers: readonly CoverImage[];
  readonly attachments: readonly AttachmentFacts[];
  readonly warnings: readonly string[];
}

/** An output, as far as that decides what is attached to it. */
interface AttachingOutput {
  readonly container: Container;
  readonly extension: string;
  /** Whether it is cut into segments. */
  readonly isCut: boolean;
  readonly hasHintTracks: boolean;
  /** Whether captions are drawn with the fonts of the input. */
  readonly usesFonts: boolean;
}

const noCovers: PreparedCovers = { images: [], warnings: [] };

/** Whether an output has a place for cover images. A server would stream them as a track of hints. */
export function holdsCovers(
  { attached }: Container,
  { isCut, hasHintTracks }: Pick<AttachingOutput, 'isCut' | 'hasHintTracks'>,
): boolean {
  return attached !== undefined && !isCut && !hasHintTracks;
}

/** Whether a file in an input is a font. */
export function isFont({ codec, fileName = '' }: Pick<AttachmentFacts, 'codec' | 'fileName'>): boolean {
  return /^(?:ttf|otf)$/.test(codec) || /\.(?:ttf|otf|ttc|otc)$/i.test(fileName);
}

/**
 * Decides the cover images of an output, and the files in it. Fonts are no loss where captions were drawn with them.
 * An image of the request replaces those of the input.
 */
export function decideAttached(
  settings: OutputSettings,
  { covers = [], attachments = [] }: MediaFacts,
  prepared: PreparedCovers = noCovers,
  output: AttachingOutput,
): AttachedDecision {
  const { container, extension, isCut, hasHintTracks, usesFonts } = output;
  const hasPlace = holdsCovers(container, output);
  const whereFiles = isCut ? 'segments have' : `${extension} has`;
  const where = hasHintTracks ? 'a file with hint tracks has' : whereFiles;
  const keepsFiles = container.attached === 'files' && !isCut;
  const lostFiles = keepsFiles ? [] : attachments.filter((file) => !(usesFonts && isFont(file)));
  const isLost = !hasPlace && covers.length > 0 && settings.cover !== 'drop' && coverUrlOf(settings) === null;
  const [images, files] = [plural(covers.length), plural(lostFiles.length)];
  return {
    covers: hasPlace ? prepared.images : [],
    attachments: keepsFiles ? attachments : [],
    warnings: [
      ...(isLost
        ? [
            `The cover image${images.s} of the input ${images.was} left out: ${where} no place for ${images.it}.`,
          ]
        : []),
      ...prepared.warnings,
      ...namesSentence(
        lostFiles.map(({ fileName, codec, streamIndex }) => fileName ?? `${codec} in stream ${streamIndex}`),
        (names) =>
          `The file${files.s} attached to the input ${files.was} left out: ${names} (${whereFiles} no place for ${files.it}).`,
      ),
    ],
  };
}

const plural = (count: number) =>
  count === 1 ? { s: '', was: 'was', it: 'it' } : { s: 's', was: 'were', it: 'them' };
