import { maxPixels } from '../../../src/shared/settings/limits.js';
import type { JobFailure } from '../../jobs/job.js';
import type { Analysis, AudioFacts, MediaFacts, SubtitleFacts, VideoFacts } from '../../jobs/media.js';
import {
  formatWord,
  isAnimatedWebp,
  isImageFormat,
  kindOfFormat,
  matroskaType,
  otherKind,
} from './formats.js';
import {
  numberAt,
  objectAt,
  objectsAt,
  type ProbeObject,
  parseProbe,
  tagAt,
  textAt,
} from './probe-fields.js';
import { readAttached } from './read-attached.js';
import { isCodecKnown, isUsableAudio, readAudio, readDuration, toKilobits } from './read-streams.js';
import { readChapters, readLabels, readTags, readTimecode, unreadableTags } from './read-tags.js';
import { readUnused } from './read-unused.js';
import { isVideo, pixelsOf, readVideo } from './read-video.js';
import { programNames, selectProgram } from './select-program.js';

/** The result of probing a file, before validation. */
export interface ProbeOutput {
  /** The first bytes of the file, see `headBytes`. */
  readonly head: Buffer;
  readonly sizeBytes: number;
  /** ffprobe's output: JSON of format, streams and the first packets. `stderr` has the end of its messages. */
  readonly json: string;
  readonly stderr: string;
  /** The measured field order; absent or null if it was not measured or is unknown. */
  readonly fieldOrder?: VideoFacts['fieldOrder'] | null;
  /** The programme that outputs are made from, by number or name; absent for the default one. */
  readonly program?: string | undefined;
  /** The indexes of the video streams that have a single frame, as far as that was measured. */
  readonly stills?: ReadonlySet<number>;
  /** The indexes of the audio streams that have no packets, as far as that was measured. */
  readonly empty?: ReadonlySet<number>;
  /** How far ffmpeg had to read; absent for its default. */
  readonly analysis?: Analysis | undefined;
}

/** Either the facts of the file or the reason why it is rejected. */
type ProbeValidation = { readonly media: MediaFacts } | { readonly failure: JobFailure };

const noMediaFailure = (message: string): ProbeValidation => ({
  failure: { errorClass: 'NoMediaError', message },
});
const headerOnlyFailure = noMediaFailure(
  'The file has no samples: it is only the header of a segmented stream.',
);
const unsupportedInput = (message: string): ProbeValidation => ({
  failure: { errorClass: 'UnsupportedInputError', message },
});

const tooLargeFailure = (size: string) =>
  unsupportedInput(`The video has ${size} pixels, which is more than ${maxPixels.toLocaleString('en')}.`);

/**
 * The sample rates in Hz and the channels of audio that is decoded. Damaged headers claim others: a file of 88 KB at 1
 * Hz would be encoded as 12 hours. The highest rate is above that of all recordings, the channels are those that
 * ffmpeg's resampler supports.
 */
const audioLimits = { minSampleRate: 1000, maxSampleRate: 10_000_000, maxChannels: 64 } as const;

function unsupportedAudio({ sampleRate, channels }: AudioFacts): ProbeValidation | null {
  const { minSampleRate, maxSampleRate, maxChannels } = audioLimits;
  if (sampleRate < minSampleRate || sampleRate > maxSampleRate)
    return unsupportedInput(
      `The audio has a sample rate of ${sampleRate} Hz; supported are ${minSampleRate} to ${maxSampleRate} Hz.`,
    );
  return channels > maxChannels
    ? unsupportedInput(`The audio has ${channels} channels; supported are up to ${maxChannels}.`)
    : null;
}

const encryptedTags: readonly string[] = ['encv', 'enca', 'drmi', 'drms', 'aavd'];

function isEncrypted(stream: ProbeObject): boolean {
  const tag = textAt(stream, 'codec_tag_string') ?? '';
  return encryptedTags.includes(tag) || tagAt(stream, 'enc_key_id') !== null;
}

/**
 * Encrypted MP4 tracks are recognised only by their packets: ffprobe reports the codec of the encrypted content for
 * their streams.
 */
function isAnyStreamEncrypted(json: ProbeObject, stderr: string): boolean {
  const packets = objectsAt(json, 'packets').flatMap((packet) => objectsAt(packet, 'side_data_list'));
  return (
    objectsAt(json, 'streams').some(isEncrypted) ||
    packets.some((data) => /^Encryption/.test(textAt(data, 'side_data_type') ?? '')) ||
    /DRM protected stream/.test(stderr)
  );
}

