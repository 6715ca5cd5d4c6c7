import type { OutputSettings } from '../../../src/shared/settings/index.js';
import { type VideoEncoder, type VideoEncoderName, videoEncoders } from '../encoders.js';
import type { BitrateCap, VideoRate } from './decisions.js';
import { levelOf } from './level.js';

/** The settings that say how many bits the picture gets (section 4.1 Video bitrate). */
export type VideoRateSettings = Pick<
  OutputSettings,
  'quality' | 'video_bitrate' | 'bitrate_cap' | 'buffer_size' | 'onepass'
>;

/** A buffer lasts this long at its cap, unless `buffer_size` says otherwise (contract, section 11). */
const bufferSeconds = 1.5;

/**
 * How many bits the picture gets: as `quality` asks for, or by `video_bitrate`, which wins over it. A bitrate takes two passes, and so does
 * a quality with an encoder that meets it better so, unless `onepass` is set. Below a cap a quality takes one.
 */
export function decideVideoRate(settings: VideoRateSettings, encoder: VideoEncoderName): VideoRate {
  const allowsTwoPasses = settings.onepass !== true;
  if (settings.video_bitrate !== undefined) {
    return { by: 'bitrate', kbps: settings.video_bitrate, passes: allowsTwoPasses ? 2 : 1 };
  }
  const { hasTwoPassQuality }: VideoEncoder = videoEncoders[encoder];
  const usesTwoPasses = allowsTwoPasses && hasTwoPassQuality === true && settings.bitrate_cap === undefined;
  return { by: 'quality', level: levelOf(settings.quality), passes: usesTwoPasses ? 2 : 1 };
}

/** What the bits may be at most (`bitrate_cap`), over which buffer; null where there is no cap. A buffer alone limits nothing. */
export function decideCap({ bitrate_cap, buffer_size }: VideoRateSettings): BitrateCap | null {
  if (bitrate_cap === undefined) return null;
  return { kbps: bitrate_cap, bufferKilobits: buffer_size ?? Math.ceil(bitrate_cap * bufferSeconds) };
}
