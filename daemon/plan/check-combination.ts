import { captionFormats, otherRejectedFormats, playlistFormats } from '../../src/shared/settings/general.js';
import type { OutputSettings } from '../../src/shared/settings/index.js';
import { playlistExtension } from '../../src/shared/settings/playlists.js';
import { isMeasured } from '../../src/shared/settings/quality.js';
import { isSegmented, segmentFormat } from '../../src/shared/settings/segments.js';
import type { RequestWarning } from '../../src/shared/settings/setting.js';
import { fileNameInUrl } from '../../src/shared/text/url-text.js';
import type { AudioEncoderName } from './audio-encoders.js';
import { animationErrors } from './decide/animations.js';
import { audioBitrateWarnings } from './decide/audio-bitrate.js';
import { audioOptionErrors, audioOptionWarnings } from './decide/audio-options.js';
import { captionErrors } from './decide/captions.js';
import {
  type CodecChoice,
  chooseCodecs,
  pickAudioEncoder,
  pickVideoEncoder,
  suitableExtension,
} from './decide/choose-codecs.js';
import { codecOptionErrors, codecOptionWarnings } from './decide/codec-options.js';
import { hintErrors } from './decide/hint-tracks.js';
import { canForceKeyframes, forcingSettings } from './decide/keyframes.js';
import { segmentedFormats } from './decide/packaging.js';
import { sampleRateWarnings } from './decide/sample-rates.js';
import { oddSideWarnings } from './decide/size.js';
import type { VideoEncoderName } from './encoders.js';
import {
  type AudioCodec,
  type Container,
  containerOf,
  containers,
  type Extension,
  extensionOf,
  isExtension,
  isOtherMediaExtension,
  type VideoCodec,
  type VideoCodecFacts,
  videoCodecs,
} from './formats.js';
import type { Capabilities } from './plan-types.js';
import { withoutCopiedSettings } from './stream-settings.js';

/** The extension, container, codecs and encoders of an output. */
export interface Combination {
  readonly ok: true;
  /** Extension of the container with its dot. Generated file names end in it. */
  readonly extension: Extension;
  readonly container: Container;
  /** Null for an output without video. */
  readonly video: { readonly codec: VideoCodec; readonly encoder: VideoEncoderName } | null;
  /** Null for an output without audio. */
  readonly audio: { readonly codec: AudioCodec; readonly encoder: AudioEncoderName } | null;
  /** Warnings about settings that are valid but contradict each other. */
  readonly warnings: readonly RequestWarning[];
}

/** All validation errors of a combination: full sentences that start with the path of the setting. */
interface InvalidCombination {
  readonly ok: false;
  readonly validationErrors: readonly string[];
}

/**
 * Chooses the codecs and the container of an output and validates that they can be combined and that this ffmpeg can
 * encode them (contract, valid combinations). Pure. Needs no facts of the input, so an invalid request is rejected when
 * the job is created.
 *
 * `filename` is null if the name is to be generated. `path` prefixes the names of settings in errors, e.g.
 * `outputs[1]`.
 */
