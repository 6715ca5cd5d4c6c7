import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { openPostgresDatabase } from '../../daemon/store/postgres/connection.js';
import { isVencError } from '../../src/shared/errors.js';
import { killDaemons, startDaemonProcess } from '../helpers/daemon-process.js';
import { filesIn, fillDataFolder, migrated, startMigration } from '../helpers/migration-harness.js';
import { findPostgres, startPostgres } from '../helpers/postgres.js';
import { skipSuite } from '../helpers/servers/find-program.js';
import { freePort } from '../helpers/servers/program.js';
import { tempFolder } from '../helpers/temp.js';

const found = findPostgres();
const name = 'migrations that are rejected';
const log = () => undefined;

if ('missing' in found) skipSuite(name, found);
else {
  const test = suite(name);
  const server = await startPostgres(found.bin);
  test.after(() => server.end());
  test.after(killDaemons);

  /** The end of a migration that must fail. Its output contains no password. */
  const rejection = async (args: readonly string[], env: Readonly<Record<string, string>> = {}) => {
    const { code, stdout, stderr } = await startMigration(args, env).ended;
    assert.is(stdout, '');
    for (const secret of ['geheim', 'falsch']) assert.not.ok(stderr.includes(secret), stderr);
    return { code, stderr };
  };

  test('the command needs one direction and a database', async () => {
    const folder = tempFolder();
    const dsn = server.dsn('postgres');
    assert.match((await rejection([])).stderr, /Give the data folder with --from or --to\./);
    const both = await rejection(['--from', folder, '--to', folder, '--database', dsn]);
    assert.match(both.stderr, /Give either --from or --to/);
    assert.match(
      (await rejection(['--to', folder])).stderr,
      /Give the database with --database or VENC_DATABASE\./,
    );
    assert.is(both.code, 2);
  });

  test('a database that cannot be used is rejected with a sentence', async () => {
    const folder = await fillDataFolder(1);
    await server.query('postgres', `create role guest login password 'geheim'`);
    const database = await server.createDatabase();
    const port = await freePort();
    const later = await server.createDatabase();
    await (await openPostgresDatabase(server.dsn(later), { log })).close();
    await server.query(later, `insert into venc.schema_versions values ('0099-later', now()::text)`);
    const cases: readonly (readonly [dsn: string, code: number, message: RegExp])[] = [
      ['mysql://me:geheim@localhost/db', 2, /does not begin with postgres:/],
      [`postgres://me:geheim@127.0.0.1:${port}/db`, 3, /connection was refused/],
      [server.dsn(database, { user: 'venc', password: 'falsch' }), 2, /rejected the user "venc"/],
      [server.dsn('no_such_database'), 2, /no database "no_such_database"/],
      [server.dsn(database, { user: 'guest', password: 'geheim' }), 2, /"guest" lacks rights/],
      [server.dsn(later), 2, /newer schema \(0099-later\)/],
    ];
    for (const [dsn, code, message] of cases) {
      const rejected = await rejection(['--from', folder, '--database', dsn]);
      assert.match(rejected.stderr, message);
      assert.match(rejected.stderr, /hint: /);
      assert.is(rejected.code, code, rejected.stderr);
    }
  });

  test('the password can be in PGPASSWORD', async () => {
    const folder = await fillDataFolder(1);
    const url = new URL(server.dsn(await server.createDatabase()));
    const PGPASSWORD = decodeURIComponent(url.password);
    url.password = '';
    await migrated(['--from', folder], { VENC_DATABASE: url.href, PGPASSWORD });
  });

  test('a folder that is no data folder, and a database without records, are no sources', async () => {
    const database = await server.createDatabase();
    const args = ['--database', server.dsn(database)];
    for (const folder of ['/etc', join(tempFolder(), 'missing')]) {
      const { code, stderr } = await rejection(['--from', folder, ...args]);
      assert.match(stderr, /is not a data folder: it has neither jobs nor accounts/);
      assert.is(code, 2);
    }
    const target = join(tempFolder(), 'new');
    assert.match(
      (await rejection(['--to', target, ...args])).stderr,
      /There are no records of venc in the database/,
    );
    assert.equal(await server.query(database, `select to_regclass('venc.jobs')::text as found`), [
      { found: null },
    ]);
  });

  test('a folder or a database that a process uses is rejected, and the process is named', async () => {
    const folder = await fillDataFolder(1);
    const dsn = server.dsn(await server.createDatabase());
    const daemon = await startDaemonProcess(folder);
    const busy = await rejection(['--from', folder, '--database', dsn]);
    assert.match(busy.stderr, new RegExp(`is in use by the daemon with process id ${daemon.pid}`));
    assert.is(busy.code, 6);
    await daemon.end('SIGTERM');

    const database = await openPostgresDatabase(dsn, { log });
    const used = await rejection(['--from', folder, '--database', dsn]);
    assert.match(used.stderr, new RegExp(`The database .* is in use by venc, process id ${process.pid} on `));
    assert.is(used.code, 6);
    await database.close();
    await migrated(['--from', folder, '--database', dsn]);
  });

  test('during a migration, a second one and a daemon are rejected, and the first goes on', async () => {
    const folder = await fillDataFolder(1500);
    const dsn = server.dsn(await server.createDatabase());
    const first = startMigration(['--from', folder, '--database', dsn]);
    await first.expectedText('"step":"copying"');
    first.child.kill('SIGSTOP');
    const second = await rejection(['--from', folder, '--database', dsn]);
    const other = await rejection([
      '--from',
      folder,
      '--database',
      server.dsn(await server.createDatabase()),
    ]);
    const daemon: unknown = await openPostgresDatabase(dsn, { log }).catch((error: unknown) => error);
    first.child.kill('SIGCONT');
    assert.ok(isVencError(daemon, 'InUseError') && daemon.message.includes('venc migrate'), String(daemon));
    assert.match(second.stderr, new RegExp(`in use by venc migrate, process id ${first.child.pid} on `));
    assert.match(other.stderr, new RegExp(`data folder .* is in use .* process id ${first.child.pid}\\.`));
    assert.is(second.code, 6);
    assert.is((await first.ended).code, 0);
  });

  test('a target with other records is not overwritten', async () => {
    const [folder, other] = [await fillDataFolder(3), await fillDataFolder(4)];
    const database = await server.createDatabase();
    const args = ['--database', server.dsn(database)];
    await migrated(['--from', folder, ...args]);
    assert.match((await rejection(['--from', other, ...args])).stderr, /contains the records of .*, not of /);
    const before = await filesIn(other);
    const used = await rejection(['--to', other, ...args]);
    assert.match(used.stderr, /is not empty: it contains 8 jobs/);
    assert.is(used.code, 6);
    assert.equal(await filesIn(other), before);
    // Nothing has changed since: the same command says so again.
    await migrated(['--from', folder, ...args]);
    await server.query(database, 'update venc.ids set last_id = last_id + 1');
    const since = await rejection(['--from', folder, ...args]);
    assert.match(since.stderr, /has finished earlier, and one of them has changed since/);
    const unknown = await server.createDatabase(database);
    await server.query(unknown, 'delete from venc.data_migration');
    const full = await rejection(['--from', folder, '--database', server.dsn(unknown)]);
    assert.match(full.stderr, /is not empty: it contains jobs/);
  });

  test('the key of the database must be there, and the right one', async () => {
    const folder = await fillDataFolder(1);
    const args = ['--database', server.dsn(await server.createDatabase())];
    await migrated(['--from', folder, ...args]);
    const to = ['--to', join(tempFolder(), 'copy'), ...args];
    assert.match((await rejection(to)).stderr, /The key .* is missing\.\n.*VENC_DATABASE_KEY/);
    const wrong = Buffer.alloc(32, 7).toString('base64');
    assert.match((await rejection(to, { VENC_DATABASE_KEY: wrong })).stderr, /encrypted with another key/);
    assert.match(
      (await rejection(to, { VENC_DATABASE_KEY: 'abc' })).stderr,
      /VENC_DATABASE_KEY is not 32 bytes/,
    );
    assert.match(
      (await rejection(['--from', folder, ...args], { VENC_DATABASE_KEY: wrong })).stderr,
      /another key/,
    );
  });

  test('damaged records stop a migration, and are left out only with --skip-damaged', async () => {
    const folder = await fillDataFolder(10);
    const args = ['--from', folder, '--database', server.dsn(await server.createDatabase())];
    const file = join(folder, 'jobs', 'done', '0', '1.json');
    const whole = readFileSync(file, 'utf8');
    writeFileSync(file, whole.slice(0, -10));
    mkdirSync(join(folder, 'damaged'), { recursive: true });
    const moved = join(folder, 'damaged', '5.json');
    renameSync(join(folder, 'jobs', 'done', '0', '6.json'), moved);
    const drained = join(folder, 'drained-workers.json');
    writeFileSync(drained, '["attic", 5]');
    const { code, stderr } = await rejection(args);
    assert.ok(stderr.includes(`${drained} is damaged`), stderr);
    assert.ok(stderr.includes(`${file} is damaged: it is not complete JSON`), stderr);
    assert.ok(stderr.includes(`${moved} is damaged`) && stderr.includes('--skip-damaged'), stderr);
    assert.is(code, 2);
    const { stderr: warned, stdout, code: done } = await startMigration([...args, '--skip-damaged']).ended;
    assert.is(done, 0, warned);
    assert.ok(
      warned.includes(`left out: ${file} is damaged`) && warned.includes(`left out: ${moved}`),
      warned,
    );
    const [jobs] = JSON.parse(stdout) as readonly {
      readonly source_count: number;
      readonly target_count: number;
    }[];
    assert.is(jobs?.target_count, 12);
  });

  test('an invalid record in a database stops a migration to a folder', async () => {
    const folder = await fillDataFolder(10);
    const database = await server.createDatabase();
    const args = ['--database', server.dsn(database)];
    await migrated(['--from', folder, ...args]);
    await server.query(database, `update venc.jobs set document = '{"id":1}' where id = 1`);
    const env = { VENC_DATABASE_KEY: readFileSync(join(folder, 'database-key'), 'utf8') };
    const { stderr } = await rejection(['--to', join(tempFolder(), 'copy'), ...args], env);
    assert.match(
      stderr,
      /job 1 in the database "test_\d+" on .* is damaged: its fields are not those of a job/,
    );
  });

  test.run();
}
