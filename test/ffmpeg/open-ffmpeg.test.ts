import { readdir, symlink } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { findOnSearchPath } from '../../daemon/ffmpeg/candidates.js';
import { openFfmpeg, warningsFor } from '../../daemon/ffmpeg/index.js';
import { testFfmpeg } from '../helpers/media.js';
import { tempFolder } from '../helpers/temp.js';

test('the capabilities of the installed ffmpeg include encoders, filters and muxers of every build', async () => {
  const { capabilities } = await testFfmpeg();
  assert.ok(capabilities.encoders.has('aac'));
  assert.ok(capabilities.filters.has('scale'));
  assert.ok(capabilities.muxers.has('mp4'));
  assert.is(
    capabilities.hasFpsMode,
    capabilities.version === null ? capabilities.hasFpsMode : capabilities.version >= 5.1,
  );
});

test('the capabilities are cached for the next start', async () => {
  const { ffmpeg, ffprobe, capabilities } = await testFfmpeg();
  const cacheFolder = join(tempFolder(), 'cache');
  const given = { ffmpeg: ffmpeg.path, ffprobe: ffprobe.path, cacheFolder };
  const { report } = await openFfmpeg(given);
  const cached = await readdir(join(cacheFolder, 'answers'));
  const again = await openFfmpeg(given);
  // Six answers, and whether each of the two programs starts in the sandbox. Another program that measures has a
  // version, filters, and perhaps a checksum.
  const own = report.bwrap === null ? 6 : 8;
  const { measurer } = report;
  if (measurer?.binary.path === ffmpeg.path) assert.is(cached.length, own);
  else assert.ok(cached.length >= own && cached.length <= own + 6, `${cached.length}`);
  assert.equal(again.report.capabilities, capabilities);
});

test('without ffmpeg the report has no program and no capabilities, and a missing setpriv causes a warning', async () => {
  const nowhere = tempFolder();
  const { ffmpeg, report } = await openFfmpeg({
    searchPath: '',
    packagesFrom: nowhere,
    cacheFolder: nowhere,
  });
  assert.is(ffmpeg, null);
  assert.is(report.capabilities, null);
  assert.equal([report.ffmpeg, report.ffprobe], [null, null]);
  assert.match(warningsFor(report).join('\n'), 'setpriv');
});

test('a PATH with only prlimit and setpriv limits ffmpeg, and the report says that bubblewrap is missing', async () => {
  const { ffmpeg, ffprobe } = await testFfmpeg();
  const folder = tempFolder();
  const found = await Promise.all(
    ['prlimit', 'setpriv'].map((name) => findOnSearchPath(name, process.env.PATH ?? '')),
  );
  const paths = found.flatMap((candidates) => candidates.slice(0, 1));
  await Promise.all(paths.map((path) => symlink(path, join(folder, basename(path)))));
  const given = { ffmpeg: ffmpeg.path, ffprobe: ffprobe.path, searchPath: folder, cacheFolder: folder };
  const { report } = await openFfmpeg(given);
  const { report: usual } = await openFfmpeg({
    ...given,
    searchPath: process.env.PATH ?? '',
    sandbox: 'none',
  });
  assert.equal([report.hasLimits, report.diesWithParent], [usual.hasLimits, usual.diesWithParent]);
  assert.match(report.sandboxProblem ?? '', 'bubblewrap');
});

test('the old build of the installer causes a warning', async () => {
  const { report } = await openFfmpeg({ cacheFolder: join(tempFolder(), 'cache') });
  const installed = { path: '/x/ffmpeg', version: 'N-47683', source: 'installer' } as const;
  assert.match(warningsFor({ ...report, ffmpeg: installed }).join('\n'), '2018');
});

test.run();