export function checkCombination(
  given: OutputSettings,
  filename: string | null,
  capabilities: Capabilities,
  path: string,
): Combination | InvalidCombination {
  const settings = withoutCopiedSettings(given);
  // The name of a segmented output is that of its playlist.
  const ownExtension = filename === null ? '' : extensionOf(filename);
  const nameExtension = isSegmented(settings) ? '' : ownExtension;
  const format = isSegmented(settings) ? segmentFormat(settings) : settings.format;
  if (isSegmented(settings) && !segmentedFormats.includes(format ?? ''))
    return invalid([`${path}.format must be ${joinWithOr(segmentedFormats)} if type is segmented`]);
  const formatExtension = format === undefined ? null : `.${format}`;
  const givenExtension = formatExtension ?? nameExtension;
  if (formatExtension !== null && !isExtension(formatExtension))
    return invalid([`${path}.format ${unsupportedFormat(settings.format ?? '')}`]);
  if (givenExtension !== '' && !isExtension(givenExtension))
    return invalid([`${path}.${nameSetting(settings)} ${unknownExtension(givenExtension)}`]);
  const codecs = chooseCodecs(settings, isExtension(givenExtension) ? givenExtension : null);
  const extension = isExtension(givenExtension)
    ? givenExtension
    : suitableExtension(codecs.video, codecs.audio);
  const container = containerOf(extension);
  const pairErrors = validateCodecPair(codecs, extension, path, given);
  const validationErrors = [
    ...pairErrors,
    ...(codecs.audio === null ? [] : audioOptionErrors(settings, codecs.audio, path, capabilities)),
    ...(codecs.video === null
      ? []
      : [
          ...validateWatermarks(settings, codecs.video, path),
          ...codecOptionErrors(settings, codecs.video, path, capabilities),
        ]),
    ...animationErrors(settings, extension, path),
    ...hintErrors(settings, codecs, container, capabilities, path),
    ...captionErrors(settings, { hasVideo: codecs.video !== null, container, extension }, capabilities, path),
    ...(!isMeasured(settings) || codecs.video === null || capabilities.filters.has('libvmaf')
      ? []
      : [
          `${path}.${measuredBy(settings)} is not possible: no ffmpeg or ffprobe of this machine has the filter libvmaf`,
        ]),
    ...(capabilities.muxers.has(container.muxer)
      ? []
      : [`${path} cannot be written as ${extension}: this ffmpeg has no muxer ${container.muxer}`]),
    ...(codecs.video === 'theora' && container.muxer === 'ogg' && losesTheoraTimes(capabilities)
      ? [
          `${path}.video_codec theora cannot be written as ${extension} by ffmpeg ${capabilities.version}, which loses the timestamps of repeated frames: use .mkv, or skip_video for audio only`,
        ]
      : []),
  ];
  const video = codecs.video === null ? null : pickVideoEncoder(codecs.video, settings, capabilities);
  const audio = codecs.audio === null ? null : pickAudioEncoder(codecs.audio, capabilities);
  const missing = [
    ...(codecs.video !== null && video === null ? [`${path}.video_codec ${cannotEncode(codecs.video)}`] : []),
    // An encoder is missed only by audio that the container supports.
    ...(codecs.audio !== null && audio === null && pairErrors.length === 0
      ? [`${path}.audio_codec ${codecs.audio} cannot be encoded by this ffmpeg`]
      : []),
  ];
  if (video !== null && !canForceKeyframes(video.encoder, capabilities)) {
    const reason = `is not supported for ${video.codec} by this ffmpeg`;
    validationErrors.push(...forcingSettings(settings).map((name) => `${path}.${name} ${reason}`));
  }
  if (validationErrors.length + missing.length > 0) return invalid([...validationErrors, ...missing]);
  const warnings = [
    ...nameWarnings(settings, ownExtension, extension, path),
    ...(codecs.video === null
      ? []
      : [...oddSideWarnings(settings, path), ...codecOptionWarnings(settings, codecs.video, path)]),
    ...(audio === null
      ? []
      : [
          ...sampleRateWarnings(settings, audio.codec, container, path),
          ...audioBitrateWarnings(settings, audio, container, path),
          ...audioOptionWarnings(settings, audio, path),
        ]),
  ];
  return { ok: true, extension, container, video, audio, warnings };
}

/**
 * Whether this ffmpeg writes wrong timestamps for Theora in Ogg. Since 7.0, ffmpeg drops the empty packets that the
 * Theora encoder emits for repeated frames. In Ogg the time of a frame follows from the number of packets before it, so
 * a video with static shots plays too fast. Measured with 7.0; 5.1 and the builds of 2018 keep the packets.
 */
export function losesTheoraTimes(capabilities: Pick<Capabilities, 'version'>): boolean {
  return capabilities.version !== null && capabilities.version >= 7;
}

/**
 * The errors of codecs that the container does not support. The codec of copied video is unknown until the input is.
 */
function validateCodecPair(
  codecs: CodecChoice,
  extension: Extension,
  path: string,
  given: OutputSettings,
): readonly string[] {
  const isVideoCopied = given.copy_video === true;
  const container = containerOf(extension);
  if (codecs.video === null) {
    if (container.animation !== undefined)
      return [`${path}.skip_video must not be set for ${extension}, which has no audio`];
    if (codecs.audio === null && given.skip_audio !== true && given.video_codec !== undefined)
      return [`${path}.skip_video must not be set for ${given.video_codec}, which has no audio`];
    if (codecs.audio === null)
      return [`${path}.skip_audio must not be set for ${extension}, which is audio-only`];
    if (container.audioOnlyCodecs.includes(codecs.audio)) return [];
    return [
      `${path}.audio_codec ${codecs.audio} is not supported in ${extension}: use ${joinWithOr(container.audioOnlyCodecs)}`,
    ];
  }
  if (container.animation !== undefined && codecs.audio !== null)
    return [`${path}.audio_codec must not be given for ${extension}, which has no audio`];
  if (isVideoCopied && Object.keys(container.codecPairs).length > 0) {
    const supported = [...new Set(Object.values(container.codecPairs).flat())];
    return codecs.audio === null || supported.includes(codecs.audio)
      ? []
      : [
          `${path}.audio_codec ${codecs.audio} is not supported in ${extension}: use ${joinWithOr(supported)}`,
        ];
  }
  const audioCodecs = container.codecPairs[codecs.video];
  if (audioCodecs === undefined) {
    const videoCodecNames = Object.keys(container.codecPairs);
    const advice = videoCodecNames.length > 0 ? `use ${joinWithOr(videoCodecNames)}` : 'it is audio-only';
    return [`${path}.video_codec ${codecs.video} is not supported in ${extension}: ${advice}`];
  }
  if (codecs.audio === null || audioCodecs.includes(codecs.audio)) return [];
  return [
    `${path}.audio_codec ${codecs.audio} cannot be combined with ${codecs.video} in ${extension}: use ${joinWithOr(audioCodecs)}`,
  ];
}

