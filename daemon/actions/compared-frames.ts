import { createHash } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { LRUCache } from 'lru-cache';
import { isVencError, VencError } from '../../src/shared/errors.js';
import { withoutPassword } from '../../src/shared/redact.js';
import { isEncrypted } from '../../src/shared/settings/encryption.js';
import type { ThumbnailSettings } from '../../src/shared/settings/thumbnails.js';
import { fileNameInUrl, siblingInUrl } from '../../src/shared/text/url-text.js';
import { identityOf } from '../../src/shared/util/disk.js';
import { Semaphore } from '../../src/shared/util/semaphore.js';
import { timeoutSignal } from '../../src/shared/util/timing.js';
import { inputName } from '../ffmpeg/index.js';
import type { FileFacts, Job, JobOutput } from '../jobs/job.js';
import type { MediaFacts, VideoFacts } from '../jobs/media.js';
import { outputsByLabel } from '../jobs/output-graph.js';
import { takeImages } from '../pipeline/extract-thumbnails.js';
import { decideClip } from '../plan/decide/clip.js';
import { decideFit } from '../plan/decide/size.js';
import { mediaStartSeconds } from '../plan/thumbnails.js';
import { linkOpenFile, openProven } from '../transports/file/in-place.js';
import { transportFor } from '../transports/registry.js';
import type { AppContext } from './app-context.js';
import {
  type FilePart,
  type SegmentAt,
  segmentOfPlaylist,
  segmentOfTrack,
  videoTrackOf,
} from './compared-segments.js';
import { Turns } from './turns.js';

/** The two files that are compared. */
export const comparedSides = ['source', 'output'] as const;
/** One of `comparedSides`. */
export type ComparedSide = (typeof comparedSides)[number];

/** A frame of a finished output, or of the film that it was made from. */
export interface FrameRequest {
  readonly job: Job;
  readonly outputId: number;
  readonly side: ComparedSide;
  /** Seconds from the start of the output. A later time than its end is that of its last frame. */
  readonly seconds: number;
  /** The greatest width of the image in pixels. */
  readonly width: number;
  /** Names who asks: each has one frame made at a time. */
  readonly visitor: string;
  readonly signal: AbortSignal;
}

/** The size of the largest image. */
const maxSize = { width: 1920, height: 2160 } as const;
/** Frames that are made at a time, those that wait for it, and those that one visitor may ask for at once. */
const limits = { running: 2, waiting: 8, perVisitor: 6 } as const;
/** The images that are kept in memory, in bytes. */
const maxCachedBytes = 64 * 1024 * 1024;
/** The time in which a frame has to be made, in milliseconds. */
const timeLimitMs = 30_000;

/** What frames need of the daemon. */
type FrameDeps = Pick<AppContext, 'ffmpeg' | 'transports' | 'scratch'>;

/** The file of a side, and how its frame becomes an image of the same size as that of the other. */
interface Subject {
  readonly handle: FileHandle;
  /** null for the whole file. */
  readonly cut: Cut | null;
  readonly media: MediaFacts;
  readonly set: ThumbnailSettings;
  /** Names the image: it changes with the file, the time and the size. */
  readonly tag: string;
}

/** What is read of the file of a segment. */
interface Cut extends Omit<FilePart, 'name'> {
  /** What comes in front of it. */
  readonly header: Buffer;
}

/** The largest playlist and the largest header of segments that are read, in bytes. */
const [maxPlaylistBytes, maxHeaderBytes] = [4 * 1024 * 1024, 1024 * 1024];

/**
 * Makes the frames of a source and an output that a person compares, as PNG images. Both have the size of the output as
 * it is displayed. Few are made at a time, and those made last stay in memory.
 */
