import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { openFfmpeg, remarksOn } from '../../daemon/ffmpeg/index.js';
import { testFfmpeg } from '../helpers/media.js';
import { tempFolder } from '../helpers/temp.js';

test('the ffmpeg at hand tells encoders, filters and muxers that every build has', async () => {
  const { abilities } = await testFfmpeg();
  assert.ok(abilities.encoders.has('aac'));
  assert.ok(abilities.filters.has('scale'));
  assert.ok(abilities.muxers.has('mp4'));
  assert.is(
    abilities.hasFpsMode,
    abilities.version === null ? abilities.hasFpsMode : abilities.version >= 5.1,
  );
});

test('what it told is kept for the next start', async () => {
  const { ffmpeg, ffprobe, abilities } = await testFfmpeg();
  const cacheFolder = join(tempFolder(), 'cache');
  const given = { ffmpeg: ffmpeg.path, ffprobe: ffprobe.path, cacheFolder };
  await openFfmpeg(given);
  const kept = await readdir(join(cacheFolder, 'answers'));
  const again = await openFfmpeg(given);
  assert.is(kept.length, 6);
  assert.equal(again.report.abilities, abilities);
});

test('without ffmpeg there is no way to it, and without setpriv that is remarked on', async () => {
  const nowhere = tempFolder();
  const { ffmpeg, report } = await openFfmpeg({
    searchPath: '',
    packagesFrom: nowhere,
    cacheFolder: nowhere,
  });
  assert.is(ffmpeg, null);
  assert.is(report.abilities, null);
  assert.equal([report.ffmpeg, report.ffprobe], [null, null]);
  assert.match(remarksOn(report).join('\n'), 'setpriv');
});

test('the old one of the installer is remarked on', async () => {
  const { report } = await openFfmpeg({ cacheFolder: join(tempFolder(), 'cache') });
  const installed = { path: '/x/ffmpeg', version: 'N-47683', source: 'installer' } as const;
  assert.match(remarksOn({ ...report, ffmpeg: installed }).join('\n'), '2018');
});

test.run();
