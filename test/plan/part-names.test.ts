import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { partNames } from '../../daemon/plan/decide/packaging.js';
import { partNamePattern } from '../../daemon/plan/part-names.js';
import type { OutputSettings } from '../../src/shared/settings/index.js';

const hls = [
  'film-00002.ts',
  'film-123456.ts',
  'film.m3u8',
  'film-captions-en.m3u8',
  'film-captions-und-2-00001.vtt',
];
const cases: readonly (readonly [string, OutputSettings, string, readonly string[], readonly string[]])[] = [
  ['a plain MP4', {}, 'film.mp4', [], ['film.en.vtt', 'film-00001.ts', 'film.mp4.vtt', '']],
  ['a copy of the input', { type: 'transfer-only' }, 'film.webm', [], ['film.en.vtt', 'film.webm']],
  [
    'captions next to a file',
    { subtitles: 'sidecar' },
    'film.mp4',
    ['film.en.vtt', 'film.en-2.vtt', 'film.und.vtt', 'film.pt-BR.vtt'],
    ['film.vtt', 'film..vtt', 'film.a/b.vtt', 'film.a.b.vtt', 'other.en.vtt', 'film.en.vtt2', 'film.en.srt'],
  ],
  [
    'captions of the request that the container has no tracks for',
    { caption_url: [{ url: 'http://host/a.srt' }] },
    'film.flv',
    ['film.en.vtt'],
    ['film.en.srt'],
  ],
  ['dropped captions', { subtitles: 'drop' }, 'film.flv', [], ['film.en.vtt']],
  [
    'segments',
    { type: 'segmented' },
    'film.m3u8',
    hls,
    ['film-00001.m4s', 'film-.ts', 'film.mpd', 'film.key', 'film-a.ts', 'film2-00001.ts', 'film-00001.ts.ts'],
  ],
  [
    'segments of both',
    { type: 'segmented', packaging: 'cmaf' },
    'a+b.m3u8',
    ['a+b-video-00001.m4s', 'a+b-audio-init.mp4', 'a+b.mpd', 'a+b-video.m3u8', 'a+b-captions-en.vtt'],
    ['aab-video-00001.m4s', 'a+b-other-00001.m4s', 'a+b-00001.m4s'],
  ],
  [
    'one file for all segments',
    { type: 'segmented', byte_range_segmenting: true },
    'film.m3u8',
    ['film.ts'],
    ['film-00001.ts'],
  ],
  [
    'encrypted segments',
    { type: 'segmented', encryption_method: 'aes-128', encryption_key_rotation_period: 2 },
    'film.m3u8',
    ['film-2.key', 'film-00001.ts'],
    ['film-a.key'],
  ],
  [
    'a playlist of keyframes',
    { type: 'segmented', generate_keyframe_manifest: true, keyframe_manifest_filename: 'k.m3u8' },
    'film.m3u8',
    ['k.m3u8'],
    ['film-iframe-index.m3u8', 'kxm3u8'],
  ],
  [
    'the scores of a file',
    { quality_log: true, measure_quality: true },
    'a+b.c.mp4',
    ['a+b.c.quality.json'],
    ['a+b.quality.json', 'aab.c.quality.json', 'a+b.c.json', 'a+b.c.en.vtt'],
  ],
  [
    'scores of segments',
    { type: 'segmented', quality_log: true, quality_target: 90 },
    'film.m3u8',
    ['film.quality.json', 'film-00001.ts'],
    ['film.json'],
  ],
  ['scores that are not measured', { quality_log: true }, 'film.mp4', [], ['film.quality.json']],
  ['a playlist', { type: 'playlist' }, 'film.m3u8', [], ['film.mpd', 'film-00001.ts']],
  ['two playlists', { type: 'playlist', packaging: 'cmaf' }, 'film.m3u8', ['film.mpd'], ['film.m3u8.mpd']],
  ['captions in segments', { type: 'captions' }, 'film.m3u8', ['film-00001.vtt'], ['film-00001.ts']],
  ['captions in a file', { type: 'captions' }, 'film.vtt', [], ['film-00001.vtt']],
];

for (const [what, settings, filename, valid, invalid] of cases) {
  test(`the names next to ${what} are those that it can have`, () => {
    const pattern = partNamePattern(settings, filename);
    for (const name of valid) assert.ok(pattern?.test(name), name);
    for (const name of invalid) assert.not.ok(pattern?.test(name), name);
    // The names that the check of a request reserves.
    for (const name of partNames(settings, filename, { hasVideo: true, hasAudio: true }))
      assert.ok(pattern?.test(name), name);
  });
}

test.run();
