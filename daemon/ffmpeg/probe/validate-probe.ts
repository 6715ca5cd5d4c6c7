import { maxPixels } from '../../../src/shared/settings/limits.js';
import type { JobFailure } from '../../jobs/job.js';
import type { MediaFacts, VideoFacts } from '../../jobs/media.js';
import { formatWord, isImageFormat, kindOfFormat, matroskaType, otherKind } from './formats.js';
import {
  numberAt,
  objectAt,
  objectsAt,
  type ProbeObject,
  parseProbe,
  tagAt,
  textAt,
} from './probe-fields.js';
import { isCodecKnown, readAudio, readDuration, toKilobits } from './read-streams.js';
import { isVideo, pixelsOf, readVideo } from './read-video.js';

/** What a look at a file gave, before it is judged. */
export interface ProbeOutput {
  /** Beginning of the file, see `headBytes`. */
  readonly head: Buffer;
  readonly sizeBytes: number;
  /** ffprobe's answer (JSON of format, streams and the first packets) and the end of what it said on stderr. */
  readonly json: string;
  readonly stderr: string;
  /** In which order the frames of its picture show their fields; left out where they were not asked or do not tell. */
  readonly fieldOrder?: VideoFacts['fieldOrder'] | null;
}

/** Either what the file is or why it is not taken. */
type ProbeValidation = { readonly media: MediaFacts } | { readonly failure: JobFailure };

const noMediaFailure = (message: string): ProbeValidation => ({
  failure: { errorClass: 'NoMediaError', message },
});
const unsupportedInput = (message: string): ProbeValidation => ({
  failure: { errorClass: 'UnsupportedInputError', message },
});

const tooLargeFailure = (size: string) =>
  unsupportedInput(`The picture has ${size} pixels, which is more than ${maxPixels.toLocaleString('en')}.`);

const encryptedTags: readonly string[] = ['encv', 'enca', 'drmi', 'drms', 'aavd'];

function isEncrypted(stream: ProbeObject): boolean {
  const tag = textAt(stream, 'codec_tag_string') ?? '';
  return encryptedTags.includes(tag) || tagAt(stream, 'enc_key_id') !== null;
}

/** Encrypted MP4 tracks are told by their packets alone: ffprobe gives their streams the names of what is inside. */
function isAnyStreamEncrypted(json: ProbeObject, stderr: string): boolean {
  const packets = objectsAt(json, 'packets').flatMap((packet) => objectsAt(packet, 'side_data_list'));
  return (
    objectsAt(json, 'streams').some(isEncrypted) ||
    packets.some((data) => /^Encryption/.test(textAt(data, 'side_data_type') ?? '')) ||
    /DRM protected stream/.test(stderr)
  );
}

/** The size that ffprobe would not decode; null where it said nothing of the kind. */
function rejectedSize(stderr: string): string | null {
  return /Picture size (\d+x\d+) exceeds/.exec(stderr)?.[1] ?? null;
}

function explainUnrecognized({ head, stderr }: ProbeOutput): ProbeValidation {
  // Where the header of the file tells the size already, ffprobe ends there and prints nothing but its complaint.
  const size = rejectedSize(stderr);
  if (size !== null) return tooLargeFailure(size);
  const rejectedFormat = /\[(\S+) @ 0x[0-9a-f]+\] Format not on whitelist/.exec(stderr)?.[1]?.split(',')[0];
  // A guess that ffprobe itself doubts is no recognition.
  if (rejectedFormat !== undefined && !/misdetection possible/.test(stderr)) {
    switch (kindOfFormat(rejectedFormat)) {
      case 'playlist':
        return unsupportedInput(
          `The file is a playlist (${rejectedFormat}); what it leads to is not fetched.`,
        );
      case 'picture':
        return unsupportedInput('The file is a still picture and no video.');
      case 'other':
        return unsupportedInput(`The file is of the format ${rejectedFormat}, which is not taken.`);
      case 'text':
        return noMediaFailure('The file is plain text and holds no media.');
    }
  }
  const kind = otherKind(head);
  return noMediaFailure(
    kind === null ? 'Nothing was recognised in the file: it is no media.' : `The file is ${kind}.`,
  );
}

