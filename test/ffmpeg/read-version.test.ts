import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { isRecent, readVersion } from '../../daemon/ffmpeg/find-binaries.js';

const cases = [
  { version: '5.1.9-0+deb12u1', number: 5.1, isRecent: true },
  { version: '4.4.2-0ubuntu0.22.04.1', number: 4.4, isRecent: false },
  { version: 'n6.1', number: 6.1, isRecent: true },
  { version: '7.0.2-static', number: 7, isRecent: true },
  { version: '5.0', number: 5, isRecent: true },
  { version: 'N-47683-g0e8eb07980-static', library: 58, number: null, isRecent: false },
  { version: 'N-66595-gc2b38619c0-static', library: 60, number: null, isRecent: true },
  { version: '2023-01-30-git-2d202985b7-full_build', library: 59, number: null, isRecent: true },
  { version: 'git-2020-01-01-abc', number: null, isRecent: false },
] as const;

for (const { version, number, ...expected } of cases) {
  const library = 'library' in expected ? `libavcodec     ${expected.library}. 37.100 / 59. 37.100\n` : '';
  test(`version ${version} is read as ${number} and is ${expected.isRecent ? '' : 'not '}recent`, () => {
    const parsed = readVersion(
      `ffprobe version ${version} Copyright (c) 2007-2023\nbuilt with gcc\n${library}`,
    );
    assert.ok(parsed);
    assert.is(parsed.program, 'ffprobe');
    assert.is(parsed.version, version);
    assert.is(parsed.number, number);
    assert.is(isRecent(parsed), expected.isRecent);
  });
}

test('output of another program is neither of the two', () => {
  assert.is(readVersion('GNU bash, version 5.2.15'), null);
  assert.is(readVersion(''), null);
});

test.run();
