import { readFile, rm } from 'node:fs/promises';
import { VencError } from '../../src/shared/errors.js';
import { fileNameInUrl, siblingInUrl, withoutExtension } from '../../src/shared/text/url-text.js';
import type { JobOutput, RenditionFacts } from '../jobs/job.js';
import { audioStreams, type MediaFacts } from '../jobs/media.js';
import type { Run } from '../jobs/run.js';
import { writeCaptionFiles } from '../packaging/caption-renditions.js';
import { packageRendition } from '../packaging/package-rendition.js';
import type { PackagedPart } from '../packaging/rendition-files.js';
import { declaredFrameRate, durationOf as durationOfSegments } from '../packaging/rendition-playlists.js';
import { verifyAddresses } from '../packaging/verify-addresses.js';
import { type SegmentTimes, startsOf } from '../packaging/verify-alignment.js';
import { type DecodedStreams, verifyRendition } from '../packaging/verify-rendition.js';
import type { PackagedFile } from '../packaging/write-segments.js';
import { isFragmentedFile, type Packaging } from '../plan/decide/packaging.js';
import type { Product } from '../plan/plan-types.js';
import { safeInputArgs } from '../plan/safe-input.js';
import type { EncodedFile } from './encode.js';
import type { PipelineContext } from './pipeline-context.js';
import type { ProducedFile } from './produced-file.js';
import { type ReadKey, randomKey } from './read-key.js';
import { isPlaylistName } from './send-parts.js';
import { inStage, runStage } from './stages.js';

/** A file to deliver, and what packaging revealed, one sentence each. */
interface PackagedOutput {
  readonly file: ProducedFile;
  /** When its segments begin; null if it has none, or no video. */
  readonly times: SegmentTimes | null;
  readonly warnings: readonly string[];
}

/** Segments that are longer than requested by more than this are reported. */
const reportedExcessSeconds = 0.5;

const openWarning =
  'Frames at the start of segments need the segment before (open GOP), because the video is copied: players may show damage after a jump. Encode the video instead.';

function longWarning(
  longest: number,
  { segmentSeconds }: Packaging,
  {
    parts,
    media,
    isCopied,
  }: {
    readonly parts: readonly PackagedPart[];
    readonly media: MediaFacts;
    readonly isCopied: boolean;
  },
): string {
  // Audio that is longer than the video is in the last segment of both.
  const isLast = parts.some(
    ({ kind, segments }) => kind === 'both' && segments.at(-1)?.segment.durationSeconds === longest,
  );
  const reason =
    isLast && media.audio !== null && !isCopied
      ? 'its audio is longer than its video'
      : 'segments begin at keyframes';
  return `The longest segment has ${longest.toFixed(1)} seconds instead of ${segmentSeconds}, because ${reason}.`;
}

/**
 * The demuxers of segments: ffmpeg does not recognise a transport stream of a few packets, such as a segment of a still
 * image.
 */
const demuxers: Readonly<Partial<Record<Packaging['container'], string>>> = { ts: 'mpegts', fmp4: 'mov' };

/**
 * The arguments that decode files without keeping the frames. The deblocking filter is skipped: damage shows before it.
 */
function decodeArgs(
  paths: readonly string[],
  streams: DecodedStreams,
  container: Packaging['container'],
): readonly string[] {
  const name = demuxers[container];
  const demuxer = name === undefined ? [] : ['-f', name];
  const maps = { video: ['v'], chosen: [], 'video and found audio': ['v?', 'a:u?'] }[streams];
  return [
    ...paths.flatMap((path) => ['-skip_loop_filter', 'all', ...demuxer, ...safeInputArgs(path)]),
    ...paths.flatMap((_, index) => maps.flatMap((stream) => ['-map', `${index}:${stream}`])),
    // Builds of 2018 buffer at most 128 packets of audio by default, while they wait for the first frame of a slow
    // video.
    ...['-max_muxing_queue_size', '16384', '-f', 'null', '-'],
  ];
}

/**
 * Cuts an encoded output into segments, if it asks for them, and writes their playlist, which then is its file, or
 * writes it as fragmented MP4. Writes the captions that belong next to it. On failure the output fails
 * (`SegmentingError`) and null is returned.
 */
