import type { OutputSettings } from '../../../src/shared/settings/index.js';
import type { JobFailure } from '../../jobs/job.js';
import { nameInSentence } from '../device-profiles.js';
import type { AudioTrack, Clip } from './decisions.js';

/** Bytes of the container for each second, and for the whole file: indexes of frames and of packets of audio. */
const overheadBytes = { perSecond: 600, fixed: 4000 } as const;
/** The part of the size that the first encode aims at: a file must never be larger than requested. */
const aim = 0.985;
/** The assumed bitrate of a channel that is encoded by quality, or that is copied and does not say. */
const assumedKbpsPerChannel = 64;

/**
 * The settings of an output with the bitrate of the video that gives the file its `target_size`, at most `bitrate_cap`;
 * unchanged without a target. The encode is corrected when the size of its file is known (`correctBitrate`).
 */
export function withTargetBitrate(
  settings: OutputSettings,
  clip: Clip,
  audio: readonly AudioTrack[],
): { readonly settings: OutputSettings } | { readonly failure: JobFailure } {
  const { target_size, bitrate_cap = Number.POSITIVE_INFINITY, video_bitrate } = settings;
  // A correction has its own bitrate.
  if (target_size === undefined || video_bitrate !== undefined) return { settings };
  const name = nameInSentence(settings, 'target_size');
  const seconds = clip.expectedSeconds;
  if (seconds === null)
    return rejected(`${name} needs the length of the input, which does not say how long it is.`);
  const audioKbps = audio.reduce((sum, track) => sum + kbpsOf(track), 0);
  const audioBytes = Math.ceil((audioKbps * 1000 * seconds) / 8);
  const bytes = target_size * aim - audioBytes - overheadBytes.fixed - overheadBytes.perSecond * seconds;
  const kbps = Math.floor((bytes * 8) / 1000 / Math.max(seconds, 0.04));
  if (kbps >= 1) return { settings: { ...settings, video_bitrate: Math.min(kbps, bitrate_cap) } };
  const needed =
    audioBytes > target_size
      ? `the audio alone needs about ${audioBytes}`
      : `the audio and the container need about ${Math.round(target_size - bytes)}`;
  return rejected(
    `${name} is ${target_size} bytes, and ${needed} for ${Math.round(seconds)} seconds. A lower audio_bitrate, skip_audio or a larger size helps.`,
  );
}

function kbpsOf({ source, encoding }: AudioTrack): number {
  if (encoding === null) return source.bitrateKbps ?? source.channels * assumedKbpsPerChannel;
  const { rate, channels } = encoding;
  return rate.by === 'bitrate' ? rate.kbps : channels * assumedKbpsPerChannel;
}

function rejected(message: string): { readonly failure: JobFailure } {
  return { failure: { errorClass: 'InvalidVideoSettingsError', message } };
}