function explainUnusable(streams: readonly ProbeObject[], stderr: string): ProbeValidation {
  const size = rejectedSize(stderr);
  if (size !== null && streams.some(isVideo)) {
    return tooLargeFailure(size);
  }
  const isMedia = (stream: ProbeObject) => isVideo(stream) || textAt(stream, 'codec_type') === 'audio';
  if (streams.some((stream) => isMedia(stream) && !isCodecKnown(stream))) {
    return unsupportedInput('The codecs of the file are not known to this ffmpeg.');
  }
  return noMediaFailure('The file holds no video and no sound.');
}

function isStillImage(format: ProbeObject, streams: readonly ProbeObject[]): boolean {
  const name = textAt(format, 'format_name') ?? '';
  if (isImageFormat(name)) return true;
  const brand = textAt(objectAt(format, 'tags'), 'major_brand') ?? '';
  const isImageFile = name === 'gif' || name === 'apng' || /^(?:avif|heic|heix|mif1)$/.test(brand);
  return isImageFile && streams.every((stream) => numberAt(stream, 'nb_frames') === 1);
}

/**
 * Whether a stream is Dolby Vision whose picture has no other meaning: its profile 5, and 10 without a compatible base layer. Where this
 * ffprobe does not print the record of it, the tag of the track tells: files whose picture other decoders can show have another one.
 */
function isDolbyVisionOnly(stream: ProbeObject): boolean {
  const record = objectsAt(stream, 'side_data_list').find((data) => numberAt(data, 'dv_profile') !== null);
  if (record === undefined) return /^dv(?:h1|he)$/.test(textAt(stream, 'codec_tag_string') ?? '');
  const profile = numberAt(record, 'dv_profile');
  return profile === 5 || (profile === 10 && numberAt(record, 'dv_bl_signal_compatibility_id') === 0);
}

const dolbyVisionOnlyMessage =
  'The video is Dolby Vision profile 5: only Dolby Vision players show its colours, and ffmpeg would make them green and purple. ' +
  'Export it as HDR10, HLG or SDR, or as Dolby Vision profile 8.';

const isChosen = (stream: ProbeObject, { streamIndex }: VideoFacts) =>
  numberAt(stream, 'index') === streamIndex;

function isOversized(stderr: string): (stream: ProbeObject) => boolean {
  const isSizeRejected = rejectedSize(stderr) !== null;
  return (stream) => isSizeRejected && isVideo(stream) && pixelsOf(stream) === 0;
}

/**
 * What a file is, out of what ffprobe said of it. `NoMediaError` where nothing was recognised in it,
 * `UnsupportedInputError` where something was that is not taken (contract, section 3).
 */
export function validateProbe(output: ProbeOutput): ProbeValidation {
  const json = parseProbe(output.json);
  const format = objectAt(json, 'format');
  const streams = objectsAt(json, 'streams');
  const name = textAt(format, 'format_name');
  // A score of 1 is what a file gets for the ending of its name alone.
  if (name === null || (numberAt(format, 'probe_score') ?? 100) <= 1) return explainUnrecognized(output);
  if (isAnyStreamEncrypted(json, output.stderr)) return unsupportedInput('The file is encrypted.');
  if (isStillImage(format, streams)) return unsupportedInput('The file is a still picture and no video.');
  const [video, audio] = [readVideo(streams, output.fieldOrder), readAudio(streams)];
  if (video === null && (audio === null || streams.some(isOversized(output.stderr)))) {
    return explainUnusable(streams, output.stderr);
  }
  if (video !== null && video.width * video.height > maxPixels) {
    return tooLargeFailure(`${video.width}x${video.height}`);
  }
  if (video !== null && streams.some((stream) => isChosen(stream, video) && isDolbyVisionOnly(stream))) {
    return unsupportedInput(dolbyVisionOnlyMessage);
  }
  const durationSeconds = readDuration(format, streams, [video, audio]);
  const bitsPerSecond = durationSeconds === null ? null : (output.sizeBytes * 8) / durationSeconds;
  return {
    media: {
      format: formatWord(name, matroskaType(output.head)),
      durationSeconds,
      totalBitrateKbps: toKilobits(numberAt(format, 'bit_rate') ?? bitsPerSecond),
      video,
      audio,
    },
  };
}
