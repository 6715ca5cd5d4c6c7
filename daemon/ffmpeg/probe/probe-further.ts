import type { Analysis } from '../../jobs/media.js';
import { numberAt, objectAt, objectsAt, type ProbeObject, parseProbe, textAt } from './probe-fields.js';
import { isCodecKnown, isUsableAudio } from './read-streams.js';
import { isVideo, pixelsOf } from './read-video.js';
import { withFile } from './scan-file.js';
import { selectProgram } from './select-program.js';

/** What a probe printed. */
interface Probed {
  readonly json: string;
  readonly stderr: string;
}

/** A file, and how ffprobe is run on it. */
interface FileToProbe {
  readonly path: string;
  readonly head: Buffer;
  readonly sizeBytes: number;
  /** The programme that outputs are made from; undefined for the default one. */
  readonly program: string | undefined;
  /** Runs ffprobe with that analysis; null if it fails. */
  readonly probe: (analysis: Analysis) => Promise<Probed | null>;
}

/** How far a file is read if its start does not show all tracks: first this far, then to its end. */
const analyses = (sizeBytes: number): readonly Analysis[] => [
  { seconds: 120, bytes: 200_000_000 },
  { seconds: 1_000_000, bytes: Math.max(200_000_000, sizeBytes + 1) },
];
/** Read after the start of a late track, so that ffmpeg has enough of its packets. */
const marginSeconds = 15;

/**
 * Probes a file further if the first probe does not show the properties of a track, because it begins late: ffprobe
 * prints a size of 0x0, 0 channels or a rate of 0, or does not list the track at all. `analysis` is how far ffmpeg must
 * read to know it, for all later runs; absent if the default is enough or nothing was found.
 */
export async function probeFurther(
  first: Probed,
  file: FileToProbe,
): Promise<Probed & { readonly analysis?: Analysis }> {
  const unlisted = await findUnlisted(file, parseProbe(first.json));
  const countMissing = (json: ProbeObject): number => {
    const { streams = [] } = selectProgram(json, file.program, new Set()) ?? {};
    return streams.filter(isIncomplete).length + unlisted(json);
  };
  let best: Probed & { readonly analysis?: Analysis } = first;
  let missing = countMissing(parseProbe(first.json));
  for (const analysis of analyses(file.sizeBytes)) {
    if (missing === 0) break;
    const next = await file.probe(analysis);
    if (next === null) break;
    const json = parseProbe(next.json);
    const nextMissing = countMissing(json);
    // More tracks may be listed now, and some of them be incomplete.
    const isBetter = nextMissing < missing || countComplete(json) > countComplete(parseProbe(best.json));
    if (isBetter)
      best = { ...next, analysis: { ...analysis, seconds: secondsNeeded(json, analysis.seconds) } };
    missing = nextMissing;
  }
  return best;
}

/** Whether ffprobe knows that a stream is video or audio of a codec, but found no frame of it. */
function isIncomplete(stream: ProbeObject): boolean {
  if (!isCodecKnown(stream)) return false;
  if (isVideo(stream)) return pixelsOf(stream) === 0;
  return textAt(stream, 'codec_type') === 'audio' && !isUsableAudio(stream);
}

function countComplete(json: ProbeObject): number {
  return objectsAt(json, 'streams').filter((stream) => isCodecKnown(stream) && !isIncomplete(stream)).length;
}

/**
 * The seconds from the start of the file to the start of its latest track, with a margin; ffmpeg keeps in memory what
 * it reads until then.
 */
function secondsNeeded(json: ProbeObject, maxSeconds: number): number {
  const starts = objectsAt(json, 'streams').flatMap((stream) => numberAt(stream, 'start_time') ?? []);
  const latest =
    Math.max(...starts) - Math.min(...starts, numberAt(objectAt(json, 'format'), 'start_time') ?? 0);
  return Number.isFinite(latest) ? Math.min(maxSeconds, latest + marginSeconds) : maxSeconds;
}

/** Counts the tracks that a file has and a probe does not list. */
type CountUnlisted = (json: ProbeObject) => number;

/** Formats without a list of their tracks: ffprobe lists those of which it saw a packet. */
async function findUnlisted(
  { path, head, sizeBytes }: FileToProbe,
  first: ProbeObject,
): Promise<CountUnlisted> {
  const format = textAt(objectAt(first, 'format'), 'format_name');
  const listed = (json: ProbeObject) => objectsAt(json, 'streams');
  if (format === 'flv') {
    // Bits of the header: 1 is video, 4 is audio. Some programs always set both.
    const kinds = [...((head[4] ?? 0) & 1 ? ['video'] : []), ...((head[4] ?? 0) & 4 ? ['audio'] : [])];
    return (json) =>
      kinds.filter((kind) => !listed(json).some((stream) => textAt(stream, 'codec_type') === kind)).length;
  }
  if (format !== 'mpeg') return () => 0;
  const ids = await sampleStreamIds(path, sizeBytes);
  return (json) => {
    const known = new Set(listed(json).map((stream) => Number(textAt(stream, 'id') ?? Number.NaN) & 0xff));
    return [...ids].filter((id) => !known.has(id)).length;
  };
}

/** How much of a programme stream is looked at for tracks: this many samples of this size. */
const sampleCount = 32;
const sampleBytes = 256 * 1024;

/**
 * The ids of the video, audio and subtitle tracks in samples of a programme stream, as ffprobe prints them without the
 * highest byte.
 */
function sampleStreamIds(path: string, sizeBytes: number): Promise<ReadonlySet<number>> {
  const ids = new Set<number>();
  return withFile(path, async (file) => {
    const buffer = Buffer.alloc(Math.min(sampleBytes, sizeBytes));
    const stepBytes = Math.max(sampleBytes, (sizeBytes - sampleBytes) / (sampleCount - 1));
    for (let position = 0; position < sizeBytes; position += stepBytes) {
      const { bytesRead } = await file.read(buffer, 0, buffer.length, Math.floor(position));
      addStreamIds(buffer.subarray(0, bytesRead), ids);
    }
    return ids;
  });
}

const startCode = Buffer.from([0, 0, 1]);
const privateStream = 0xbd;

/**
 * Adds the ids of the packets in a sample. A packet counts if another one follows it: audio may contain the bytes of a
 * start code.
 */
function addStreamIds(sample: Buffer, ids: Set<number>): void {
  let at = sample.indexOf(startCode);
  while (at !== -1 && at + 9 < sample.length) {
    const id = sample[at + 3] ?? 0;
    const end = at + 6 + sample.readUInt16BE(at + 4);
    const isPacket = id >= 0xba && sample.indexOf(startCode, end) === end && (sample[end + 3] ?? 0) >= 0xb9;
    if (isPacket && id >= 0xc0 && id <= 0xef) ids.add(id);
    if (isPacket && id === privateStream) {
      const substream = sample[at + 9 + (sample[at + 8] ?? 0)] ?? 0;
      // Subtitles, AC-3 and DTS, PCM and TrueHD.
      if (/^(?:[23].|8.|[ab].)$/.test(substream.toString(16))) ids.add(substream);
    }
    at = sample.indexOf(startCode, isPacket ? end : at + 3);
  }
}
