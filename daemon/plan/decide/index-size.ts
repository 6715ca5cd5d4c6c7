import { sum } from '../../../src/shared/text/numbers.js';
import type { MediaFacts } from '../../jobs/media.js';
import type { AudioTrack, DraftDecision } from './decisions.js';

/** Below this size, writing the file again costs less than the start of a run. */
const minFileBytes = 32_000_000;
/** The most that is reserved: of the file, and in all. What the index does not need stays empty. */
const maxShare = 0.005;
const maxReservedBytes = 16_000_000;
/** From here on, ffmpeg may store offsets in 64 bits. */
const largeFileBytes = 3_500_000_000;

/** The packets of a track, and what the index stores about each of them in any case. */
interface Packets {
  readonly count: number;
  readonly bytes: number;
}

/**
 * How many bytes to reserve for the index of an MP4 (`moov`) in front of its media, so that the file need not be
 * written again to move the index there. Null if that is not worth it, or if the number of packets is not known: for
 * encoded video, small files, and low bitrates. An estimate, which a run may find too low (`isIndexTooLarge`).
 */
export function reservedIndexBytes(
  decision: DraftDecision,
  { totalBitrateKbps }: Pick<MediaFacts, 'totalBitrateKbps'>,
): number | null {
  const { container, copiedVideo, packaging, audio, clip, captions = [], covers = [], metadata } = decision;
  const seconds = clip.expectedSeconds;
  const rate = copiedVideo?.source.frameRate ?? null;
  if (container.hasIndex !== true || packaging !== undefined) return null;
  if (seconds === null || rate === null || totalBitrateKbps === null) return null;
  const fileBytes = (totalBitrateKbps * 1000 * seconds) / 8;
  if (fileBytes < minFileBytes) return null;
  const tracks = [
    { count: (seconds * rate.numerator) / rate.denominator, bytes: videoPacketBytes },
    ...audio.map((track) => audioPackets(track, seconds)),
    ...captions.map((track) => ({
      // Two packets for each caption, whose times alone have 30 characters.
      count: track.from === 'file' ? track.content.length / 15 : 2 * seconds,
      bytes: 12,
    })),
  ];
  const offsetBytes = fileBytes < largeFileBytes ? 4 : 8;
  const labels = [
    ...(metadata?.tags ?? []).map(({ name, value }) => name.length + value.length),
    ...(metadata?.chapters ?? []).map(({ title = '' }) => title.length + 40),
  ];
  const bytes =
    4096 +
    1024 * tracks.length +
    1.1 * sum(tracks.map((track) => track.count * track.bytes + chunkBytes(track, tracks, offsetBytes))) +
    sum(labels.map((length) => 64 + 4 * length)) +
    sum(covers.map(({ sizeBytes }) => 64 + sizeBytes));
  return bytes > Math.min(maxReservedBytes, fileBytes * maxShare) ? null : Math.ceil(bytes);
}

/** Size 4, time 8, display time 8, disposable 1, and keyframe 4 for a part of them. */
const videoPacketBytes = 22;

function audioPackets({ source, encoding }: AudioTrack, seconds: number): Packets {
  const { sampleRate } = encoding ?? source;
  // Matroska does not say how many samples a packet of DTS has, so the rounded times of most of them are stored.
  if (encoding === null && source.codec === 'dts') return { count: (seconds * sampleRate) / 512, bytes: 12 };
  // Opus has 960 samples at 48 kHz, AMR 160 at 8 kHz, and all others have more.
  return { count: seconds * Math.max(50, sampleRate / 960), bytes: 5 };
}

/**
 * The bytes for the chunks of a track, each of which ends where a packet of another track follows. Their number of
 * packets is stored when it changes, as it does where this track has more packets than any other: measured for at most
 * 70 % of its chunks.
 */
function chunkBytes(track: Packets, tracks: readonly Packets[], offsetBytes: number): number {
  const others = tracks.filter((other) => other !== track);
  const chunks = Math.min(track.count, sum(others.map(({ count }) => count)) + 1);
  const changing = others.some(({ count }) => count >= track.count) ? 0.1 : 0.8;
  return chunks * (offsetBytes + 12 * changing);
}
