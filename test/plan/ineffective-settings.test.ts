import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { checkCombination } from '../../daemon/plan/check-combination.js';
import { withDeviceProfile } from '../../daemon/plan/device-profiles.js';
import { ineffectiveSettings } from '../../daemon/plan/ineffective-settings.js';
import type { OutputSettings } from '../../src/shared/settings/index.js';
import { newCapabilities } from './facts.js';

/** The warnings about settings of an output that have no effect, without the path of the output. */
function warningsFor(given: OutputSettings): readonly string[] {
  const settings = withDeviceProfile(given);
  const combination = checkCombination(settings, null, newCapabilities, 'outputs[0]');
  if (!combination.ok) throw new Error(combination.validationErrors.join('; '));
  return ineffectiveSettings(given, combination, 'outputs[0]', settings).map(
    ({ field, message }) => `${field.replace('outputs[0].', '')} ${message.replace('has no effect: ', '')}`,
  );
}

const cases: readonly (readonly [OutputSettings, readonly string[]])[] = [
  [{ aspect_mode: 'pad' }, ['aspect_mode it needs width and height']],
  [{ aspect_mode: 'crop', width: 100 }, ['aspect_mode it needs width and height']],
  [{ aspect_mode: 'crop', width: 100, height: 100 }, []],
  [{ aspect_mode: 'preserve', width: 100 }, []],
  [{ aspect_mode: 'pad', device_profile: 'mobile/baseline' }, []],
  [{ upscale: true }, ['upscale it needs width or height']],
  [{ upscale: true, height: 100 }, []],
  [{ upscale: false }, []],
  [{ buffer_size: 900 }, ['buffer_size it needs bitrate_cap']],
  [{ buffer_size: 900, bitrate_cap: 600 }, []],
  [{ buffer_size: 900, constant_bitrate: true, video_bitrate: 600 }, []],
  [
    { buffer_size: 900, constant_bitrate: true, video_bitrate: 600, video_codec: 'theora' },
    ['buffer_size it needs bitrate_cap'],
  ],
  [{ skip_audio: true, audio_codec: 'aac' }, ['audio_codec the output has no audio']],
  [{ skip_video: true, video_codec: 'h264' }, ['video_codec the output has no video']],
  // A value that turns a setting off is what a copied stream has.
  [
    { copy_video: true, deinterlace: 'off', upscale: false, denoise: 'strong' },
    ['denoise the video is copied'],
  ],
  [{ copy_video: true, video_bframes: 0 }, ['video_bframes the video is copied']],
  [{ copy_audio: true, audio_gain: 0, audio_normalize: false }, []],
  [{ quality_target: 90, quality_floor: 80 }, []],
  [{ quality_target: 90, quality_check: 'none' }, []],
  [{ quality_target: 90, quality_check: 'none', quality_log: true }, ['quality_log quality_check is none']],
  [{ quality_check: 'samples' }, ['quality_check it needs measure_quality or quality_target']],
  [{ quality_floor: 80 }, ['quality_floor it needs quality_target']],
  [{ quality_target: 90, copy_video: true }, ['quality_target the video is copied']],
  [{ quality_target: 90, skip_video: true }, ['quality_target the output has no video']],
  [{ quality_target: 90, video_bitrate: 500 }, ['quality_target video_bitrate decides']],
  [{ quality_target: 90, video_codec: 'theora' }, ['quality_target theora has no constant rate factor']],
];

for (const [settings, expected] of cases) {
  test(`${JSON.stringify(settings)} has ${expected.length} settings without effect`, () => {
    assert.equal(warningsFor(settings), expected);
  });
}

test.run();
