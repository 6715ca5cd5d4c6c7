import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, statfsSync, writeFileSync } from 'node:fs';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { killDaemons, processKey, startDaemonProcess } from '../helpers/daemon-process.js';
import { tempFolder } from '../helpers/temp.js';
import { waitUntil } from '../helpers/wait-until.js';

/* The scratch folder of a job contains a file that nobody can delete, not even root. */
const test = suite('scratch that cannot be removed');

const chattr = (flag: '+i' | '-i', path: string) => spawnSync('chattr', [flag, path], { encoding: 'utf8' });

/** Whether files can be made immutable here, which needs root and a file system that supports it. */
function canMakeImmutable(): boolean {
  const path = join(tempFolder(), 'file');
  writeFileSync(path, '');
  const { status, stderr } = chattr('+i', path);
  chattr('-i', path);
  if (status !== 0) process.stdout.write(`skipped: no file can be made immutable here: ${stderr}\n`);
  return status === 0;
}

const immutable: string[] = [];

/** Puts a file into a folder and makes it undeletable until `free` is called. */
function makeImmutable(folder: string): { free(): void } {
  mkdirSync(folder, { recursive: true });
  const path = join(folder, 'stuck');
  writeFileSync(path, '');
  assert.is(chattr('+i', path).status, 0);
  immutable.push(path);
  return { free: () => void chattr('-i', path) };
}

const responses: ServerResponse[] = [];
let isSmallWhole = false;
let largeDownloads = 0;
/** `/small` is not a media file, and its last byte is held back. `/large` is larger than the disk, and its body is never sent. */
const server = createServer((request, response) => {
  const isSmall = request.url === '/small';
  if (!isSmall && request.method === 'GET') largeDownloads += 1;
  const { bavail, bsize } = statfsSync(tempFolder());
  response.writeHead(200, { 'Content-Length': isSmall ? 100_000 : bavail * bsize });
  if (request.method === 'HEAD') response.end();
  else if (isSmall && isSmallWhole) response.end(Buffer.alloc(100_000));
  else if (isSmall) response.write(Buffer.alloc(99_999));
  else response.flushHeaders();
  responses.push(response);
});

test.before(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
});
test.after.each(killDaemons);
test.after(() => {
  for (const path of immutable) chattr('-i', path);
  server.closeAllConnections();
  server.close();
});

if (canMakeImmutable()) {
  test('later jobs still start, and the folder is removed when that is possible again', async () => {
    const folder = tempFolder();
    const daemon = await startDaemonProcess(folder, ['--jobs', '1', '--grace', '0']);
    const headers = { 'Service-Api-Key': processKey, 'Content-Type': 'application/json' };
    const create = async (path: string) => {
      const input = `http://127.0.0.1:${(server.address() as AddressInfo).port}${path}`;
      const body = JSON.stringify({ input });
      const answer = await fetch(`${daemon.url}/v2/jobs`, { method: 'POST', headers, body });
      return ((await answer.json()) as { id: number }).id;
    };
    const stateOf = async (id: number) => {
      const answer = await fetch(`${daemon.url}/v2/jobs/${id}/progress`, { headers });
      return ((await answer.json()) as { state: string }).state;
    };
    const small = await create('/small');
    const scratch = join(folder, 'scratch', String(small));
    await waitUntil(
      'the first download has begun',
      () => existsSync(scratch) && readdirSync(scratch).length > 0,
    );
    const immutableFolder = makeImmutable(scratch);
    isSmallWhole = true;
    for (const response of responses) response.end('.');
    await waitUntil('the first job has failed', async () => (await stateOf(small)) === 'failed');

    const large = await create('/large');
    await waitUntil('the download of the second job has begun', () => largeDownloads > 0);
    // The removal is repeated before it is given up, while the second job runs already.
    await waitUntil('the log says that the folder stays', () =>
      /scratch.*could not be removed/.test(daemon.logged()),
    );
    immutableFolder.free();
    await fetch(`${daemon.url}/v2/jobs/${large}/cancel`, { method: 'PUT', headers });
    await waitUntil('the folder is removed', () => !existsSync(scratch));
    assert.is(await daemon.end('SIGTERM'), 0);
  });

  test('a daemon starts although a scratch folder cannot be removed', async () => {
    const folder = tempFolder();
    const immutableFolder = makeImmutable(join(folder, 'scratch', '1'));
    const daemon = await startDaemonProcess(folder);
    assert.match(daemon.logged(), /scratch.*could not be removed/);
    assert.is(await daemon.end('SIGTERM'), 0);
    immutableFolder.free();
    const next = await startDaemonProcess(folder);
    await waitUntil('the folder is removed', () => readdirSync(join(folder, 'scratch')).length === 0);
    assert.is(await next.end('SIGTERM'), 0);
  });
}

test.run();
