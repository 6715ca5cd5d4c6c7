import { open } from 'node:fs/promises';

/** The codecs whose frames can carry closed captions (ATSC A/53, part 4). */
const codecs: ReadonlySet<string> = new Set(['mpeg2video', 'h264', 'hevc', 'av1']);

/** What precedes the captions of a frame: those of MPEG-2 are user data, those of the others are registered by ITU-T T.35. */
const markers = ['000001b24741393403', 'b500314741393403'].map((hex) => Buffer.from(hex, 'hex'));

/** How much is read at the start, in the middle and at the end of the file. Captions are in nearly every frame of a video that has some. */
const sampleBytes = 1 << 20;

/**
 * Whether the frames of a video carry closed captions (CEA-608, CEA-708). ffprobe does not report them for files whose header describes the
 * streams, because it decodes no frame of these.
 */
export async function hasClosedCaptions(path: string, codec: string, sizeBytes: number): Promise<boolean> {
  if (!codecs.has(codec)) return false;
  const last = Math.max(0, sizeBytes - sampleBytes);
  const file = await open(path);
  try {
    const buffer = Buffer.alloc(Math.min(sampleBytes, sizeBytes));
    for (const position of new Set([0, Math.floor(last / 2), last])) {
      const { bytesRead } = await file.read(buffer, 0, buffer.length, position);
      const sample = buffer.subarray(0, bytesRead);
      if (markers.some((marker) => sample.includes(marker))) return true;
    }
    return false;
  } finally {
    await file.close();
  }
}
