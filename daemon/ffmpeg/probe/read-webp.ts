import { VencError } from '../../../src/shared/errors.js';
import { sum } from '../../../src/shared/text/numbers.js';
import type { MediaFacts, VideoFacts } from '../../jobs/media.js';
import { withFile } from './scan-file.js';

/** A chunk of a RIFF file: where its content begins, and how long that is. */
interface Chunk {
  readonly name: string;
  readonly start: number;
  readonly length: number;
}

const headerBytes = 8;
/** Size of the fields of `ANMF` before the image of the frame. */
const frameFieldBytes = 16;

/**
 * Reads what a WebP file has from its chunks, because ffmpeg cannot decode animated ones. Each frame must be within the
 * canvas and contain an image. A file with a single frame is a still image, which has no duration. Rejects with
 * `UnsupportedInputError` if a chunk is missing, cut off or contradictory.
 */
export function readWebp(path: string): Promise<MediaFacts> {
  return withFile(path, async (handle) => {
    const { size } = await handle.stat();
    const read = async (start: number, length: number) => {
      const bytes = Buffer.alloc(length);
      const { bytesRead } = await handle.read(bytes, 0, length, start);
      if (bytesRead < length) throw invalid('it is cut off');
      return bytes;
    };
    const listChunks = async (start: number, end: number) => {
      const chunks: Chunk[] = [];
      for (let at = start; at < end; ) {
        const header = await read(at, headerBytes);
        const length = header.readUInt32LE(4);
        const next = at + headerBytes + length + (length % 2);
        if (next > end) throw invalid('it is cut off');
        chunks.push({ name: header.toString('latin1', 0, 4), start: at + headerBytes, length });
        at = next;
      }
      return chunks;
    };
    /** The size of the image among chunks. */
    const imageSize = async (chunks: readonly Chunk[]): Promise<PixelSize> => {
      const image = chunks.find(({ name, length }) => /^VP8[ L]$/.test(name) && length >= 10);
      if (image === undefined) throw invalid('a frame has no image');
      const bytes = await read(image.start, 10);
      if (image.name === 'VP8 ')
        return { width: bytes.readUInt16LE(6) & 0x3fff, height: bytes.readUInt16LE(8) & 0x3fff };
      const bits = bytes.readUInt32LE(1);
      return { width: (bits & 0x3fff) + 1, height: ((bits >> 14) & 0x3fff) + 1 };
    };
    const head = await read(0, 12);
    if (!/^RIFF....WEBP$/s.test(head.toString('latin1'))) throw invalid('it has no header');
    if (head.readUInt32LE(4) + headerBytes !== size) throw invalid('it is cut off');
    const chunks = await listChunks(12, size);
    const frames = chunks.filter(({ name }) => name === 'ANMF');
    const canvas = chunks.find(({ name, length }) => name === 'VP8X' && length >= 10);
    if (frames.length === 0 || canvas === undefined)
      return mediaFactsOf({ ...(await imageSize(chunks)), durations: [], sizeBytes: size });
    const { width, height } = canvasSize(await read(canvas.start, 10));
    if (!chunks.some(({ name }) => name === 'ANIM')) throw invalid('it has no animation');
    const durations: number[] = [];
    for (const { start, length } of frames) {
      const fields = await read(start, frameFieldBytes);
      const right = fields.readUIntLE(0, 3) * 2 + fields.readUIntLE(6, 3) + 1;
      const bottom = fields.readUIntLE(3, 3) * 2 + fields.readUIntLE(9, 3) + 1;
      if (right > width || bottom > height) throw invalid('a frame is outside its canvas');
      await imageSize(await listChunks(start + frameFieldBytes, start + length));
      durations.push(fields.readUIntLE(12, 3) / 1000);
    }
    return mediaFactsOf({ width, height, durations, sizeBytes: size });
  });
}

type PixelSize = Pick<VideoFacts, 'width' | 'height'>;

function canvasSize(fields: Buffer): PixelSize {
  return { width: fields.readUIntLE(4, 3) + 1, height: fields.readUIntLE(7, 3) + 1 };
}

function invalid(why: string): VencError {
  return new VencError('UnsupportedInputError', `The WebP file cannot be read: ${why}.`);
}

function mediaFactsOf(
  found: PixelSize & { readonly durations: readonly number[]; readonly sizeBytes: number },
): MediaFacts {
  const { width, height, durations, sizeBytes } = found;
  const seconds = durations.length === 0 ? null : sum(durations);
  if (seconds === 0) throw invalid('its frames have no duration');
  const kbps = seconds === null ? null : Math.round((sizeBytes * 8) / 1000 / seconds);
  return {
    format: 'webp',
    durationSeconds: seconds,
    totalBitrateKbps: kbps,
    audio: null,
    video: {
      streamIndex: 0,
      codec: 'webp',
      ...{ width, height, sampleAspectRatio: { numerator: 1, denominator: 1 }, rotationDegrees: 0 },
      frameRate:
        seconds === null
          ? null
          : { numerator: durations.length * 1000, denominator: Math.round(seconds * 1000) },
      isFrameRateVariable: new Set(durations).size > 1,
      fieldOrder: 'progressive',
      pixelFormat: 'yuv420p',
      bitrateKbps: kbps,
      durationSeconds: seconds,
      startSeconds: 0,
      frameCount: Math.max(1, durations.length),
    },
  };
}
