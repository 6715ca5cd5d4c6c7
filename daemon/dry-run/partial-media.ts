import type { Ffmpeg } from '../ffmpeg/index.js';
import type { AudioFacts, MediaFacts, VideoFacts } from '../jobs/media.js';

/** Formats that declare no length: it is counted from all their frames. */
const countedFormats: ReadonlySet<string> = new Set([
  ...['aac', 'ac3', 'eac3', 'dts', 'dtshd', 'truehd', 'mlp', 'amr', 'loas', 'gif', 'apng'],
]);

/** What the first frame of an MP3 file has if it says how many follow. */
const mp3Headers = ['Xing', 'Info', 'VBRI'] as const;

/**
 * An ffmpeg that reads a file of which only the start and the end are known: it reports no length if that was counted
 * from what lies between them. `head` is the start of the file.
 */
export function ffmpegForParts(ffmpeg: Ffmpeg, head: Buffer): Ffmpeg {
  return {
    ...ffmpeg,
    probe: async (...args) => {
      const media = await ffmpeg.probe(...args);
      return declaresLength(media, head) ? media : withoutLength(media);
    },
  };
}

function declaresLength({ format, isJoined, declaredSeconds }: MediaFacts, head: Buffer): boolean {
  // In the gap, the times of a transport stream seem to begin again.
  if (isJoined === true || declaredSeconds !== undefined) return false;
  if (format === 'mp3') return mp3Headers.some((text) => head.includes(text));
  // The movie continues in fragments.
  if (format === 'mpeg4') return !head.includes('mvex');
  return !countedFormats.has(format);
}

function withoutLength(media: MediaFacts): MediaFacts {
  const { isJoined: _, declaredSeconds: __, video, audio, otherAudio, ...others } = media;
  return {
    ...others,
    ...{ durationSeconds: null, totalBitrateKbps: null },
    video: video === null ? null : withoutLastFrame(withoutEnd(video)),
    audio: audio === null ? null : withoutEnd(audio),
    ...(otherAudio && { otherAudio: otherAudio.map(withoutEnd) }),
  };
}

function withoutEnd<Stream extends AudioFacts | VideoFacts>(stream: Stream): Stream {
  return { ...stream, durationSeconds: null };
}

function withoutLastFrame({ lastFrame: _, ...video }: VideoFacts): VideoFacts {
  return video;
}
