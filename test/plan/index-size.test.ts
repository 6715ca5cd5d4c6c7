import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { MediaFacts } from '../../daemon/jobs/media.js';
import { plan } from '../../daemon/plan/plan.js';
import type { OutputSettings } from '../../src/shared/settings/index.js';
import { audioFacts, mediaFacts, newCapabilities, output, paths, videoFacts } from './facts.js';

const hour = { durationSeconds: 3600, totalBitrateKbps: 8000 } as const;

/** The bytes that an output reserves for its index; null if it moves the index with `+faststart`. */
function reserved(
  over: Partial<MediaFacts>,
  settings: OutputSettings = { copy: true },
  name = 'film.mp4',
): number | null {
  const { steps, rejections } = plan([output(settings, name)], mediaFacts(over), paths, newCapabilities);
  assert.equal(rejections, []);
  const [step] = steps;
  const args = step?.args ?? [];
  const at = args.indexOf('-moov_size');
  assert.is(args.includes('+faststart'), at === -1 && !name.endsWith('.mkv'));
  assert.is(step?.argsWithoutReserve?.includes('+faststart'), at === -1 ? undefined : true);
  return at === -1 ? null : Number(args[at + 1]);
}

test('a large copy reserves space for its index, which is enough and at most 0.5 % of it', () => {
  const bytes = reserved(hour) ?? 0;
  // What ffmpeg writes about 90,000 frames of H.264 with B-frames and 168,750 packets of AAC.
  assert.ok(bytes > 90_000 * 16 + 168_750 * 4 + 90_000 * 7, `${bytes}`);
  assert.ok(bytes < (3600 * 8_000_000 * 0.005) / 8, `${bytes}`);
});

test('more tracks, captions, tags and cover images need more space', () => {
  const bytes = reserved(hour) ?? 0;
  const otherAudio = [2, 3].map((streamIndex) => audioFacts({ streamIndex }));
  const many = reserved({ ...hour, otherAudio }, { copy: true, audio_tracks: ['all'] }) ?? 0;
  assert.ok(many > bytes + 2 * 168_750 * 8, `${many} and ${bytes}`);
  const named = reserved({ ...hour, tags: [{ name: 'comment', value: 'x'.repeat(50_000) }] }) ?? 0;
  assert.ok(named > bytes + 50_000, `${named} and ${bytes}`);
});

test('other outputs move their index when they are complete', () => {
  assert.is(reserved({ ...hour, totalBitrateKbps: 1000 }), null, 'a low bitrate');
  assert.is(reserved({ ...hour, durationSeconds: 20 }), null, 'a small file');
  assert.is(reserved({ ...hour, durationSeconds: null }), null, 'an unknown length');
  assert.is(reserved({ ...hour, totalBitrateKbps: null }), null, 'an unknown size');
  assert.is(reserved({ ...hour, video: videoFacts({ frameRate: null }) }), null, 'an unknown rate');
  assert.is(reserved(hour, { copy: true, start_clip: 60 }), null, 'a clip from an unknown keyframe');
  assert.is(reserved(hour, {}), null, 'encoded video');
  assert.is(reserved(hour, { copy: true }, 'film.mkv'), null, 'another container');
});

test.run();
