import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { startTestDaemon, type TestDaemon } from '../helpers/daemon.js';
import { film, makeMedia } from '../helpers/media.js';
import { type FileServer, serveFolder } from '../helpers/servers/file-server.js';
import { tempFolder } from '../helpers/temp.js';

interface Context {
  readonly daemon: TestDaemon;
  readonly files: FileServer;
}

const test = suite<Context>('bad input');

test.before(async (context) => {
  const folder = tempFolder();
  const good = join(folder, 'good.mp4');
  await makeMedia(good, film('128x96', 2));
  await writeFile(join(folder, 'text.mp4'), 'This is not a video.\n'.repeat(50));
  await writeFile(join(folder, 'empty.mp4'), '');
  await writeFile(
    join(folder, 'playlist.mp4'),
    `#EXTM3U\n#EXT-X-TARGETDURATION:2\n#EXTINF:2,\n${good}\n#EXT-X-ENDLIST\n`,
  );
  await writeFile(join(folder, 'concat.mp4'), `ffconcat version 1.0\nfile '${good}'\n`);
  const bytes = await readFile(good);
  await writeFile(join(folder, 'truncated.mp4'), bytes.subarray(0, Math.floor(bytes.length / 3)));
  const files = await serveFolder(folder);
  Object.assign(context, { files, daemon: await startTestDaemon() });
});
test.after(async ({ daemon, files }) => {
  await daemon.stop();
  await files.close();
});

const cases: readonly (readonly [string, (files: FileServer) => string, readonly string[]])[] = [
  ['a text called .mp4', ({ url }) => `${url}/text.mp4`, ['NoMediaError']],
  ['an empty file', ({ url }) => `${url}/empty.mp4`, ['NoMediaError']],
  ['a truncated file', ({ url }) => `${url}/truncated.mp4`, ['NoMediaError', 'UnsupportedInputError']],
  ['a playlist called .mp4', ({ url }) => `${url}/playlist.mp4`, ['UnsupportedInputError']],
  ['a list of files called .mp4', ({ url }) => `${url}/concat.mp4`, ['UnsupportedInputError']],
  ['a missing file', ({ url }) => `${url}/missing.mp4`, ['FileNotFoundError']],
  ['a server that does not run', () => 'http://127.0.0.1:9/a.mp4', ['DownloadFailureError']],
  ['a host that does not exist', () => 'http://nowhere.invalid/a.mp4', ['DownloadFailureError']],
];

for (const [what, urlOf, classes] of cases) {
  test(`${what} fails with ${classes.join(' or ')}, in one plain sentence`, async ({ daemon, files }) => {
    const job = await daemon.waitForJob(await daemon.create({ input: urlOf(files) }));
    const { error_class: errorClass, error_message: message } = job.input_media_file;
    assert.is(job.state, 'failed');
    assert.ok(classes.includes(errorClass ?? ''), `${errorClass}: ${message}`);
    assert.match(message ?? '', /^[^\n]{10,300}\.$/);
    assert.not.match(message ?? '', daemon.dataFolder);
    assert.is(job.output_media_files[0]?.state, 'no input');
  });
}

test('the daemon still works after all bad inputs', async ({ daemon, files }) => {
  const job = await daemon.waitForJob(await daemon.create({ input: `${files.url}/good.mp4` }));
  assert.is(job.state, 'finished');
});

test('an input in a private network is rejected unless it is allowed', async ({ files }) => {
  const guarded = await startTestDaemon({ allowPrivateNetwork: false });
  const job = await guarded.waitForJob(await guarded.create({ input: `${files.url}/good.mp4` }));
  assert.is(job.input_media_file.error_class, 'ForbiddenAddressError');
  await guarded.stop();
});

test('a daemon below its minimum free space rejects jobs and uploads with the reason', async () => {
  const full = await startTestDaemon({ minFreeBytes: Number.MAX_SAFE_INTEGER });
  const health = await full.request('/health');
  assert.is(health.status, 503);
  assert.match(await health.text(), /--min-free/);
  const create = await full.request('/v2/jobs', {
    method: 'POST',
    body: '{"input":"http://127.0.0.1:9/a.mp4"}',
  });
  assert.is(create.status, 503);
  assert.ok(Number(create.headers.get('retry-after')) > 0);
  assert.is((await full.request('/v2/uploads/a.mp4', { method: 'PUT', body: 'x' })).status, 503);
  assert.is((await full.request('/v2/jobs')).status, 200);
  await full.stop();
});

test.run();
