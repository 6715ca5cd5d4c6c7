import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { mediaPlaylistText } from '../../daemon/packaging/media-playlist.js';
import { verifyAddresses } from '../../daemon/packaging/verify-addresses.js';
import { parsePlaylist } from '../helpers/hls.js';

const segmentsOf = (durations: readonly number[]) =>
  durations.map((durationSeconds, index) => ({ file: `a b-${index + 1}.ts`, durationSeconds }));
const playlist = (version: number, durations: readonly number[]) =>
  mediaPlaylistText({ version, isIndependent: false, segments: segmentsOf(durations) });

test('no duration exceeds the target, and whole seconds do not drift', () => {
  for (const [version, durations, target] of [
    [3, [2.3, 2.3, 2.3, 2.3], '2'],
    [3, [2.5, 2.4], '3'],
    [2, [2.3, 2.3, 2.3, 2.3], '3'],
    [1, [2.6, 2.6, 2.6], '3'],
    [1, [0.2], '1'],
  ] as const) {
    const { tags, segments } = parsePlaylist(playlist(version, durations));
    assert.is(tags['EXT-X-TARGETDURATION'], target, String(durations));
    for (const { seconds } of segments) assert.ok(Math.round(seconds) <= Number(target));
    const sum = (values: readonly number[]) => values.reduce((total, one) => total + one, 0);
    const drift = Math.abs(sum(segments.map(({ seconds }) => seconds)) - sum(durations));
    assert.ok(drift <= (version < 3 ? 0.5 : 0.000_01), `${drift}`);
  }
});

test('a playlist that names a file that was not written is an error, and so is a manifest', () => {
  const text = playlist(3, [2, 2]);
  const names = ['a b-1.ts', 'a b-2.ts'];
  verifyAddresses([{ name: '', text }], new Set(names));
  assert.throws(
    () => verifyAddresses([{ name: '', text }], new Set(names.slice(1))),
    /the playlist names a%20b-1\.ts, which was not written/,
  );
  const keys = '#EXTM3U\n#EXT-X-KEY:METHOD=AES-128,URI="https://example.com/k"\n#EXT-X-MAP:URI="h.mp4"\n';
  verifyAddresses([{ name: '', text: keys }], new Set(['h.mp4']));
  assert.throws(() => verifyAddresses([{ name: 'x.m3u8', text: keys }], new Set()), /x\.m3u8 names h\.mp4/);
  const manifest =
    '<SegmentTemplate initialization="a&amp;b-init.mp4" media="a&amp;b-$Number%05d$.m4s"><BaseURL>c.vtt</BaseURL>';
  const files = ['a&b-init.mp4', 'a&b-00001.m4s', 'c.vtt'];
  verifyAddresses([{ name: 'm.mpd', text: manifest }], new Set(files));
  for (const file of files)
    assert.throws(
      () =>
        verifyAddresses([{ name: 'm.mpd', text: manifest }], new Set(files.filter((one) => one !== file))),
      /m\.mpd names/,
    );
});

test.run();