/** The frame size that ffprobe rejected; null if it rejected none. */
function rejectedSize(stderr: string): string | null {
  return /Picture size (\d+x\d+) exceeds/.exec(stderr)?.[1] ?? null;
}

function imageFailure(head: Buffer): ProbeValidation {
  return unsupportedInput(
    isAnimatedWebp(head)
      ? 'The file is an animated WebP image, which ffmpeg cannot decode.'
      : 'The file is a still image, not a video.',
  );
}

function explainUnrecognized({ head, stderr }: ProbeOutput): ProbeValidation {
  // If the file header has the size, ffprobe stops there and prints only this error.
  const size = rejectedSize(stderr);
  if (size !== null) return tooLargeFailure(size);
  const rejectedFormat = /\[(\S+) @ 0x[0-9a-f]+\] Format not on whitelist/.exec(stderr)?.[1]?.split(',')[0];
  // A format that ffprobe calls a possible misdetection does not count.
  if (rejectedFormat !== undefined && !/misdetection possible/.test(stderr)) {
    switch (kindOfFormat(rejectedFormat)) {
      case 'playlist':
        return unsupportedInput(
          `The file is a playlist (${rejectedFormat}); the files that it refers to are not fetched.`,
        );
      case 'image':
        return imageFailure(head);
      case 'other':
        // The streams of these formats have no beginning of their own, so that any bytes may look like one.
        if (/^amr(?:nb|wb)$/.test(rejectedFormat)) break;
        return unsupportedInput(`The format ${rejectedFormat} of the file is not supported.`);
      case 'text':
        return noMediaFailure('The file is plain text, not media.');
    }
  }
  const kind = otherKind(head);
  return noMediaFailure(
    kind === null ? 'No known format was found at the start of the file.' : `The file is ${kind}.`,
  );
}

function explainUnusable(streams: readonly ProbeObject[], stderr: string): ProbeValidation {
  const size = rejectedSize(stderr);
  if (size !== null && streams.some(isVideo)) {
    return tooLargeFailure(size);
  }
  const isMedia = (stream: ProbeObject) => isVideo(stream) || textAt(stream, 'codec_type') === 'audio';
  const unknown = streams.filter((stream) => isMedia(stream) && !isCodecKnown(stream));
  if (unknown.length > 0) {
    const named = unknown.map((stream) => `the ${textAt(stream, 'codec_type')} codec${tagOf(stream)}`);
    return unsupportedInput(`This ffmpeg cannot decode ${[...new Set(named)].join(' and ')} of the file.`);
  }
  return noMediaFailure(
    streams.some(isUsableAudio)
      ? 'The audio of the file has no samples.'
      : 'The file has no video and no audio.',
  );
}

/** The tag of the codec of a stream, with a space before it; empty if its container has none. */
function tagOf(stream: ProbeObject): string {
  const tag = textAt(stream, 'codec_tag_string') ?? '';
  return /^[ -Z^-~]+$/.test(tag) ? ` ${tag}` : '';
}

function isStillImage(format: ProbeObject, streams: readonly ProbeObject[], head: Buffer): boolean {
  const name = textAt(format, 'format_name') ?? '';
  if (isImageFormat(name)) return true;
  const brand = textAt(objectAt(format, 'tags'), 'major_brand') ?? '';
  if (name === 'apng') return animatedFrames(head) === 1;
  const isImageFile = name === 'gif' || /^(?:avif|heic|heix|mif1)$/.test(brand);
  return isImageFile && streams.every((stream) => numberAt(stream, 'nb_frames') === 1);
}

/** The number of frames that an animated PNG declares; null if unknown. */
function animatedFrames(head: Buffer): number | null {
  const at = head.indexOf('acTL');
  return at === -1 || at + 8 > head.length ? null : head.readUInt32BE(at + 4);
}

function missingProgramMessage(json: ProbeObject, program = ''): string {
  const names = programNames(json);
  const known = names === '' ? 'it has no programmes' : `its programmes are ${names}`;
  return `The input has no programme ${program}: ${known}.`;
}

const isChosen = (stream: ProbeObject, { streamIndex }: VideoFacts) =>
  numberAt(stream, 'index') === streamIndex;

/** AVI and raw MPEG video have no display times. */
function reorderDelay(
  formatName: string,
  streams: readonly ProbeObject[],
  video: VideoFacts,
): Pick<VideoFacts, 'reorderSeconds'> {
  if (!/^(?:avi|mpegvideo)$/.test(formatName) || video.frameRate === null) return {};
  const stream = streams.find((one) => isChosen(one, video));
  const frames = stream === undefined ? 0 : (numberAt(stream, 'has_b_frames') ?? 0);
  return frames > 0
    ? { reorderSeconds: (frames * video.frameRate.denominator) / video.frameRate.numerator }
    : {};
}

