import type { OutputSettings } from '../../../src/shared/settings/index.js';
import type { JobFailure } from '../../jobs/job.js';
import type { AudioFacts, AudioPart, MediaFacts } from '../../jobs/media.js';
import { type AudioEncoder, type AudioEncoderName, audioEncoders } from '../audio-encoders.js';
import { isStrictAbout, nameInSentence } from '../device-profiles.js';
import { levelOf } from '../encoders.js';
import type { AudioCodec, Container } from '../formats.js';
import { correctAudioBitrate, knownAudioBitrate } from './audio-bitrate.js';
import { decideChannels } from './audio-channels.js';
import { decideAudioEffects } from './audio-effects.js';
import { isConstantRate } from './audio-options.js';
import { startWithin } from './clip.js';
import type { AudioDecision, Clip } from './decisions.js';
import type { MeasuredAudio } from './normalization.js';
import { decideSampleRate, sampleRatesOf } from './sample-rates.js';

/**
 * Decides the audio of an output, or returns why the settings cannot be met with this input. `lengthSeconds` is the
 * duration of the output, and `audioSeconds` that of its audio; null if unknown. `measured`: loudness and peaks found so far.
 */
export function decideAudio(
  settings: OutputSettings,
  audio: AudioFacts,
  target: { readonly codec: AudioCodec; readonly encoder: AudioEncoderName; readonly container: Container },
  repack: AudioDecision['repack'],
  {
    lengthSeconds,
    audioSeconds,
  }: { readonly lengthSeconds: number | null; readonly audioSeconds: number | null },
  measured: MeasuredAudio = {},
): AudioResult {
  const { channels, mixing, problem } = decideChannels(settings, audio, target.codec);
  if (problem !== null && settings.strict === true)
    return {
      failure: {
        errorClass: 'InvalidAudioSettingsError',
        message: `output_audio_channels cannot be as requested: ${problem}.`,
      },
    };
  const rates = sampleRatesOf(target.codec, target.container);
  const sampleRate = decideSampleRate(settings, rates, audio.sampleRate);
  const decided = decideAudioEffects(settings, {
    sampleRate: audio.sampleRate > 0 ? Math.min(audio.sampleRate, sampleRate) : sampleRate,
    channels: Math.min(audio.channels, channels),
    lengthSeconds,
    measured,
  });
  if ('failure' in decided) return decided;
  const { effects } = decided;
  const warnings = [
    ...(problem === null ? [] : [`output_audio_channels was corrected to ${channels}: ${problem}.`]),
    ...decided.warnings,
  ];
  const common = {
    effects,
    profile: target.codec === 'aac' && settings.force_aac_profile !== undefined ? 'aac_low' : null,
    streamIndex: audio.streamIndex,
    repack,
    ...(audio.converted === undefined ? {} : { converted: audio.converted }),
    encoder: target.encoder,
    sampleRate,
    bitDepth: settings.audio_bit_depth ?? 16,
    channels,
    ...(audio.joined === undefined ? {} : { joined: audio.joined }),
    ...(audioSeconds === null || audioSeconds >= minAudioSeconds || audio.joined !== undefined
      ? {}
      : { padding: { sampleRate: audio.sampleRate > 0 ? audio.sampleRate : sampleRate } }),
    mixing,
  } as const;
  const requestedKbps = settings.audio_quality === undefined ? settings.audio_bitrate : undefined;
  if (requestedKbps === undefined) {
    const rate = { by: 'quality', level: levelOf(settings.audio_quality) } as const;
    return { audio: { ...common, rate }, warnings };
  }
  const encoder: AudioEncoder = audioEncoders[target.encoder];
  const isConstant = isConstantRate(settings);
  const bitrate = correctAudioBitrate(requestedKbps, encoder, { sampleRate, channels });
  if (bitrate.strictError !== null && isStrictAbout(settings, 'audio_bitrate'))
    return {
      failure: { errorClass: 'InvalidAudioSettingsError', message: `audio_bitrate ${bitrate.strictError}.` },
    };
  const rate = { by: 'bitrate', kbps: bitrate.kbps, ...(isConstant ? { isConstant } : {}) } as const;
  const isKnown = knownAudioBitrate(settings, encoder, target.container)?.kbps === bitrate.kbps;
  const corrections =
    bitrate.message === null || isKnown
      ? []
      : [`${nameInSentence(settings, 'audio_bitrate')} ${bitrate.message}.`];
  return { audio: { ...common, rate }, warnings: [...warnings, ...corrections] };
}

/** The audio of an output with what was corrected, or why the settings cannot be met. */
type AudioResult =
  | { readonly audio: AudioDecision; readonly warnings: readonly string[] }
  | { readonly failure: JobFailure };

/** The sentence about audio whose format changes within the clip of an output, and what was done about it. */
export function changeWarnings(
  parts: readonly AudioPart[],
  { startSeconds, lengthSeconds }: Pick<Clip, 'startSeconds' | 'lengthSeconds'>,
  result: string,
): readonly string[] {
  const end = startSeconds + (lengthSeconds ?? Number.POSITIVE_INFINITY);
  const changes = parts.flatMap((to, at, all) => {
    const from = all[at - 1];
    return from !== undefined && to.seconds > startSeconds && to.seconds < end ? [{ from, to }] : [];
  });
  const [first] = changes;
  if (first === undefined) return [];
  const { from, to } = first;
  const more = changes.length === 1 ? '' : ' and again later';
  return [
    `The audio changes from ${formatName(from)} to ${formatName(to)} at ${to.seconds.toFixed(1)} s of the input${more}; ${result}.`,
  ];
}

/** The same about audio that was converted. */
export function conversionWarnings(
  { converted, sampleRate, channels }: AudioDecision,
  clip: Clip,
): readonly string[] {
  const result = `all of it was converted to ${formatName({ sampleRate, channels })}`;
  return changeWarnings(converted?.parts ?? [], clip, result);
}

/** The layouts of channels by their number, by the names of ffmpeg. */
export const layoutNames: Readonly<Record<number, string>> = { 1: 'mono', 2: 'stereo', 6: '5.1', 8: '7.1' };

function formatName({ sampleRate, channels }: Pick<AudioPart, 'sampleRate' | 'channels'>): string {
  return `${sampleRate / 1000} kHz ${layoutName(channels)}`;
}

/** What a number of channels is called in a sentence: `mono`, `stereo`, `5.1`. */
export function layoutName(channels: number): string {
  return layoutNames[channels] ?? `${channels} channels`;
}

/** Shorter audio is lost in filters and encoders, or is not recognised as MP3. */
export const minAudioSeconds = 0.1;

/** Phones put dozens of frames of these codecs into one packet. */
const packedCodecs: ReadonlySet<string> = new Set(['amr_nb', 'amr_wb']);

/**
 * Decides whether the audio must be repacked before it is decoded. ffmpeg 5 decodes only the first frame of an AMR
 * packet, without an error, which leaves a fiftieth of the audio of a phone's file; 4.1 and 7.0 decode all frames. An
 * AMR file has one frame in each packet, and all versions decode that.
 */
export function decideRepack(media: MediaFacts, audio: AudioFacts): AudioDecision['repack'] {
  const { format } = media;
  if (
    audio.converted !== undefined ||
    audio.joined !== undefined ||
    format === 'amr' ||
    !packedCodecs.has(audio.codec)
  )
    return null;
  return { offsetSeconds: startWithin(audio.startSeconds, media) };
}
