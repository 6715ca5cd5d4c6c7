import { createReadStream, createWriteStream } from 'node:fs';
import { rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { decryptorOf, type SegmentCipher } from './encryption.js';
import type { PackagedPart } from './rendition-files.js';
import type { RenditionSegment } from './rendition-playlists.js';

/**
 * Which streams are decoded: the video, the streams that the decoder chooses, or the video and the audio whose format
 * it found. The audio of slow video may follow in the next segment.
 */
export type DecodedStreams = 'video' | 'chosen' | 'video and found audio';

/** How a rendition is verified. */
interface VerifyOptions {
  /** The shortest and the longest duration that the file that was cut may have; null if unknown. */
  readonly durationSeconds: readonly [shortest: number, longest: number] | null;
  /** Decodes streams of files, each file alone and from start to end. Rejects if one fails. */
  readonly decode: (paths: readonly string[], streams: DecodedStreams) => Promise<void>;
  /** The folder of temporary files, and what their names begin with. */
  readonly folder: string;
  readonly name: string;
}

/** Durations of transport streams are estimated from their last frames. */
const toleranceSeconds = 1;

/**
 * Verifies the segments of a rendition as they were written: together they are as long as the file that was cut, each
 * follows the one before it. Throws `RangeError` if they are not. Resolves to why the first one, one in the middle or
 * the last one cannot be decoded alone, as a part of a sentence; null if they can.
 */
export async function verifyRendition(
  { kind, segments, header, encryption }: PackagedPart,
  { durationSeconds, decode, folder, name }: VerifyOptions,
): Promise<string | null> {
  const last = segments.at(-1)?.segment;
  const end = last === undefined ? 0 : last.startSeconds + last.durationSeconds;
  const sum = segments.reduce((total, { segment }) => total + segment.durationSeconds, 0);
  if (segments.some(({ segment }) => !(segment.durationSeconds > 0 && segment.sizeBytes > 0)))
    throw new RangeError('a segment is empty');
  if (Math.abs(sum - end) > 0.001) throw new RangeError('the segments overlap or leave gaps');
  if (durationSeconds !== null) {
    const [shortest, longest] = durationSeconds;
    const tolerance = Math.max(toleranceSeconds, sum * 0.02);
    if (sum < shortest - tolerance || sum > longest + tolerance)
      throw new RangeError(`the segments have ${sum.toFixed(1)} seconds, and the file ${longest.toFixed(1)}`);
  }
  const chosen = new Set([0, Math.floor((segments.length - 1) / 2), segments.length - 1]);
  const samples: Sample[] = [];
  try {
    for (const index of chosen) {
      const segment = segments[index];
      if (segment === undefined) continue;
      const path = join(folder, `${name}-${index}`);
      samples.push(await sampleOf(segment, index, { header, encryption, path }));
    }
    return await decodeSamples(samples, { hasVideo: kind !== 'audio', decode });
  } finally {
    for (const { path, isCopy } of samples) if (isCopy) await rm(path, { force: true });
  }
}

/** A segment as a file that a decoder reads. */
interface Sample {
  readonly path: string;
  /** The position of the segment, from 1. */
  readonly number: number;
  /** Whether the file was written to be decoded: with its header, without its encryption, or out of a larger file. */
  readonly isCopy: boolean;
}

async function sampleOf(
  { written: { file, range } }: RenditionSegment,
  index: number,
  { header, encryption, path }: Pick<PackagedPart, 'header' | 'encryption'> & { readonly path: string },
): Promise<Sample> {
  const number = index + 1;
  if (encryption === null && header === null && (await stat(file.path)).size === range.sizeBytes)
    return { path: file.path, number, isCopy: false };
  const part = createReadStream(file.path, {
    start: range.offset,
    end: range.offset + range.sizeBytes - 1,
  });
  const plain = encryption === null ? part : decrypted(part, decryptorOf(encryption, index));
  await writeFile(path, header ?? '');
  await pipeline(plain, createWriteStream(path, { flags: 'a' }));
  return { path, number, isCopy: true };
}

/**
 * Decodes all samples in one run of the decoder, which starts faster than several. If that fails, each is decoded to
 * find the damaged one. There may be none: builds of 2018 reject audio without a frame.
 */
async function decodeSamples(
  samples: readonly Sample[],
  { hasVideo, decode }: Pick<VerifyOptions, 'decode'> & { readonly hasVideo: boolean },
): Promise<string | null> {
  const areValid = await decode(
    samples.map(({ path }) => path),
    'video and found audio',
  ).then(
    () => true,
    () => false,
  );
  if (areValid) return null;
  for (const { path, number } of samples) {
    try {
      if (hasVideo) await decode([path], 'video');
      await decode([path], 'chosen');
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      return `segment ${number} cannot be decoded alone (${reason})`;
    }
  }
  return null;
}

async function* decrypted(chunks: AsyncIterable<Buffer>, cipher: SegmentCipher): AsyncGenerator<Buffer> {
  for await (const chunk of chunks) yield cipher.update(chunk);
  yield cipher.final();
}