export class ComparedFrames {
  readonly #context: FrameDeps;
  readonly #running = new Semaphore(limits.running);
  readonly #visitors = new Turns({
    perClient: limits.perVisitor,
    rejection: 'Too many frames are being made: try again in a second.',
  });
  /** By tag. */
  readonly #images = new LRUCache<string, Buffer>({
    maxSize: maxCachedBytes,
    sizeCalculation: ({ length }) => length,
  });

  constructor(context: FrameDeps) {
    this.#context = context;
  }

  /** Why an output cannot be compared with its source, as one sentence; null if it can. */
  async problem(job: Job, outputId: number): Promise<string | null> {
    try {
      for (const side of comparedSides) {
        const { handle } = await this.#open({ job, outputId, side, seconds: 0, width: maxSize.width });
        await handle.close();
      }
      return null;
    } catch (error) {
      if (isVencError(error)) return error.message;
      throw error;
    }
  }

  /**
   * The image of a frame, and a tag that changes with it; without the image if `knownTag` is its tag. Rejects with
   * `NotFoundError` if a file is not there, `ConflictError` if it cannot be compared, `TooManyRequestsError` if too many
   * frames wait, `TimedOutError`, and as `takeImages` does.
   */
  async frame(
    request: FrameRequest,
    knownTag: string | null,
  ): Promise<{ readonly tag: string; readonly image: Buffer | null }> {
    const subject = await this.#open(request);
    const { handle, tag } = subject;
    try {
      if (tag === knownTag) return { tag, image: null };
      const image =
        this.#images.get(tag) ?? (await this.#inTurn(request, () => this.#make(subject, request)));
      return { tag, image };
    } finally {
      await handle.close();
    }
  }

  async #open({
    job,
    outputId,
    side,
    seconds,
    width,
  }: Pick<FrameRequest, 'job' | 'outputId' | 'side' | 'seconds' | 'width'>): Promise<Subject> {
    const { output, video, media } = comparable(job, outputId);
    const time = Math.round(Math.min(seconds, media.durationSeconds ?? seconds) * 1000) / 1000;
    const { url, file, ...shown } =
      side === 'output'
        ? { url: output.destination, file: output.file, media, time, aspect_mode: 'stretch' as const }
        : sourceOf(job, output, time);
    const { canvas } = decideFit({ ...maxSize, width, aspect_mode: 'preserve' }, video);
    const at = side === 'output' ? await this.#segmentAt(job, output, time) : null;
    const cut = at === null ? null : await this.#cutOf(job, output, at);
    const times = [shown.time - (at?.startSeconds ?? 0)];
    const set = { times, ...canvas, aspect_mode: shown.aspect_mode, format: 'png' } as const;
    const opened = at === null ? url : siblingInUrl(url, at.segment.name);
    const handle = await this.#openFile(side, opened, job, url);
    try {
      const stats = await handle.stat({ bigint: true });
      if (at === null) requireUnchanged(side, Number(stats.size), file);
      const identity = `${identityOf(stats)} ${stats.size} ${stats.mtimeNs} ${cut?.offsetBytes ?? 0}`;
      const facts = [identity, shown.media.video?.rotationDegrees, shown.media.video?.isMirrored, set];
      const tag = createHash('sha256').update(JSON.stringify(facts)).digest('hex').slice(0, 32);
      return { handle, cut, media: shown.media, set, tag };
    } catch (error) {
      await handle.close();
      throw error;
    }
  }

  /** The segment of an output at a time; null if it is one file. */
  async #segmentAt(job: Job, output: JobOutput, seconds: number): Promise<SegmentAt | null> {
    const { rendition, destination: url } = output;
    if (rendition === undefined) return null;
    const track = videoTrackOf(rendition);
    if (track !== undefined) return segmentOfTrack(track, seconds);
    const playlist = await this.#readPart(job, output, fileNameInUrl(url), maxPlaylistBytes);
    return segmentOfPlaylist(playlist.toString('utf8'), seconds);
  }

  async #cutOf(job: Job, output: JobOutput, { header, segment }: SegmentAt): Promise<Cut> {
    const { offsetBytes, sizeBytes } = segment;
    if (header === null) return { header: Buffer.alloc(0), offsetBytes, sizeBytes };
    const bytes = await this.#readPart(job, output, header.name, maxHeaderBytes, header);
    return { header: bytes, offsetBytes, sizeBytes };
  }

  /** Reads a part of a file next to the playlist of an output. Rejects as `#openFile`, also if it is too large. */
  async #readPart(
    job: Job,
    { destination }: JobOutput,
    name: string,
    maxBytes: number,
    { offsetBytes, sizeBytes }: Omit<FilePart, 'name'> = { offsetBytes: 0, sizeBytes: null },
  ): Promise<Buffer> {
    const handle = await this.#openFile('output', siblingInUrl(destination, name), job, destination);
    try {
      const size = sizeBytes ?? (await handle.stat()).size - offsetBytes;
      if (size > maxBytes)
        throw new VencError('ConflictError', `The file ${name} of the output is too large.`);
      const { buffer, bytesRead } = await handle.read(Buffer.alloc(size), 0, size, offsetBytes);
      return buffer.subarray(0, bytesRead);
    } finally {
      await handle.close();
    }
  }

  /**
   * Opens the file of a side if it is on this machine. Rejects with `NotFoundError`, which says why it is not, and where
   * the side is.
   */
  async #openFile(side: ComparedSide, url: string, { input }: Job, shownUrl: string): Promise<FileHandle> {
    const name = side === 'source' ? 'The source' : 'The output';
    const isKept = /^(?:upload|hosted):/i.test(url);
    const handle = await this.#tryOpen(side, url, input).catch((error: unknown) => {
      if (!isVencError(error)) throw error;
      throw new VencError('NotFoundError', `${name} cannot be read: ${error.message}`, { cause: error });
    });
    if (handle !== null) return handle;
    const reason = isKept
      ? 'is not on this machine any more: it has expired or was removed, or it is in a bucket.'
      : `${side === 'source' ? 'was' : 'is'} at ${withoutPassword(shownUrl)} and is not kept.`;
    throw new VencError('NotFoundError', `${name} ${reason}`);
  }

  async #tryOpen(side: ComparedSide, url: string, { inPlace }: Job['input']): Promise<FileHandle | null> {
    if (side === 'source' && inPlace !== undefined) return openProven(url, inPlace);
    return (await transportFor(this.#context.transports, url).openHere?.(url)) ?? null;
  }

  /** Runs a task when it is the turn of its visitor, and few others run. */
  async #inTurn<T>({ visitor, signal }: FrameRequest, task: () => Promise<T>): Promise<T> {
    if (this.#running.waitingCount >= limits.waiting) throw this.#visitors.rejection();
    try {
      return await this.#visitors.run(visitor, signal, () => this.#running.runExclusive(task, signal));
    } catch (error) {
      if (!signal.aborted) throw error;
      throw new VencError('InterruptedError', 'The frame is no longer wanted.', { cause: error });
    }
  }

  async #make({ handle, cut, media, set, tag }: Subject, request: FrameRequest): Promise<Buffer> {
    // An equal request may have made it meanwhile.
    const known = this.#images.get(tag);
    if (known !== undefined) return known;
    const { ffmpeg, scratch } = this.#context;
    if (ffmpeg === null)
      throw new VencError('UnavailableError', 'The machine of the daemon has no ffmpeg to make frames with.');
    const limit = timeoutSignal(timeLimitMs);
    const signal = AbortSignal.any([request.signal, limit]);
    const folder = await scratch.openFor('frame');
    try {
      const path = join(folder, inputName);
      const release = await prepareFile(handle, cut, path, signal);
      try {
        const read = cut === null ? { media, set } : await readSegment(ffmpeg, path, set, signal);
        const { media: known, set: moment } = read;
        const options = { signal, scratch: folder };
        const [file = ''] = await takeImages(ffmpeg, { path, media: known }, moment, options);
        const image = await readFile(file);
        this.#images.set(tag, image);
        return image;
      } finally {
        release();
      }
    } catch (error) {
      if (!limit.aborted || request.signal.aborted) throw error;
      const message = `The frame could not be made within ${timeLimitMs / 1000} s.`;
      throw new VencError('TimedOutError', message, { cause: error });
    } finally {
      await scratch.close(folder);
    }
  }
}

