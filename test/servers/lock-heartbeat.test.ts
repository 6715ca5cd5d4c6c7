import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import {
  canUnshare,
  killNamespacedDaemons,
  pathWithoutFlock,
  startNamespacedDaemon,
} from '../helpers/namespaces.js';
import { tempFolder } from '../helpers/temp.js';

/* Two daemons without kernel locks in two PID namespaces can only use heartbeats to detect each other. */
const test = suite('two daemons in two PID namespaces without flock');
const env = { PATH: pathWithoutFlock() };

test.after.each(() => killNamespacedDaemons());

if (canUnshare()) {
  test('the second daemon exits with 6 as soon as it detects the heartbeat of the first', async () => {
    const folder = tempFolder();
    const first = startNamespacedDaemon(folder, env);
    await first.url;
    const lock = readFileSync(join(folder, 'lock'), 'utf8');
    const second = startNamespacedDaemon(folder, env);
    assert.is(await second.ended, 6, second.logged());
    assert.match(second.logged(), /in use by the daemon with process id 1 on /);
    assert.is(readFileSync(join(folder, 'lock'), 'utf8'), lock);
    first.signal('SIGTERM');
    assert.is(await first.ended, 0, first.logged());
    assert.not.ok(readdirSync(folder).includes('lock'));
  });

  test('a daemon that is stopped for ten seconds loses the data folder and exits with 6 when it continues, without a write', async () => {
    const folder = tempFolder();
    const first = startNamespacedDaemon(folder, env);
    const headers = { 'Service-Api-Key': first.key, 'Content-Type': 'application/json' };
    const url = await first.url;
    first.signal('SIGSTOP');
    // The kernel accepts the request meanwhile. The daemon can only answer it when it continues.
    const body = JSON.stringify({ input: 'http://127.0.0.1:9/film.mp4' });
    const create = fetch(`${url}/v2/jobs`, { method: 'POST', headers, body }).then(
      ({ status }) => status,
      () => null,
    );
    const second = startNamespacedDaemon(folder, env);
    await second.url;
    const { lock, jobs } = { lock: readFileSync(join(folder, 'lock'), 'utf8'), jobs: jobsIn(folder) };
    first.signal('SIGCONT');
    assert.is(await first.ended, 6, first.logged());
    assert.match(first.logged(), /Another daemon took the data folder .* writes nothing more/);
    assert.not.equal(await create, 201);
    assert.is(readFileSync(join(folder, 'lock'), 'utf8'), lock);
    assert.equal(jobsIn(folder), jobs);
    second.signal('SIGTERM');
    assert.is(await second.ended, 0, second.logged());
  });

  test('the lock of a daemon from before the last boot is taken over without waiting for a heartbeat', async () => {
    const folder = tempFolder();
    // On a local disk, so the lock cannot belong to another machine.
    writeFileSync(
      join(folder, 'lock'),
      '1 17 11111111-2222-3333-4444-555555555555 pid:[4026531836] elsewhere kernel\n',
    );
    const begunAt = performance.now();
    const daemon = startNamespacedDaemon(folder, env);
    await daemon.url;
    assert.ok(performance.now() - begunAt < 8000, 'it waited for a heartbeat');
  });
}

function jobsIn(folder: string): readonly string[] {
  return readdirSync(join(folder, 'jobs'), { recursive: true }).map(String).sort();
}

test.run();