export async function packageOutput(
  run: Run,
  context: PipelineContext,
  {
    output,
    encoded,
    source,
    scratch,
    readKey,
  }: {
    readonly output: JobOutput;
    readonly encoded: EncodedFile;
    /** The facts of the file that it was made from. */
    readonly source: MediaFacts | null;
    readonly scratch: string;
    readonly readKey: ReadKey;
  },
): Promise<PackagedOutput | null> {
  const { product, media } = encoded;
  const { packaging } = product;
  if (packaging === undefined) {
    const captionFiles = await sidecarsOf(output, product, scratch);
    return { file: { ...encoded, ...captionFiles, file: null }, times: null, warnings: [] };
  }
  const isOneFile = isFragmentedFile(packaging);
  const prefix = `segments-${output.id}`;
  const read = await readKey(run, output);
  if (read === null) return null;
  const cut = async (): Promise<PackagedOutput> => {
    const captions = isOneFile ? [] : (product.captionRenditions ?? []);
    const options = {
      folder: scratch,
      prefix,
      packaging,
      captions,
      media,
      audio: product.audio,
      key: read.key,
      randomKey,
      signal: run.signal,
    };
    const { main, files, parts, facts } = await packageRendition(product.path, options);
    await rm(product.path, { force: true });
    const decode = (paths: readonly string[], streams: DecodedStreams) =>
      context.ffmpeg.run(['-xerror', ...decodeArgs(paths, streams, packaging.container)], {
        signal: run.signal,
        scratch,
        onProgress: () => {},
      });
    const name = `${prefix}-check`;
    // Copied streams may be damaged where their source is. That is reported, and does not end the output.
    const isCopied = product.video?.copied !== undefined;
    const copyWarnings: string[] = [];
    for (const part of parts) {
      const durationSeconds = durationOf(part, media);
      const problem = await verifyRendition(part, { durationSeconds, folder: scratch, name, decode });
      if (problem !== null && !isCopied) throw new RangeError(problem);
      if (problem !== null)
        copyWarnings.push(`The copied video is damaged, or it cannot be cut: ${problem}.`);
    }
    if (isOneFile) {
      const captionFiles = await sidecarsOf(output, product, scratch);
      const file = { product: main, ...captionFiles, media, file: null };
      return { file, times: null, warnings: copyWarnings };
    }
    if (isCopied && parts.some(({ isClosed }) => !isClosed)) copyWarnings.push(openWarning);
    await verifyDocuments(main, files);
    const longest = facts.longestSegmentSeconds;
    return {
      file: {
        product: main,
        rendition: { files, facts },
        media: measuredMedia(media, parts, facts),
        file: null,
      },
      times: timesOf(parts, { output, product, source, facts }),
      warnings: [
        ...copyWarnings,
        ...(longest > packaging.segmentSeconds + reportedExcessSeconds
          ? [longWarning(longest, packaging, { parts, media, isCopied })]
          : []),
      ],
    };
  };
  return runStage(
    run,
    () =>
      inStage(run, { name: 'package', outputIds: [output.id] }, cut).catch((error: unknown) => {
        if (!(error instanceof RangeError)) throw error;
        const message = `The output could not be cut into segments: ${error.message}.`;
        throw new VencError('SegmentingError', message, { cause: error });
      }),
    'SegmentingError',
    (failure) => run.change({ type: 'output-failed', id: output.id, failure }),
  );
}

/**
 * The facts of a file with what was measured of its segments: containers declare some durations and frame rates wrong.
 */
function measuredMedia(media: MediaFacts, parts: readonly PackagedPart[], facts: RenditionFacts): MediaFacts {
  const ends = parts.map(({ segments }) => durationOfSegments(segments));
  const { video } = media;
  return {
    ...media,
    durationSeconds: Math.max(...ends),
    video: video === null ? null : { ...video, frameRate: declaredFrameRate(facts, video.frameRate) },
  };
}

/** Verifies the addresses in the playlists and manifests of a rendition. */
async function verifyDocuments(
  main: { readonly path: string },
  files: readonly PackagedFile[],
): Promise<void> {
  const documents: { readonly name: string; readonly text: string }[] = [];
  for (const { path, name } of [{ ...main, name: '' }, ...files.filter((file) => isPlaylistName(file.name))])
    documents.push({ name, text: await readFile(path, 'utf8') });
  verifyAddresses(documents, new Set(files.map(({ name }) => name)));
}

/** Writes the captions that are files next to an output, if it has some. */
async function sidecarsOf(
  { id, settings, destination }: JobOutput,
  { captionRenditions = [] }: Product,
  scratch: string,
): Promise<Pick<ProducedFile, 'captionFiles'>> {
  const requested = new Set((settings.caption_url ?? []).map(({ url }) => url));
  const captionFiles = await writeCaptionFiles(captionRenditions, {
    folder: scratch,
    prefix: `sidecar-${id}`,
    stem: withoutExtension(fileNameInUrl(destination)),
    // The captions of the request may have such a name themselves.
    isTaken: (name) => requested.has(siblingInUrl(destination, name)),
  });
  return captionFiles.length === 0 ? {} : { captionFiles };
}

function timesOf(
  parts: readonly PackagedPart[],
  {
    output,
    product: { packaging, video },
    source,
    facts,
  }: {
    readonly output: JobOutput;
    readonly product: Product;
    readonly source: MediaFacts | null;
    readonly facts: RenditionFacts;
  },
): SegmentTimes | null {
  const starts = parts.map(startsOf).find((found) => found !== null) ?? null;
  if (starts === null || video === null || packaging === undefined) return null;
  const isVariable = source?.video?.isFrameRateVariable === true || facts.frameRate === undefined;
  return {
    ...starts,
    segmentSeconds: packaging.segmentSeconds,
    frameSeconds: isVariable ? null : 1 / (facts.frameRate ?? 1),
    isInputCopied: video.copied !== undefined && output.settings.source === undefined,
  };
}

/**
 * The duration of the file that was cut, as far as a part has it; null if it is not known. That of a video is also
 * compared with the whole file: ffprobe counts the decoding times of the frames, so a video with varying times may seem
 * to be seconds shorter than it is.
 */
function durationOf(
  { kind, audioIndex = 0 }: PackagedPart,
  media: MediaFacts,
): readonly [number, number] | null {
  const { video, durationSeconds: whole } = media;
  const track = kind === 'audio' ? audioStreams(media)[audioIndex] : video;
  const own = track?.durationSeconds ?? whole;
  if (own === null) return null;
  return kind === 'audio' || whole === null ? [own, own] : [Math.min(own, whole), Math.max(own, whole)];
}