/** Puts a file, or what is cut out of it, at a path. The returned function ends what needs the open file. */
async function prepareFile(
  handle: FileHandle,
  cut: Cut | null,
  path: string,
  signal: AbortSignal,
): Promise<() => void> {
  const isWhole =
    cut === null || (cut.header.length === 0 && cut.offsetBytes === 0 && cut.sizeBytes === null);
  if (isWhole) return linkOpenFile(handle, path);
  const { header, offsetBytes, sizeBytes } = cut;
  const end = sizeBytes === null ? {} : { end: offsetBytes + sizeBytes - 1 };
  const segment = handle.createReadStream({ start: offsetBytes, ...end, autoClose: false });
  async function* bytes() {
    yield header;
    yield* segment;
  }
  await pipeline(bytes, createWriteStream(path), { signal });
  return () => {};
}

/** The facts of a segment, whose times go on from those before, and the moment in it. */
async function readSegment(
  ffmpeg: NonNullable<FrameDeps['ffmpeg']>,
  path: string,
  set: ThumbnailSettings,
  signal: AbortSignal,
): Promise<{ readonly media: MediaFacts; readonly set: ThumbnailSettings }> {
  const media = await ffmpeg.probe(path, signal);
  // Its audio may begin before its video.
  const lead = Math.max(0, (media.video?.startSeconds ?? 0) - mediaStartSeconds(media));
  const [time = 0] = set.times ?? [];
  const seconds = lead + Math.max(0, time);
  return { media, set: { ...set, times: [Math.min(seconds, media.durationSeconds ?? seconds)] } };
}

