import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { openPostgresDatabase } from '../../daemon/store/postgres/connection.js';
import { isVencError, type VencError } from '../../src/shared/errors.js';
import { findPostgres, startPostgres } from '../helpers/postgres.js';
import { skipSuite } from '../helpers/servers/find-program.js';
import { freePort } from '../helpers/servers/program.js';
import { waitUntil } from '../helpers/wait-until.js';

const found = findPostgres();
const name = 'opening a PostgreSQL database';
const password = 'g3heim/:@';

if ('missing' in found) skipSuite(name, found);
else {
  const test = suite(name);
  const server = await startPostgres(found.bin);
  const guest = { user: 'guest', password };
  await server.query('postgres', `create role guest login password '${password}'`);
  test.after(() => server.end());

  const open = (dsn: string) => openPostgresDatabase(dsn, { log: () => undefined });
  /** The error of opening a database. Nothing of it contains the password, in any form. */
  const rejection = async (dsn: string): Promise<VencError> => {
    const error: unknown = await open(dsn).then(
      async (database) => database.close(),
      (caught: unknown) => caught,
    );
    if (!isVencError(error)) throw new Error(`not rejected as expected: ${String(error)}`);
    const text = `${error.message} ${error.hint} ${error.stack} ${String(error.cause)}`;
    for (const secret of [password, encodeURIComponent(password)]) assert.not.ok(text.includes(secret));
    return error;
  };

  test('a DSN that is not one is rejected', async () => {
    const dsns = [
      '',
      'mysql://me:x@localhost/db',
      `localhost:5432/${password}`,
      `postgres://me:${password}@[::1/db`,
    ];
    for (const dsn of dsns) {
      const error = await rejection(dsn);
      assert.is(error.errorClass, 'UsageError');
      assert.match(error.hint ?? '', /postgres:\/\/USER/);
    }
  });

  test('a server that does not answer is named', async () => {
    const port = await freePort();
    const error = await rejection(`postgres://me:${encodeURIComponent(password)}@127.0.0.1:${port}/db`);
    assert.is(error.errorClass, 'UnavailableError');
    assert.ok(error.message.includes(`127.0.0.1:${port}`) && error.message.includes('refused'));
    assert.ok((error.retryAfterSeconds ?? 0) > 0);
    const unknown = await rejection('postgres://me@no-such-host.invalid/db');
    assert.is(unknown.errorClass, 'UnavailableError');
  });

  test('a server that ends a connection as soon as it is made is unavailable', async () => {
    const shutDown = 'SFATAL\0C57P01\0Mterminating connection due to administrator command\0\0';
    // In one packet, so that the client reads the end before anything else can run.
    const answer = [message('R', '\0\0\0\0'), message('Z', 'I'), message('E', shutDown)];
    const ending = createServer((socket) => socket.once('data', () => socket.end(Buffer.concat(answer))));
    await once(ending.listen(0, '127.0.0.1'), 'listening');
    const { port } = ending.address() as AddressInfo;
    const error = await rejection(`postgres://me@127.0.0.1:${port}/db`);
    assert.is(error.errorClass, 'UnavailableError');
    ending.close();
  });

  test('a wrong password and an unknown user are rejected, and the user is named', async () => {
    for (const user of ['guest', 'nobody-knows']) {
      const error = await rejection(server.dsn('postgres', { user, password: `${password}!` }));
      assert.is(error.errorClass, 'UsageError');
      assert.ok(error.message.includes(`"${user}"`));
    }
  });

  test('a password that is missing is asked for, and no connection is left', async () => {
    const error = await rejection(`postgres://venc@127.0.0.1:${server.port}/postgres`);
    assert.is(error.errorClass, 'UsageError');
    assert.match(error.message, /asks for the password of the user "venc"/);
    assert.match(error.hint ?? '', /VENC_DATABASE, PGPASSWORD or ~\/\.pgpass/);
    const sockets = () => process.getActiveResourcesInfo().filter((kind) => kind === 'TCPSocketWrap');
    await waitUntil('no connection is left', () => sockets().length === 0);
  });

  test('a missing database is named', async () => {
    const error = await rejection(server.dsn('no_such_database'));
    assert.is(error.errorClass, 'UsageError');
    assert.ok(error.message.includes('"no_such_database"') && error.hint?.includes('createdb'));
  });

  test('a user without rights is named', async () => {
    const database = await server.createDatabase();
    const error = await rejection(server.dsn(database, guest));
    assert.is(error.errorClass, 'UsageError');
    assert.ok(error.message.includes('"guest" lacks rights') && error.message.includes(database));
    await (await open(server.dsn(database))).close();
    // The schema exists now, and belongs to another user.
    assert.ok((await rejection(server.dsn(database, guest))).message.includes('lacks rights'));
  });

  test('a user who owns only the database can use it', async () => {
    const database = await server.createDatabase();
    await server.query('postgres', `alter database ${database} owner to guest`);
    await (await open(server.dsn(database, guest))).close();
  });

  test('a database in another encoding, or that confirms changes early, is rejected', async () => {
    await server.query('postgres', `create database latin encoding 'LATIN1' template template0`);
    assert.match((await rejection(server.dsn('latin'))).message, /LATIN1/);
    const database = await server.createDatabase();
    await server.query('postgres', `alter database ${database} set synchronous_commit = off`);
    assert.match((await rejection(server.dsn(database))).message, /synchronous_commit/);
  });

  test('several processes can open an empty database at once', async () => {
    const database = await server.createDatabase();
    const all = await Promise.all(Array.from({ length: 6 }, () => open(server.dsn(database))));
    for (const one of all) await one.close();
    const versions = await server.query(database, 'select name from venc.schema_versions');
    assert.is(versions[0]?.name, '0001-jobs-and-accounts');
    assert.is(new Set(versions.map(({ name }) => name)).size, versions.length, 'each version once');
    assert.equal(await server.query(database, 'select last_id from venc.ids'), [{ last_id: '0' }]);
  });

  test('a text of statements that fails leaves no transaction open in the connection', async () => {
    const database = await open(server.dsn(await server.createDatabase()));
    const run = database.openStatements(1);
    const failed = await run('begin; select 1; select 1 / 0; commit').catch((error: unknown) => error);
    assert.match(String(failed), /division by zero/);
    assert.equal((await run('select 1 as one')).rows, [{ one: 1 }]);
    await database.close();
  });

  test('a newer schema is rejected and not changed', async () => {
    const database = await server.createDatabase();
    await (await open(server.dsn(database))).close();
    await server.query(database, `insert into venc.schema_versions values ('0099-later', now()::text)`);
    const error = await rejection(server.dsn(database));
    assert.is(
      error.message,
      'The database has a newer schema (0099-later) than this version of venc; upgrade venc.',
    );
  });

  test('a migration that fails leaves the database as it was', async () => {
    const database = await server.createDatabase();
    await server.query(database, 'create schema venc; create table venc.usage (job_id bigint)');
    assert.is(
      await open(server.dsn(database)).then(
        () => true,
        () => false,
      ),
      false,
    );
    assert.equal(await server.query(database, `select to_regclass('venc.jobs')::text as found`), [
      { found: null },
    ]);
    await server.query(database, 'drop table venc.usage');
    await (await open(server.dsn(database))).close();
  });

  test.run();
}

/** A message of the PostgreSQL protocol. */
function message(type: string, body: string): Buffer {
  const length = Buffer.alloc(4);
  length.writeInt32BE(length.length + body.length);
  return Buffer.concat([Buffer.from(type), length, Buffer.from(body)]);
}