/**
 * Rejects sizes of watermarks for a codec that does not scale them. Settings that this codec ignores are validated too.
 */
function validateWatermarks(
  { watermark = [] }: OutputSettings,
  codec: VideoCodec,
  path: string,
): readonly string[] {
  const { hasFixedWatermarks = false }: VideoCodecFacts = videoCodecs[codec];
  if (!hasFixedWatermarks) return [];
  return watermark.flatMap((item, index) =>
    (['width', 'height'] as const)
      .filter((side) => item[side] !== undefined)
      .map(
        (side) => `${path}.watermark[${index}].${side} must be omitted: ${codec} does not scale watermarks`,
      ),
  );
}

/** The format, or else the first name, decides the container, so a name that says otherwise is a warning. */
function nameWarnings(
  settings: OutputSettings,
  nameExtension: string,
  extension: Extension,
  path: string,
): readonly RequestWarning[] {
  const { secondary_url: second } = settings;
  const names = [
    [nameSetting(settings), nameExtension],
    ['secondary_url', second === undefined ? '' : extensionOf(fileNameInUrl(second))],
  ] as const;
  if (isSegmented(settings)) {
    const message = `is a playlist, so its name will end in ${playlistExtension(settings)}`;
    return names.flatMap(([name, its]) => (isExtension(its) ? [{ field: `${path}.${name}`, message }] : []));
  }
  const { muxer } = containerOf(extension);
  const message = `has no effect on the container: the file is ${extension.slice(1)}, but its name says otherwise`;
  return names.flatMap(([name, its]) =>
    isOtherMediaExtension(its) || (isExtension(its) && containerOf(its).muxer !== muxer)
      ? [{ field: `${path}.${name}`, message }]
      : [],
  );
}

const reasons = {
  mj2: 'JPEG 2000 cannot be encoded',
  mjp2: 'JPEG 2000 cannot be encoded',
  mxf: 'conformance to broadcast standards cannot be verified',
  ism: 'use hls or dash instead of Smooth Streaming',
  mss: 'use hls or dash instead of Smooth Streaming',
} as const satisfies Record<(typeof otherRejectedFormats)[number], string>;

/** The setting for which the quality of an output is measured. */
function measuredBy(settings: OutputSettings): keyof OutputSettings {
  if (settings.dynamic_profile_rendition !== undefined) return 'dynamic_profile_rendition';
  return settings.quality_target === undefined ? 'measure_quality' : 'quality_target';
}

function unsupportedFormat(format: string): string {
  if (isOneOf(playlistFormats, format)) return `must not be ${format}: it is the format of a playlist`;
  if (isOneOf(captionFormats, format)) return `must not be ${format}: it is the format of captions`;
  const reason = isOneOf(otherRejectedFormats, format) ? reasons[format] : 'it is not supported';
  return `must not be ${format}: ${reason}`;
}

function isOneOf<T extends string>(names: readonly T[], name: string): name is T {
  return names.some((one) => one === name);
}

function cannotEncode(codec: VideoCodec): string {
  const { missingReason }: VideoCodecFacts = videoCodecs[codec];
  return `${codec} cannot be encoded by this ffmpeg${missingReason === undefined ? '' : `: ${missingReason}`}`;
}

function unknownExtension(extension: string): string {
  return `ends in ${extension}, which is not a supported container: use ${joinWithOr(Object.keys(containers))}`;
}

function nameSetting({ url }: OutputSettings): 'url' | 'filename' {
  return url === undefined ? 'filename' : 'url';
}

function joinWithOr(names: readonly string[]): string {
  return names.length < 2 ? names.join('') : `${names.slice(0, -1).join(', ')} or ${names.at(-1)}`;
}

function invalid(validationErrors: readonly string[]): InvalidCombination {
  return { ok: false, validationErrors };
}