/** An output that can be compared. Throws `NotFoundError` or `ConflictError`, which says why another cannot. */
function comparable(
  job: Job,
  outputId: number,
): { readonly output: JobOutput; readonly media: MediaFacts; readonly video: VideoFacts } {
  const output = job.outputs.find(({ id }) => id === outputId);
  if (output === undefined)
    throw new VencError('NotFoundError', `The job has no output with the id ${outputId}.`);
  const { state, media, rendition, settings } = output;
  const reject = (reason: string): never => {
    throw new VencError('ConflictError', `The output ${reason}.`);
  };
  if (state !== 'finished') return reject('has not finished');
  if (rendition !== undefined && isEncrypted(settings))
    return reject('is encrypted, and no frames are made of it');
  if (media === null || media.video === null) return reject('has no video');
  return { output, media, video: media.video };
}

/**
 * The source of an output, and which frame of it belongs to a time of the output. Throws `ConflictError` if it has no
 * frames that can be found by their time.
 */
function sourceOf(job: Job, output: JobOutput, seconds: number) {
  const { url, file, media } = job.input;
  if (media === null || media.video === null)
    throw new VencError('ConflictError', 'The source has no video.');
  if (media.isJoined === true)
    throw new VencError(
      'ConflictError',
      'The source consists of recordings that were joined, in which a time cannot be sought.',
    );
  const time = seconds + startOf(job, output, media);
  const { aspect_mode: mode } = output.settings;
  return {
    ...{ url, file, time: Math.min(time, media.durationSeconds ?? time) },
    media: { ...media, video: turned(media.video, output) },
    // Bars and what was cut off are not part of the source.
    aspect_mode: mode === 'pad' || mode === 'crop' ? mode : ('stretch' as const),
  };
}

/** Where an output begins in the source, in seconds. It may be made from a part of another output. */
function startOf(job: Job, output: JobOutput, media: MediaFacts): number {
  const byLabel = outputsByLabel(job.outputs);
  let start = 0;
  let made: JobOutput | undefined = output;
  for (let depth = 0; made !== undefined && depth < job.outputs.length; depth += 1) {
    const decision = decideClip(made.settings, job.test, media);
    start += 'clip' in decision ? decision.clip.startSeconds : 0;
    made = made.settings.source === undefined ? undefined : byLabel.get(made.settings.source);
  }
  return start;
}

/** The source as an output has mirrored and rotated it. */
function turned(video: VideoFacts, { settings: { rotate, flip } }: JobOutput): VideoFacts {
  const rotated = rotate === undefined ? video : { ...video, rotationDegrees: rotate, isMirrored: false };
  if (flip === undefined) return rotated;
  // A mirror from top to bottom is one from left to right, and half a turn.
  const degrees = (rotated.rotationDegrees + (flip === 'vertical' ? 180 : 0)) % 360;
  const rotationDegrees = degrees as VideoFacts['rotationDegrees'];
  return { ...rotated, rotationDegrees, isMirrored: rotated.isMirrored !== true };
}

function requireUnchanged(side: ComparedSide, sizeBytes: number, file: FileFacts | null): void {
  if (file === null || file.sizeBytes === sizeBytes) return;
  throw new VencError('ConflictError', `The ${side} has changed since the job was made.`);
}
