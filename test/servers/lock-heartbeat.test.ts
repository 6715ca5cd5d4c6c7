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

/* Daemons that have no lock of the kernel, in two PID namespaces: what is left are their heartbeats. */
const test = suite('two daemons in two PID namespaces without flock');
const env = { PATH: pathWithoutFlock() };

test.after.each(() => killNamespacedDaemons());

if (canUnshare()) {
  test('the second exits 6 as soon as it sees the heartbeat of the first', async () => {
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

  test('one that is stopped for ten seconds loses the folder, and ends with 6 when it goes on, without a write', async () => {
    const folder = tempFolder();
    const first = startNamespacedDaemon(folder, env);
    const headers = { 'Service-Api-Key': first.key, 'Content-Type': 'application/json' };
    const url = await first.url;
    first.signal('SIGSTOP');
    // Taken by the kernel meanwhile, and answered by the daemon when it goes on, if at all.
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

  test('the lock of a daemon on another machine, or of one before the machine was started, is told apart', async () => {
    const folder = tempFolder();
    // A local disk: no other machine is at it.
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