function isOversized(stderr: string): (stream: ProbeObject) => boolean {
  const isSizeRejected = rejectedSize(stderr) !== null;
  return (stream) => isSizeRejected && isVideo(stream) && pixelsOf(stream) === 0;
}

/**
 * Validates the result of a probe. Fails with `NoMediaError` if the file is not media, `UnsupportedInputError` if it is
 * not supported (contract, section 3).
 */
export function validateProbe(output: ProbeOutput): ProbeValidation {
  const json = parseProbe(output.json);
  const format = objectAt(json, 'format');
  const allStreams = objectsAt(json, 'streams');
  const name = textAt(format, 'format_name');
  // A score of 1 means that only the file extension matched.
  if (name === null || (numberAt(format, 'probe_score') ?? 100) <= 1) return explainUnrecognized(output);
  if (isAnyStreamEncrypted(json, output.stderr)) return unsupportedInput('The file is encrypted.');
  if (isStillImage(format, allStreams, output.head)) return imageFailure(output.head);
  const { stills = new Set(), empty = new Set() } = output;
  const selection = selectProgram(json, output.program, stills);
  if (selection === null) return noMediaFailure(missingProgramMessage(json, output.program));
  const { streams } = selection;
  const [audio = null, ...otherAudio] = readAudio(
    streams.filter((stream) => !empty.has(numberAt(stream, 'index') ?? -1)),
    name,
  );
  const video = readVideo(streams, output.fieldOrder, { stills, isOgg: name === 'ogg' });
  const subtitles = readSubtitles(streams);
  // The first packets are printed: a header of MP4 has none.
  const isHeaderOnly =
    name.startsWith('mov,') && objectsAt(json, 'packets').length === 0 && json.packets !== undefined;
  if (video === null && (audio === null || streams.some(isOversized(output.stderr)))) {
    return isHeaderOnly && streams.some(isUsableAudio)
      ? headerOnlyFailure
      : explainUnusable(streams, output.stderr);
  }
  if (video !== null && video.width * video.height > maxPixels) {
    return tooLargeFailure(`${video.width}x${video.height}`);
  }
  if (isHeaderOnly) return headerOnlyFailure;
  const audioRejection = audio === null ? null : unsupportedAudio(audio);
  if (audioRejection !== null) return audioRejection;
  const durationSeconds = readDuration(format, streams, [video, audio]);
  const used = new Set([
    ...(video === null ? [] : [video]),
    ...(audio === null ? [] : [audio, ...otherAudio]),
  ]);
  const { tags, tooLong: longTags, ofTracks: trackTags } = readTags(json);
  const unused = readUnused(json, selection, {
    used: new Set([...used].map(({ streamIndex }) => streamIndex)),
    ...{ longTags, trackTags, unreadable: unreadableTags(json, output.stderr), stills, empty },
  });
  const chapters = readChapters(json);
  const timecode = readTimecode(json);
  const bitsPerSecond = durationSeconds === null ? null : (output.sizeBytes * 8) / durationSeconds;
  return {
    media: {
      format: formatWord(name, matroskaType(output.head)),
      durationSeconds,
      totalBitrateKbps: toKilobits(numberAt(format, 'bit_rate') ?? bitsPerSecond),
      video: video && { ...video, ...reorderDelay(name, streams, video) },
      audio,
      ...(otherAudio.length === 0 ? {} : { otherAudio }),
      ...(subtitles.length === 0 ? {} : { subtitles }),
      ...(tags.length === 0 ? {} : { tags }),
      ...(timecode === null ? {} : { timecode }),
      ...(chapters.length === 0 ? {} : { chapters }),
      ...readAttached(streams),
      ...(output.analysis === undefined ? {} : { analysis: output.analysis }),
      ...(unused === null ? {} : { unused }),
    },
  };
}

/** The subtitle tracks of a file, in its order. */
function readSubtitles(streams: readonly ProbeObject[]): readonly SubtitleFacts[] {
  return streams.filter((stream) => textAt(stream, 'codec_type') === 'subtitle').map(subtitleFacts);
}

function subtitleFacts(stream: ProbeObject): SubtitleFacts {
  const [width = 0, height = 0] = [numberAt(stream, 'width') ?? 0, numberAt(stream, 'height') ?? 0];
  return {
    streamIndex: numberAt(stream, 'index') ?? 0,
    codec: textAt(stream, 'codec_name') ?? 'unknown',
    ...(width > 0 && height > 0 ? { width, height } : {}),
    ...readLabels(stream),
  };
}
