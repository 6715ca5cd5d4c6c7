import { open } from 'node:fs/promises';
import { readChunks } from '../transfer/read-file.js';
import { frameAt } from './audio-frames.js';
import { minRestSeconds } from './cut-track.js';
import { type CutRendition, type PackageOptions, writeParts } from './rendition-files.js';
import { type Segment, transportStreamStart } from './segments.js';

/** Cuts a file of frames of AAC (ADTS), MP3, AC-3 or E-AC-3 into packed audio (RFC 8216, section 3.4). */
export async function cutPackedAudio(path: string, options: PackageOptions): Promise<CutRendition> {
  const { cut, codec, primingSeconds } = await scan(path, options.packaging.segmentSeconds, options.signal);
  const { encryption, ...written } = await writeParts(path, cut, options, {
    extension: '',
    // The times are those of transport streams, so that players can change between them and packed audio.
    prefixOf: ({ startSeconds }) => timestampTag(transportStreamStart + startSeconds - primingSeconds),
  });
  const codecs = { video: null, audio: codec };
  return {
    parts: [{ kind: 'audio', header: null, ...written, codecs, frames: 0, isClosed: true }],
    encryption,
    keyframeHeader: null,
  };
}

/** An ID3 tag with the time of the first frame behind it: a private frame of Apple with 8 bytes in units of 90 kHz. */
function timestampTag(seconds: number): Buffer {
  const owner = Buffer.from('com.apple.streaming.transportStreamTimestamp\0', 'latin1');
  const time = Buffer.alloc(8);
  time.writeBigUInt64BE(BigInt(Math.round(Math.max(0, seconds) * 90_000)));
  const content = Buffer.concat([owner, time]);
  const frame = Buffer.concat([
    Buffer.from('PRIV', 'latin1'),
    sizeOf(content.length),
    Buffer.alloc(2),
    content,
  ]);
  return Buffer.concat([Buffer.from('ID3\x04\0\0', 'latin1'), sizeOf(frame.length), frame]);
}

/** A size in 4 bytes of 7 bits each; these are below 128. */
function sizeOf(bytes: number): Buffer {
  return Buffer.from([0, 0, 0, bytes]);
}

/**
 * Encoders make the audio a little longer than it was, so a last segment may have only a frame, which players and
 * ffmpeg do not recognise.
 */
function mergeShortRest(cut: Segment[]): void {
  const [previous, last] = cut.slice(-2);
  if (previous === undefined || last === undefined || last.durationSeconds >= minRestSeconds) return;
  cut.splice(-2, 2, {
    ...previous,
    durationSeconds: previous.durationSeconds + last.durationSeconds,
    sizeBytes: previous.sizeBytes + last.sizeBytes,
  });
}

async function scan(path: string, segmentSeconds: number, signal: AbortSignal) {
  const handle = await open(path, 'r');
  const cut: Segment[] = [];
  let rest: Buffer = Buffer.alloc(0);
  let restOffset = 0;
  let segment = { offset: 0, startSeconds: 0 };
  let seconds = 0;
  let codec: string | null = null;
  let primingSeconds = 0;
  const close = (endOffset: number) => {
    const keyframes = [{ offset: segment.offset, seconds: segment.startSeconds, keyframeBytes: 0 }];
    const durationSeconds = seconds - segment.startSeconds;
    if (endOffset > segment.offset)
      cut.push({ ...segment, durationSeconds, sizeBytes: endOffset - segment.offset, keyframes });
    segment = { offset: endOffset, startSeconds: seconds };
  };
  try {
    await readChunks(
      handle,
      (chunk) => {
        rest = Buffer.concat([rest, chunk]);
        let at = 0;
        for (let frame = frameAt(rest, at); frame !== null && at + frame.bytes <= rest.length; ) {
          // A segment begins with the last frame that starts at or before its time.
          const next = (Math.floor(segment.startSeconds / segmentSeconds + 0.01) + 1) * segmentSeconds;
          if (seconds + frame.seconds > next + 0.0015) close(restOffset + at);
          if (codec === null) ({ codec, primingSeconds } = frame);
          seconds += frame.seconds;
          at += frame.bytes;
          frame = frameAt(rest, at);
        }
        rest = Buffer.from(rest.subarray(at));
        restOffset += at;
      },
      signal,
    );
  } finally {
    await handle.close();
  }
  close(restOffset);
  mergeShortRest(cut);
  return { cut, codec, primingSeconds };
}
