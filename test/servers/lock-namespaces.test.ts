import { existsSync, readdirSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import {
  canUnshare,
  killNamespacedDaemons,
  type NamespacedDaemon,
  startNamespacedDaemon,
} from '../helpers/namespaces.js';
import { tempFolder } from '../helpers/temp.js';
import { waitUntil } from '../helpers/wait-until.js';

/*
 * Two daemons in two PID namespaces on one data folder, like two containers with one volume. Each is process 1 of its namespace, and
 * neither can see the process of the other.
 */
const test = suite('a data folder of daemons in two PID namespaces');
const mayRun = canUnshare();

/** Sends half of a file and then nothing, so that the job stays in its download. */
const server = createServer((_, response) => {
  response.writeHead(200, { 'Content-Length': '200000', 'Content-Type': 'video/mp4' });
  response.write(Buffer.alloc(100_000));
});

test.before(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
});

test.after.each(() => killNamespacedDaemons());
test.after(() => {
  server.closeAllConnections();
  server.close();
});

/** Starts a download on a daemon. Resolves to the state of the job and the file names in its scratch folder. */
async function workingDaemon(folder: string) {
  const daemon = startNamespacedDaemon(folder);
  const url = await daemon.url;
  const headers = { 'Service-Api-Key': daemon.key, 'Content-Type': 'application/json' };
  const input = `http://127.0.0.1:${(server.address() as AddressInfo).port}/film.mp4`;
  const created = await fetch(`${url}/v2/jobs`, { method: 'POST', headers, body: JSON.stringify({ input }) });
  const { id } = (await created.json()) as { id: number };
  const scratch = join(folder, 'scratch', String(id));
  const names = () => (existsSync(scratch) ? readdirSync(scratch) : []);
  await waitUntil('the download is under way', () => names().some((name) => name.endsWith('.part')));
  const state = async () => {
    const answer = await fetch(`${url}/v2/jobs/${id}/progress`, { headers });
    return ((await answer.json()) as { state: string }).state;
  };
  return { daemon, names, state };
}

/** The exit code of a daemon that is expected to end, and whether it printed its URL before. */
async function endOf(daemon: NamespacedDaemon) {
  const acquiredLock = await daemon.url.then(
    () => true,
    () => false,
  );
  if (acquiredLock) daemon.signal('SIGTERM');
  return { acquiredLock, code: await daemon.ended, log: daemon.logged() };
}

if (mayRun) {
  test('the second daemon exits 6, and the scratch and the job of the first are untouched', async () => {
    const folder = tempFolder();
    const { daemon, names, state } = await workingDaemon(folder);
    const before = names();
    const second = await endOf(startNamespacedDaemon(folder));
    assert.equal(
      { code: second.code, acquiredLock: second.acquiredLock },
      { code: 6, acquiredLock: false },
      second.log,
    );
    assert.match(second.log, folder);
    assert.equal(names(), before);
    assert.is(await state(), 'processing');
    daemon.signal('SIGTERM');
    assert.is(await daemon.ended, 0);
    const third = startNamespacedDaemon(folder);
    await third.url;
  });

  test('the second daemon exits 6 while the first is stopped by SIGSTOP, and the first then continues', async () => {
    const folder = tempFolder();
    const { daemon, names, state } = await workingDaemon(folder);
    const before = names();
    daemon.signal('SIGSTOP');
    const second = await endOf(startNamespacedDaemon(folder));
    daemon.signal('SIGCONT');
    assert.equal(
      { code: second.code, acquiredLock: second.acquiredLock },
      { code: 6, acquiredLock: false },
      second.log,
    );
    assert.equal(names(), before);
    assert.is(await state(), 'processing');
  });

  test('the lock of a daemon that was killed with its namespace does not delay the next start', async () => {
    const folder = tempFolder();
    const { daemon } = await workingDaemon(folder);
    daemon.signal('SIGKILL');
    await daemon.ended;
    const begunAt = performance.now();
    const next = startNamespacedDaemon(folder);
    await next.url;
    assert.ok(performance.now() - begunAt < 8000, 'it waits for a heartbeat');
  });
}

test.run();
