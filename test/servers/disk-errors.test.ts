import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdir, rm, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { killDaemons, processKey, spawnVenc, startDaemonProcess } from '../helpers/daemon-process.js';
import { tempFolder } from '../helpers/temp.js';
import { waitUntil } from '../helpers/wait-until.js';

const test = suite('a daemon with disk errors');
test.after(killDaemons);

const headers = { 'Service-Api-Key': processKey };
const create = { method: 'POST', headers, body: JSON.stringify({ input: 'http://127.0.0.1:9/a.mp4' }) };

test('a start that cannot write daemon.json ends with the reason and releases the data folder', async () => {
  const folder = tempFolder();
  await mkdir(join(folder, 'daemon.json'));
  const child = spawnVenc(['daemon', '--port', '0', '--data', folder]);
  let stderr = '';
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
  });
  const limit = setTimeout(() => child.kill('SIGKILL'), 20_000);
  const [code, signal] = await once(child, 'exit');
  clearTimeout(limit);
  assert.is(signal, null, 'it did not end by itself');
  assert.is(code, 2);
  assert.match(stderr, /daemon\.json cannot be written: it is a folder/);
  await rm(join(folder, 'daemon.json'), { recursive: true });
  const next = await startDaemonProcess(folder, ['--jobs', '0']);
  assert.is((await fetch(`${next.url}/health`)).status, 200);
  assert.is(await next.end('SIGTERM'), 0);
});

test('on a read-only disk /health, creates and uploads are 503 with the reason, and reads still work', async () => {
  const folder = tempFolder();
  const daemon = await startDaemonProcess(folder, ['--jobs', '0']);
  assert.is((await fetch(`${daemon.url}/v2/jobs`, create)).status, 201);
  // Open files stay writable, but every path that the daemon opens from now on is on a read-only mount.
  if (!mounted('--bind', folder, folder)) {
    process.stderr.write('skipped: this user is not allowed to mount\n');
    return;
  }
  try {
    assert.ok(mounted('-o', 'remount,bind,ro', folder));
    await waitUntil(
      '/health reports the error',
      async () => (await fetch(`${daemon.url}/health`)).status === 503,
    );
    const health = await fetch(`${daemon.url}/health`);
    assert.match(await health.text(), /data folder cannot be written: it is on a read-only disk/);
    const upload = { method: 'PUT', headers, body: 'a film' };
    for (const [path, init] of [['/v2/jobs', create] as const, ['/v2/uploads/a.mov', upload] as const]) {
      const response = await fetch(`${daemon.url}${path}`, init);
      assert.is(response.status, 503, path);
      assert.ok(Number(response.headers.get('retry-after')) > 0);
      assert.match(await response.text(), /read-only disk/);
    }
    assert.is((await fetch(`${daemon.url}/v2/jobs`, { headers })).status, 200);
  } finally {
    spawnSync('umount', ['--lazy', folder]);
  }
  await waitUntil('/health is 200 again', async () => (await fetch(`${daemon.url}/health`)).status === 200);
  assert.is((await fetch(`${daemon.url}/v2/jobs`, create)).status, 201);
  assert.is(await daemon.end('SIGTERM'), 0);
});

for (const sizeBytes of [10, 3_000_000]) {
  test(`an upload of ${sizeBytes} bytes whose file cannot be opened is 503 with the reason`, async () => {
    const folder = tempFolder();
    const daemon = await startDaemonProcess(folder, ['--jobs', '0']);
    await rm(join(folder, 'uploads'), { recursive: true, force: true });
    await writeFile(join(folder, 'uploads'), 'no folder');
    const response = await fetch(`${daemon.url}/v2/uploads/a.mov`, {
      method: 'PUT',
      headers,
      body: Buffer.alloc(sizeBytes),
    });
    assert.is(response.status, 503);
    assert.match(await response.text(), /cannot write the upload to its disk: there is a file/);
    assert.ok(Number(response.headers.get('retry-after')) > 0);
    assert.is(await daemon.end('SIGTERM'), 0);
  });
}

test('a hosted file is deleted after 24 hours and is 410 from then on', async () => {
  const folder = tempFolder();
  const path = join(folder, 'hosted', 'a-token-of-a-test', 'a.mp4');
  await mkdir(join(folder, 'hosted', 'a-token-of-a-test'), { recursive: true });
  await writeFile(path, 'a film');
  const daemon = await startDaemonProcess(folder, ['--jobs', '0']);
  const end = Date.now() + 4000;
  await utimes(path, new Date(), new Date(end - 86_400_000));
  await daemon.end('SIGTERM');
  const next = await startDaemonProcess(folder, ['--jobs', '0']);
  const url = `${next.url}/hosted/a-token-of-a-test/a.mp4`;
  const { status } = await fetch(url);
  // On a busy machine, the start or the answer may come later.
  if (Date.now() < end) assert.is(status, 200);
  await waitUntil('the file is deleted', () => !existsSync(path));
  assert.ok(Date.now() >= end);
  assert.is((await fetch(url)).status, 410);
  assert.is(await next.end('SIGTERM'), 0);
});

function mounted(...args: readonly string[]): boolean {
  return spawnSync('mount', args).status === 0;
}

test.run();
