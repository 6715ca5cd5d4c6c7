import type { OutputSettings } from '../../src/shared/settings/index.js';
import { type AudioCodec, type VideoCodec, type VideoCodecFacts, videoCodecs } from './codecs.js';
import {
  type Container,
  containerOf,
  containers,
  type Extension,
  extensionOf,
  isExtension,
} from './containers.js';
import { type Codecs, chooseCodecs, suitableExtension } from './decide/choose-codecs.js';
import { pickAudioEncoder, pickVideoEncoder } from './decide/pick-encoder.js';
import { bitrateComplaint, sampleRatesOf } from './decide/sound.js';
import type { AudioEncoderName, VideoEncoderName } from './encoders.js';
import type { Abilities } from './plan-types.js';

/** What an output is to be encoded with, as far as its settings and its file name tell. */
export interface Combination {
  readonly ok: true;
  /** Extension of the container, with its dot: what a name that has to be made up ends in. */
  readonly extension: Extension;
  readonly container: Container;
  /** Null where the picture is left out. */
  readonly video: { readonly codec: VideoCodec; readonly encoder: VideoEncoderName } | null;
  /** Null where the sound is left out. */
  readonly audio: { readonly codec: AudioCodec; readonly encoder: AudioEncoderName } | null;
}

/** Everything that is wrong with it: full sentences with the path of the setting. */
export interface WrongCombination {
  readonly ok: false;
  readonly complaints: readonly string[];
}

/**
 * Which codecs and which container an output gets, and whether they go together and can be encoded (contract, valid
 * combinations). Pure, and needs no input: a request that fails here is never accepted.
 *
 * `filename` is null where the name has to be made up. `path` stands in front of the names of settings, e.g. `outputs[1]`.
 */
export function checkCombination(
  settings: OutputSettings,
  filename: string | null,
  abilities: Abilities,
  path: string,
): Combination | WrongCombination {
  const given = filename === null ? '' : extensionOf(filename);
  if (given !== '' && !isExtension(given))
    return wrong([`${path}.${nameSetting(settings)} ${unknownExtension(given)}`]);
  const codecs = chooseCodecs(settings, isExtension(given) ? given : null);
  const extension = isExtension(given) ? given : suitableExtension(codecs.video, codecs.audio);
  const container = containerOf(extension);
  const complaints = [
    ...pairComplaints(codecs, extension, container, path),
    ...soundComplaints(settings, codecs.audio, container, path),
    ...(codecs.video === null ? [] : watermarkComplaints(settings, codecs.video, path)),
    ...(abilities.muxers.has(container.muxer)
      ? []
      : [
          `${path} cannot be written as ${extension} by the ffmpeg at hand: it has no muxer ${container.muxer}`,
        ]),
    ...(codecs.video === 'theora' && container.muxer === 'ogg' && losesTheoraTimes(abilities)
      ? [
          `${path}.video_codec theora cannot be written as ${extension} by ffmpeg ${abilities.version}, which loses the times of repeated frames: use .mkv`,
        ]
      : []),
  ];
  const video = codecs.video === null ? null : pickVideoEncoder(codecs.video, settings, abilities);
  const audio = codecs.audio === null ? null : pickAudioEncoder(codecs.audio, abilities);
  const missing = [
    ...(codecs.video !== null && video === null ? [`${path}.video_codec ${cannotEncode(codecs.video)}`] : []),
    ...(codecs.audio !== null && audio === null
      ? [`${path}.audio_codec ${codecs.audio} cannot be encoded by the ffmpeg at hand`]
      : []),
  ];
  if (complaints.length + missing.length > 0) return wrong([...complaints, ...missing]);
  return { ok: true, extension, container, video, audio };
}

/**
 * From 7.0 on ffmpeg drops the empty packets that Theora's encoder gives for repeated frames. In Ogg the time of a frame follows from the
 * number of packets before it, so a film with still scenes would play too fast. Measured with 7.0; 5.1 and the build of 2018 keep them.
 */
export function losesTheoraTimes(abilities: Pick<Abilities, 'version'>): boolean {
  return abilities.version !== null && abilities.version >= 7;
}

function pairComplaints(
  codecs: Codecs,
  extension: Extension,
  container: Container,
  path: string,
): readonly string[] {
  if (codecs.video === null) {
    if (codecs.audio === null)
      return [`${path}.skip_audio must not be set for ${extension}, which holds sound alone`];
    if (container.alone.includes(codecs.audio)) return [];
    return [
      `${path}.audio_codec ${codecs.audio} does not go into ${extension}: use ${either(container.alone)}`,
    ];
  }
  const beside = container.pairs[codecs.video];
  if (beside === undefined) {
    const fitting = Object.keys(container.pairs);
    const advice = fitting.length > 0 ? `use ${either(fitting)}` : 'it holds sound alone';
    return [`${path}.video_codec ${codecs.video} does not go into ${extension}: ${advice}`];
  }
  if (codecs.audio === null || beside.includes(codecs.audio)) return [];
  return [
    `${path}.audio_codec ${codecs.audio} does not go with ${codecs.video} in ${extension}: use ${either(beside)}`,
  ];
}

/** What the codec of the sound cannot do, as far as it shows without the input. */
function soundComplaints(
  settings: OutputSettings,
  codec: AudioCodec | null,
  container: Container,
  path: string,
): readonly string[] {
  const sampleRate = settings.audio_sample_rate;
  if (codec === null || sampleRate === undefined) return [];
  const known = sampleRatesOf(codec, container);
  if (known !== null && !known.includes(sampleRate)) {
    return [`${path}.audio_sample_rate must be one of ${known.join(', ')} for ${codec} in this container`];
  }
  const kbps = settings.audio_quality === undefined ? settings.audio_bitrate : undefined;
  // Without audio_channels the input may have two, and that is the wider range; mono that breaks its own fails later.
  const complaint =
    kbps === undefined
      ? null
      : bitrateComplaint(codec, kbps, sampleRate, settings.audio_channels === 1 ? 1 : 2);
  return complaint === null ? [] : [`${path}.audio_bitrate ${complaint}`];
}

/** Sizes asked for watermarks that the codec would have to keep as they are; those it leaves out count too. */
function watermarkComplaints(
  { watermark = [] }: OutputSettings,
  codec: VideoCodec,
  path: string,
): readonly string[] {
  const { hasFixedWatermarks = false }: VideoCodecFacts = videoCodecs[codec];
  if (!hasFixedWatermarks) return [];
  return watermark.flatMap((one, index) =>
    (['width', 'height'] as const)
      .filter((side) => one[side] !== undefined)
      .map((side) => `${path}.watermark[${index}].${side} must be left out: ${codec} scales no watermarks`),
  );
}

function cannotEncode(codec: VideoCodec): string {
  const { whyMissing }: VideoCodecFacts = videoCodecs[codec];
  return `${codec} cannot be encoded by the ffmpeg at hand${whyMissing === undefined ? '' : `: ${whyMissing}`}`;
}

function unknownExtension(extension: string): string {
  return `ends in ${extension}, which is no container that can be written: use ${either(Object.keys(containers))}`;
}

function nameSetting({ url }: OutputSettings): 'url' | 'filename' {
  return url === undefined ? 'filename' : 'url';
}

function either(words: readonly string[]): string {
  return words.length < 2 ? words.join('') : `${words.slice(0, -1).join(', ')} or ${words.at(-1)}`;
}

function wrong(complaints: readonly string[]): WrongCombination {
  return { ok: false, complaints };
}
