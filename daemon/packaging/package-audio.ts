import { open } from 'node:fs/promises';
import { segmentNames } from '../plan/decide/packaging.js';
import { readChunks } from '../transfer/read-file.js';
import { frameAt } from './audio-frames.js';
import { measureRates } from './bitrates.js';
import { writeCaptions } from './caption-renditions.js';
import { minRestSeconds } from './cut-track.js';
import {
  keysOf,
  type PackagedRendition,
  type PackageOptions,
  pathWith,
  writeContent,
  writeKeys,
} from './rendition-files.js';
import {
  isIndependent,
  longestOf,
  type RenditionSegment,
  renditionPlaylist,
  sizedSegment,
} from './rendition-playlists.js';
import { type Segment, transportStreamStart } from './segments.js';
import { writeSegments } from './write-segments.js';

/** Cuts a file of frames of AAC (ADTS), MP3, AC-3 or E-AC-3 into packed audio (RFC 8216, section 3.4): see `packageRendition`. */
export async function packageAudio(path: string, options: PackageOptions): Promise<PackagedRendition> {
  const { packaging, signal } = options;
  const { cut, codec, primingSeconds } = await scan(path, packaging.segmentSeconds, signal);
  const names = segmentNames(packaging, null);
  const files = cut.map((_, index) => ({
    name: names.segment(index),
    path: pathWith(options, packaging.hasByteRanges ? 'all' : `${index + 1}`),
  }));
  const encryption = keysOf(options, cut.length);
  // The times are those of transport streams, so that players can change between them and packed audio.
  const prefixOf = ({ startSeconds }: Segment) =>
    timestampTag(transportStreamStart + startSeconds - primingSeconds);
  const written = await writeSegments(path, cut, { files, prefixOf, encryption, signal });
  const segments = written.segments.flatMap((one, index): readonly RenditionSegment[] => {
    const segment = cut[index];
    return segment === undefined ? [] : [{ segment, written: one }];
  });
  const text = renditionPlaylist(segments, packaging, { encryption, header: null, isClosed: true });
  const captions = await writeCaptions(options, segments);
  const { peak, average } = measureRates(segments.map(sizedSegment), packaging.segmentSeconds);
  return {
    main: await writeContent(text, { path: pathWith(options, 'playlist.m3u8'), name: '' }),
    files: [...written.files, ...(await writeKeys(options, encryption)), ...captions.files],
    parts: [{ kind: 'audio', header: null, segments, encryption, isClosed: true }],
    facts: {
      segments: segments.length,
      longestSegmentSeconds: longestOf(segments),
      videoCodec: null,
      audioCodec: codec,
      peakBitrate: peak,
      averageBitrate: average,
      isIndependent: isIndependent(packaging, true),
    },
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

/** Encoders make the audio a little longer than it was, so a last segment may have only a frame, which players and ffmpeg do not recognise. */
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
  if (cut.length === 0) throw new RangeError('the file has no frames');
  return { cut, codec, primingSeconds };
}
