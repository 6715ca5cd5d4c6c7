import { once } from 'node:events';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { killDaemons, processKey, spawnVenc, startDaemonProcess } from '../helpers/daemon-process.js';
import { findDatabasePrograms, requestTo } from '../helpers/database-daemons.js';
import { startPostgres } from '../helpers/postgres.js';
import { skipSuite } from '../helpers/servers/find-program.js';
import { startTcpRelay } from '../helpers/servers/tcp-relay.js';
import { tempFolder } from '../helpers/temp.js';
import { waitUntil } from '../helpers/wait-until.js';

const name = 'the health of a daemon whose database cannot be used';
const found = findDatabasePrograms();
if ('missing' in found) skipSuite(name, found);
else await describe(found.bin);

async function describe(bin: string): Promise<void> {
  const test = suite(name);
  const server = await startPostgres(bin);
  test.after.each(killDaemons);
  test.after(() => server.end());

  /** The check of the database, with the status of the answer. The daemon must answer before its own limits for the database are over. */
  const databaseCheck = async (daemon: { readonly url: string }) => {
    const response = await requestTo(daemon, '/health', { signal: AbortSignal.timeout(8000) });
    const { checks } = (await response.json()) as {
      readonly checks: readonly { readonly name: string; readonly ok: boolean; readonly reason: string }[];
    };
    const check = checks.find((one) => one.name === 'database');
    return { status: response.status, ok: check?.ok, reason: check?.reason ?? '' };
  };
  const doctor = async (args: readonly string[], env: NodeJS.ProcessEnv = {}) => {
    const child = spawnVenc(['doctor', '--json', ...args], env);
    if (child.stdout === null) throw new TypeError('a command has a stdout');
    const [stdout] = await Promise.all([text(child.stdout), once(child, 'exit')]);
    const { ok, service, findings } = JSON.parse(stdout) as {
      readonly ok: boolean;
      readonly service: { readonly is_reachable: boolean; readonly is_key_good: boolean | null };
      readonly findings: readonly { readonly subject: string; readonly message: string }[];
    };
    const message = findings.find(({ subject }) => subject === 'service')?.message ?? '';
    return { ok, facts: [service.is_reachable, service.is_key_good], message };
  };

  test('a server that is silent or gone is reported in time, by /health and venc doctor', async () => {
    const relay = await startTcpRelay(server.port);
    const dsn = new URL(server.dsn(await server.createDatabase()));
    dsn.port = String(relay.port);
    const folder = join(tempFolder(), 'data');
    const daemon = await startDaemonProcess(folder, ['--jobs', '1'], { VENC_DATABASE: dsn.href });
    assert.equal(await databaseCheck(daemon), { status: 200, ok: true, reason: '' });
    relay.isCut = true;
    await waitUntil('/health reports it', async () => (await databaseCheck(daemon)).status === 503);
    const { reason } = await databaseCheck(daemon);
    assert.match(
      reason,
      /^The database "test_\d+" on 127\.0\.0\.1:\d+ is not available: it does not answer\.$/,
    );
    const silent = await doctor(['--data', folder]);
    assert.equal([silent.ok, silent.facts], [false, [true, null]]);
    const expected =
      /^the daemon at http:\S+ runs and cannot use its database: The database .* is not available/;
    assert.match(silent.message, expected);

    await relay.close();
    await waitUntil('/health reports that it is gone', async () =>
      /refused|lost/.test((await databaseCheck(daemon)).reason),
    );
    // It may have been created a moment ago, at another daemon.
    const unknown = await requestTo(daemon, '/v2/jobs', { key: 'a-key-that-the-daemon-has-not-seen' });
    assert.equal([unknown.status, unknown.headers.has('retry-after')], [503, true]);
    for (const { facts, message } of [
      await doctor(['--data', folder]),
      await doctor([], { VENC_URL: daemon.url, VENC_API_KEY: processKey }),
    ]) {
      assert.match(message, expected);
      assert.equal(facts, [true, null]);
    }
  });

  test('a database that becomes read-only is reported with what to do, until it no longer is', async () => {
    const database = await server.createDatabase();
    const folder = join(tempFolder(), 'data');
    const daemon = await startDaemonProcess(folder, ['--jobs', '1'], { VENC_DATABASE: server.dsn(database) });
    const alter = (value: string) =>
      server.query('postgres', `alter database ${database} set default_transaction_read_only = ${value}`);
    await alter('on');
    await server.query(
      'postgres',
      `select pg_terminate_backend(pid) from pg_stat_activity where datname = '${database}'`,
    );
    await waitUntil('/health reports it', async () => /read-only/.test((await databaseCheck(daemon)).reason));
    const { status, reason } = await databaseCheck(daemon);
    assert.is(status, 503);
    assert.match(reason, /is read-only: default_transaction_read_only is on\. Set it to off /);
    const body = JSON.stringify({ input: 'http://127.0.0.1:9/a.mp4', outputs: [{}] });
    const created = await requestTo(daemon, '/v2/jobs', { method: 'POST', body });
    assert.is(created.status, 503);
    assert.match(await created.text(), /is read-only/);
    assert.match((await doctor(['--data', folder])).message, /cannot use its database: .* is read-only/);
    // Connections that are open now stay read-only.
    await alter('off');
    await waitUntil('/health is good', async () => (await databaseCheck(daemon)).status === 200);
    assert.is((await requestTo(daemon, '/v2/jobs', { method: 'POST', body })).status, 201);
  });

  test('a queue in which nothing can be created is reported, until it can', async () => {
    const database = await server.createDatabase();
    await server.query('postgres', "create role guest login password 'guest'");
    await server.query('postgres', `alter database ${database} owner to guest`);
    const dsn = server.dsn(database, { user: 'guest', password: 'guest' });
    const daemon = await startDaemonProcess(join(tempFolder(), 'data'), ['--jobs', '0'], {
      VENC_DATABASE: dsn,
    });
    const create = () => {
      const body = JSON.stringify({ input: 'http://127.0.0.1:9/a.mp4', outputs: [{}] });
      return requestTo(daemon, '/v2/jobs', { method: 'POST', body });
    };
    assert.equal(await databaseCheck(daemon), { status: 200, ok: true, reason: '' });
    await server.query(database, 'alter table venc_queue.queue owner to venc');
    await waitUntil('/health reports it', async () => (await databaseCheck(daemon)).status === 503);
    assert.match((await databaseCheck(daemon)).reason, /The user "guest" lacks rights in "test_/);
    assert.is((await create()).status, 503);
    await server.query(database, 'alter table venc_queue.queue owner to guest');
    await waitUntil('/health is good', async () => (await databaseCheck(daemon)).status === 200);
    assert.is((await create()).status, 201);

    // Held until it is reported.
    const locked = server
      .query(database, 'begin; lock table venc_queue.queue; select pg_sleep(600)')
      .catch((error: unknown) => error);
    await waitUntil('/health reports the lock', async () => (await databaseCheck(daemon)).status === 503);
    await server.query(
      database,
      "select pg_cancel_backend(pid) from pg_stat_activity where query like 'begin; lock table%'",
    );
    await locked;
    await waitUntil('/health is good', async () => (await databaseCheck(daemon)).status === 200);
  });

  test('a standby is reported with what to do, until it is promoted', async () => {
    const database = await server.createDatabase();
    const folder = join(tempFolder(), 'data');
    const daemon = await startDaemonProcess(folder, ['--jobs', '0'], { VENC_DATABASE: server.dsn(database) });
    await server.kill();
    await server.restart('standby');
    await waitUntil('/health reports it', async () => /standby/.test((await databaseCheck(daemon)).reason));
    const { status, reason } = await databaseCheck(daemon);
    assert.is(status, 503);
    assert.match(reason, /is read-only: the server is a standby\. Promote it, or start the daemon with /);
    assert.is((await requestTo(daemon, '/v2/jobs')).status, 200, 'reads are answered');
    await server.query('postgres', 'select pg_promote()');
    await waitUntil('/health is good', async () => (await databaseCheck(daemon)).status === 200);
    const body = JSON.stringify({ input: 'http://127.0.0.1:9/a.mp4', outputs: [{}] });
    assert.is((await requestTo(daemon, '/v2/jobs', { method: 'POST', body })).status, 201);
  });

  test.run();
}
