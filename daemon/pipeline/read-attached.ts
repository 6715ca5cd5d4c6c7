import { mkdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { VencError } from '../../src/shared/errors.js';
import { withoutPassword } from '../../src/shared/redact.js';
import { maxPixels } from '../../src/shared/settings/limits.js';
import { isSegmented } from '../../src/shared/settings/segments.js';
import { coverUrlOf } from '../../src/shared/settings/sources.js';
import { fileNameInUrl } from '../../src/shared/text/url-text.js';
import { createOnce } from '../../src/shared/util/collections.js';
import { type JobOutput, toJobFailure } from '../jobs/job.js';
import type { CoverFacts, MediaFacts } from '../jobs/media.js';
import type { Run } from '../jobs/run.js';
import { checkCombination } from '../plan/check-combination.js';
import { holdsCovers, isFont } from '../plan/decide/attached.js';
import { captionPlace } from '../plan/decide/captions.js';
import { hasHintTracks } from '../plan/decide/hint-tracks.js';
import type { CoverImage, OutputToPlan, PreparedCovers } from '../plan/plan-types.js';
import { convertImageArgs, extractCoversArgs, extractFilesArgs } from '../plan/write/attached.js';
import { createFileFetcher } from './fetch-file.js';
import { withoutLocation } from './image-location.js';
import type { WithEncoder } from './measure-audio.js';
import type { PipelineContext } from './pipeline-context.js';

/** The file that outputs are made from. */
interface AttachingFile {
  readonly input: string;
  readonly media: MediaFacts;
  readonly withEncoder: WithEncoder;
}

/** Reads the cover images of an output and the fonts for captions that are drawn, of each file once. */
export type ReadAttached = (
  run: Run,
  output: JobOutput,
  file: AttachingFile,
) => Promise<Pick<OutputToPlan, 'covers' | 'fontsFolder'>>;

const maxBytes = 50_000_000;
/** Each is read by a run of ffprobe. */
const maxCovers = 20;

/** Creates the reader of a job. What cannot be fetched or read is left out, with a warning. */
export function createAttachedReader(context: PipelineContext, scratch: string): ReadAttached {
  const { ffmpeg } = context;
  let count = 0;
  const nextPath = (prefix: string) => {
    count += 1;
    return join(scratch, `${prefix}-${count}`);
  };
  const fetchImage = createFileFetcher<string>(context, {
    ...{ scratch, prefix: 'fetched-cover', maxBytes },
    read: async (path) => path,
    toError: (_url, error) => {
      const { errorClass, message } = toJobFailure(error, 'DownloadFailureError');
      return new VencError(errorClass, message, { cause: error });
    },
  });
  const once = createOnce<unknown>();
  return async (run, output, file) => {
    const { settings, destination } = output;
    const filename = fileNameInUrl(destination);
    const combination = checkCombination(settings, filename, ffmpeg.capabilities, 'output');
    if (!combination.ok) return {};
    const { container } = combination;
    const draws = combination.video !== null && captionPlace(settings, container) === 'frames';
    const fontsFolder = draws ? await readFonts(run, file) : null;
    const hints = hasHintTracks(settings, container);
    const hasPlace = holdsCovers(container, { isCut: isSegmented(settings), hasHintTracks: hints });
    return {
      ...(hasPlace ? { covers: await readCovers(run, output, file) } : {}),
      ...(fontsFolder === null ? {} : { fontsFolder }),
    };
  };

  async function readCovers(run: Run, output: JobOutput, file: AttachingFile): Promise<PreparedCovers> {
    const { settings } = output;
    const isPrivate = settings.metadata !== 'keep-all';
    const url = coverUrlOf(settings);
    const credentials = settings.credentials ?? run.job.input.credentials;
    if (settings.cover === 'drop') return { images: [], warnings: [] };
    const images = await (url === null
      ? once(`${file.input} ${isPrivate}`, () => readOwn(run, file, isPrivate))
      : once(JSON.stringify([url, credentials, isPrivate]), async () => [
          await readRequested(run, { url, credentials, isPrivate }, file),
        ]));
    return toPrepared(images);
  }

  async function readRequested(
    run: Run,
    { url, credentials, isPrivate }: { url: string; credentials: string | undefined; isPrivate: boolean },
    { withEncoder }: AttachingFile,
  ): Promise<FoundImage> {
    const from = `The cover image ${withoutPassword(url)}`;
    return attempt(run, from, async () => {
      const path = await fetchImage(run, url, credentials);
      return toImage(run, { path, isPrivate, withEncoder, facts: {} });
    });
  }

  /** The cover images of a file, which are written by one run of ffmpeg. */
  async function readOwn(
    run: Run,
    { input, media, withEncoder }: AttachingFile,
    isPrivate: boolean,
  ): Promise<readonly FoundImage[]> {
    const { covers = [], analysis } = media;
    const readable = covers.filter(({ hasNoSize }) => hasNoSize !== true).slice(0, maxCovers);
    const files = new Map(readable.map(({ streamIndex }) => [streamIndex, nextPath('stored-cover')]));
    const wasWritten = await attempt(run, 'The cover images of the input', async () => {
      if (files.size > 0) await withEncoder(() => runFfmpeg(run, extractCoversArgs(input, files, analysis)));
      return null;
    });
    if (wasWritten !== null) return [wasWritten];
    const found: FoundImage[] = [];
    for (const facts of covers) {
      const path = files.get(facts.streamIndex);
      const from = `The cover image in stream ${facts.streamIndex} of the input`;
      const reason = facts.hasNoSize
        ? `it is damaged, or has more than ${maxPixels} pixels`
        : `an output has at most ${maxCovers}`;
      found.push(
        path === undefined
          ? { warning: `${from} was left out: ${reason}.` }
          : await attempt(run, from, () => toImage(run, { path, isPrivate, withEncoder, facts })),
      );
      if (path !== undefined) await rm(path, { force: true });
    }
    return found;
  }

  /** Writes an image as outputs have it: as JPEG or PNG, byte for byte unless it has a private location. */
  async function toImage(
    run: Run,
    from: {
      readonly path: string;
      readonly isPrivate: boolean;
      readonly facts: Partial<CoverFacts>;
      readonly withEncoder: WithEncoder;
    },
  ): Promise<FoundImage> {
    if ((await stat(from.path)).size > maxBytes)
      throw new RangeError(`it has more than ${maxBytes / 1e6} MB`);
    const { demuxer } = await ffmpeg.probeImage(from.path, run.signal, 'cover image');
    const format = demuxer === 'jpeg_pipe' ? 'jpg' : 'png';
    const path = `${nextPath('cover')}.${format}`;
    if (demuxer === 'gif' || demuxer === 'bmp_pipe') {
      await from.withEncoder(() => runFfmpeg(run, convertImageArgs(demuxer, from.path, path)));
      return { image: named({ path, format, sizeBytes: (await stat(path)).size }, from.facts) };
    }
    const bytes = await readFile(from.path);
    const cleaned = from.isPrivate ? withoutLocation(bytes) : null;
    const written = cleaned ?? bytes;
    await writeFile(path, written);
    const image = named({ path, format, sizeBytes: written.length }, from.facts);
    return { image, ...(cleaned === null ? {} : { warning: locationWarning }) };
  }

  async function readFonts(run: Run, { input, media, withEncoder }: AttachingFile): Promise<string | null> {
    const fonts = (media.attachments ?? []).filter(isFont);
    if (fonts.length === 0) return null;
    return once(`fonts ${input}`, async () => {
      const folder = nextPath('fonts');
      await mkdir(folder);
      const files = new Map(fonts.map(({ streamIndex }) => [streamIndex, join(folder, `${streamIndex}`)]));
      try {
        await withEncoder(() => runFfmpeg(run, extractFilesArgs(input, files, media)));
      } catch (error) {
        run.signal.throwIfAborted();
        const { message } = toJobFailure(error, 'CaptionError');
        context.log('warn', `Job ${run.job.id}: the fonts in the input cannot be read: ${message}`);
      }
      return folder.slice(scratch.length + 1);
    });
  }

  function runFfmpeg({ signal }: Run, args: readonly string[]) {
    return ffmpeg.run(args, { signal, scratch, onProgress: () => {} });
  }
}

const locationWarning = 'The location in the cover image was left out (metadata: keep-all keeps it).';

/** An image, and what was left out of it; or why it was left out. */
interface FoundImage {
  readonly image?: CoverImage;
  readonly warning?: string;
}

/** The result of `work`; if it fails, a warning that the image was left out. */
async function attempt<T>(run: Run, from: string, work: () => Promise<T>): Promise<T | FoundImage> {
  try {
    return await work();
  } catch (error) {
    run.signal.throwIfAborted();
    const { message } = toJobFailure(error, 'WatermarkError');
    return { warning: `${from} was left out: ${message.replace(/\.$/, '')}.` };
  }
}

function named(
  file: Pick<CoverImage, 'path' | 'format' | 'sizeBytes'>,
  facts: Partial<CoverFacts>,
): CoverImage {
  const { fileName, title, shows } = facts;
  const { format } = file;
  // An image that was converted has another extension.
  const ending = format === 'jpg' ? /\.jpe?g$/i : /\.png$/i;
  const own = fileName === undefined ? 'cover' : fileName.replace(/\.[^.]*$/, '');
  return {
    ...file,
    fileName: fileName !== undefined && ending.test(fileName) ? fileName : `${own}.${format}`,
    ...{ streamIndex: facts.streamIndex ?? null, title: title ?? null, shows: shows ?? null },
  };
}

/** The images with different names, and what was left out. */
function toPrepared(found: readonly FoundImage[]): PreparedCovers {
  const names = new Set<string>();
  const images = found.flatMap(({ image }) => {
    if (image === undefined) return [];
    const { fileName } = image;
    const isTaken = names.has(fileName);
    const unique = isTaken ? fileName.replace(/(\.[^.]*)$/, `-${names.size + 1}$1`) : fileName;
    names.add(unique);
    return [{ ...image, fileName: unique }];
  });
  return { images, warnings: [...new Set(found.flatMap(({ warning }) => warning ?? []))] };
}
