import type { OutputSettings } from '../../../src/shared/settings/index.js';
import type { RequestWarning } from '../../../src/shared/settings/setting.js';
import type { AudioEncoderName } from '../audio-encoders.js';
import type { AudioCodec } from '../formats.js';
import type { Capabilities } from '../plan-types.js';
import { channelWarnings } from './audio-channels.js';

/** The only AAC encoder that has HE-AAC. */
const heAacEncoder = 'libfdk_aac';

/** Validation errors of options of audio codecs that need no input. `path` is the path of the output. */
export function audioOptionErrors(
  settings: OutputSettings,
  codec: AudioCodec,
  path: string,
  { encoders }: Pick<Capabilities, 'encoders'>,
): readonly string[] {
  const { force_aac_profile: profile = 'aac-lc', audio_constant_bitrate, audio_bitrate } = settings;
  const reason = encoders.has(heAacEncoder)
    ? 'only AAC-LC is encoded here'
    : 'the installed ffmpeg has no encoder for it';
  return [
    ...(codec === 'aac' && profile !== 'aac-lc'
      ? [`${path}.force_aac_profile cannot be ${profile}: ${reason}; omit it for AAC-LC`]
      : []),
    ...(audio_constant_bitrate === true && audio_bitrate === undefined && hasBitrates(codec)
      ? [`${path}.audio_constant_bitrate needs audio_bitrate`]
      : []),
  ];
}

/** Warnings about options of audio codecs that need no input. `path` is the path of the output. */
export function audioOptionWarnings(
  settings: OutputSettings,
  { codec, encoder }: { readonly codec: AudioCodec; readonly encoder: AudioEncoderName },
  path: string,
): readonly RequestWarning[] {
  return [
    ...channelWarnings(settings, codec, path),
    ...(codec === 'flac' && settings.audio_bit_depth === 32
      ? [
          {
            field: `${path}.audio_bit_depth`,
            message: 'was corrected to 24: flac has up to 24 bits per sample',
            strictError: 'must be 16 or 24 for flac',
          },
        ]
      : []),
    ...(encoder === 'aac' && isConstantRate(settings)
      ? [
          {
            field: `${path}.audio_constant_bitrate`,
            message: 'has no effect on silence, which the encoder for aac writes with fewer bits',
          },
        ]
      : []),
  ];
}

/** Whether a codec has a choice of bitrates that can be constant. */
export function hasBitrates(codec: AudioCodec): boolean {
  return codec !== 'pcm' && codec !== 'flac' && codec !== 'amr';
}

/** Whether the bitrate of an output is kept constant. */
export function isConstantRate({ audio_constant_bitrate, audio_quality }: OutputSettings): boolean {
  return audio_constant_bitrate === true && audio_quality === undefined;
}
