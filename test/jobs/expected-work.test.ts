import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { expectedWork, inputWeightPercent } from '../../daemon/jobs/expected-work.js';
import type { OutputSettings } from '../../src/shared/settings/index.js';
import { mediaFacts, videoFacts } from '../plan/facts.js';

const film = mediaFacts({ video: videoFacts({ width: 1920, height: 1080 }) });

function work(settings: OutputSettings, name = 'a.mp4', isTest = false, media = film): number {
  return expectedWork({ settings, destination: `hosted://t/${name}` }, media, { test: isTest });
}

test('a local input counts for a hundredth of its job, a remote one for a tenth', () => {
  const urls = ['file:///a.mp4', 'upload://t/a.mp4', 'http://h/a.mp4', 's3://b/a.mp4', 'FTP://h/a'];
  assert.equal(urls.map(inputWeightPercent), [1, 1, 10, 10, 10]);
});

/** Settings and names of two outputs: the first takes longer. */
const heavier: readonly (readonly [OutputSettings, OutputSettings, string, string])[] = [
  [{}, { width: 640 }, 'a.mp4', 'a.mp4'],
  [{}, { height: 480 }, 'a.mp4', 'a.mp4'],
  [{ width: 640 }, { width: 320 }, 'a.mp4', 'a.mp4'],
  [{ video_bitrate: 500 }, { video_bitrate: 500, onepass: true }, 'a.mp4', 'a.mp4'],
  [{ video_bitrate: 500 }, {}, 'a.mp4', 'a.mp4'],
  [{ speed: 1 }, { speed: 5 }, 'a.mp4', 'a.mp4'],
  [{ video_codec: 'hevc' }, {}, 'a.mp4', 'a.mp4'],
  [{ video_codec: 'vp9', speed: 1 }, { video_codec: 'vp8' }, 'a.webm', 'a.webm'],
  [{}, {}, 'a.webm', 'a.mp4'],
  [{}, {}, 'a.webm', 'a.ogv'],
  [{ width: 320 }, { skip_video: true }, 'a.mp4', 'a.mp4'],
  [{ width: 320 }, {}, 'a.mp4', 'a.mp3'],
  [{}, { clip_length: 10 }, 'a.mp4', 'a.mp4'],
  [{}, { start_clip: 50 }, 'a.mp4', 'a.mp4'],
  [{ width: 3840, upscale: true }, { width: 3840 }, 'a.mp4', 'a.mp4'],
];
for (const [more, less, nameOfMore, nameOfLess] of heavier) {
  const describeCase = (settings: OutputSettings, name: string) => `${name} with ${JSON.stringify(settings)}`;
  test(`${describeCase(more, nameOfMore)} takes longer than ${describeCase(less, nameOfLess)}`, () => {
    assert.ok(work(more, nameOfMore) > work(less, nameOfLess));
  });
}

test('work grows with the duration, and in test mode up to five seconds', () => {
  assert.ok(Math.abs(work({ clip_length: 40 }) / work({ clip_length: 20 }) - 2) < 0.05);
  assert.is(work({}, 'a.mp4', true), work({ clip_length: 5 }));
});

test('the expected work is above zero even if facts about the input are missing', () => {
  const unknownDuration = mediaFacts({ durationSeconds: null, audio: null });
  for (const media of [unknownDuration, mediaFacts({ video: null }), mediaFacts({ durationSeconds: 0 })]) {
    for (const settings of [{}, { start_clip: 500 }, { skip_video: true }]) {
      const found = work(settings, 'a.mp4', false, media);
      assert.ok(Number.isFinite(found) && found > 0, `${found}`);
    }
  }
});

test.run();
