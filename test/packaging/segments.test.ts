import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { mediaPlaylistText } from '../../daemon/packaging/media-playlist.js';
import { type AccessPoint, SegmentCutter } from '../../daemon/packaging/segments.js';

/** Access points at times, each 1000 bytes behind the one before. */
const pointsAt = (...times: readonly number[]): readonly AccessPoint[] =>
  times.map((seconds, index) => ({ offset: index * 1000, seconds, keyframeBytes: 100 }));

const cut = (segmentSeconds: number, points: readonly AccessPoint[], end: number) => {
  const cutter = new SegmentCutter(segmentSeconds);
  for (const point of points) cutter.add(point);
  return cutter.end(end, points.length * 1000);
};

test('a segment begins at the first keyframe at or after each multiple of the length', () => {
  const segments = cut(4, pointsAt(0, 2, 4.004, 6, 8.008, 9), 10);
  assert.equal(
    segments.map(({ startSeconds, offset, sizeBytes, keyframes }) => [
      startSeconds,
      offset,
      sizeBytes,
      keyframes.length,
    ]),
    [
      [0, 0, 2000, 2],
      [4.004, 2000, 2000, 2],
      [8.008, 4000, 2000, 2],
    ],
  );
});

test('times are relative to the first frame, and rounded ones count as exact', () => {
  const segments = cut(2, pointsAt(1.4, 3.3999, 5.3991), 7);
  assert.equal(
    segments.map(({ startSeconds }) => Math.round(startSeconds * 1000)),
    [0, 2000, 3999],
  );
});

test('a rendition with few keyframes has longer segments, and no multiple is made up for', () => {
  const segments = cut(2, pointsAt(0, 7, 8, 9), 11);
  assert.equal(
    segments.map(({ startSeconds, durationSeconds }) => [startSeconds, durationSeconds]),
    [
      [0, 7],
      [7, 1],
      [8, 3],
    ],
  );
});

test('a media playlist has exact durations, and the smallest target that no rounded duration exceeds', () => {
  const segments = [3.9999, 4.004, 0.2].map((durationSeconds, index) => ({
    file: `a b-${index}.ts`,
    durationSeconds,
  }));
  assert.is(
    mediaPlaylistText({ version: 3, segments, isIndependent: true }),
    `#EXTM3U
#EXT-X-VERSION:3
#EXT-X-TARGETDURATION:4
#EXT-X-MEDIA-SEQUENCE:0
#EXT-X-PLAYLIST-TYPE:VOD
#EXT-X-INDEPENDENT-SEGMENTS
#EXTINF:3.999900,
a%20b-0.ts
#EXTINF:4.004000,
a%20b-1.ts
#EXTINF:0.200000,
a%20b-2.ts
#EXT-X-ENDLIST
`,
  );
});

test('before version 3, durations are whole seconds whose sum does not drift', () => {
  const segments = Array.from({ length: 5 }, () => ({ file: 'x.ts', durationSeconds: 2.6 }));
  const text = mediaPlaylistText({ version: 2, segments, isIndependent: false });
  assert.equal(
    [...text.matchAll(/#EXTINF:(\d+),/g)].map(([, seconds]) => Number(seconds)),
    [3, 2, 3, 2, 3],
  );
});

test('a playlist names ranges, keys and the header', () => {
  const text = mediaPlaylistText({
    version: 6,
    header: { file: 'x.m4s', range: { offset: 0, sizeBytes: 700 } },
    segments: [
      {
        file: 'x.m4s',
        durationSeconds: 2,
        range: { offset: 700, sizeBytes: 300 },
        key: { uri: 'x.key', iv: null },
      },
      {
        file: 'x.m4s',
        durationSeconds: 2,
        range: { offset: 1000, sizeBytes: 50 },
        key: { uri: 'y.key', iv: '00' },
      },
    ],
    isIndependent: true,
  });
  assert.match(text, '#EXT-X-MAP:URI="x.m4s",BYTERANGE="700@0"\n#EXT-X-KEY:METHOD=AES-128,URI="x.key"\n');
  assert.match(text, '#EXT-X-BYTERANGE:300@700\nx.m4s\n#EXT-X-KEY:METHOD=AES-128,URI="y.key",IV=0x00\n');
});

test.run();
