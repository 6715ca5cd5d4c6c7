import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { openPostgresDatabase } from '../../daemon/store/postgres/connection.js';
import { isVencError } from '../../src/shared/errors.js';
import { startCli } from '../cli/run-cli.js';
import {
  checksumsIn,
  filesIn,
  fillDataFolder,
  type MigratedRow,
  migrated,
  startMigration,
} from '../helpers/migration-harness.js';
import { findPostgres, startPostgres } from '../helpers/postgres.js';
import { randomNumbers } from '../helpers/random.js';
import { skipSuite } from '../helpers/servers/find-program.js';
import { printClosingLine, suiteOptions } from '../helpers/suite-options.js';
import { tempFolder } from '../helpers/temp.js';

const found = findPostgres();
const name = 'migrations that are interrupted';
const { seed, isLong } = suiteOptions();
const jobCount = isLong ? 10_000 : 1500;
const maxKills = isLong ? 30 : 4;

if ('missing' in found) skipSuite(name, found);
else {
  const test = suite(name);
  const server = await startPostgres(found.bin);
  const random = randomNumbers(seed);
  let kills = 0;
  let killedInCopy = 0;
  test.after(() => server.end());

  /**
   * Kills the command when it begins to copy, and then at random moments while it copies or compares, until a run ends by itself or
   * `maxKills` have been killed.
   */
  const killedAndContinued = async (
    args: readonly string[],
    env: Readonly<Record<string, string>>,
    isUnfinished: () => Promise<boolean>,
  ): Promise<readonly MigratedRow[]> => {
    for (let round = 0; round < maxKills; round += 1) {
      const run = startMigration(args, env);
      const isFirst = round === 0;
      const step = isFirst || random() < 0.7 ? '"step":"copying"' : '"step":"comparing"';
      const hasBegun = await run.expectedText(step).then(
        () => true,
        () => false,
      );
      if (!isFirst) await pause(random() * 300);
      run.child.kill('SIGKILL');
      const { signal, code, stderr } = await run.ended;
      assert.ok(signal === 'SIGKILL' || code === 0, stderr);
      if (!hasBegun || signal !== 'SIGKILL') break;
      kills += 1;
      if (await isUnfinished()) killedInCopy += 1;
    }
    return migrated(args, env);
  };

  test('a migration that is killed at any moment continues, and ends with the same records', async () => {
    const folder = await fillDataFolder(jobCount);
    const files = await filesIn(folder);
    const other = server.dsn(await server.createDatabase());
    const expected = checksumsIn(await migrated(['--from', folder, '--database', other]));
    const key = readFileSync(join(folder, 'database-key'), 'utf8').trim();

    const database = await server.createDatabase();
    const env = { VENC_DATABASE: server.dsn(database), VENC_DATABASE_KEY: key };
    const isPartOfDatabase = async () => {
      const rows = await server.query(database, 'select is_finished from venc.data_migration');
      return rows[0]?.is_finished === false;
    };
    const there = await killedAndContinued(['--from', folder], env, isPartOfDatabase);
    assert.equal(checksumsIn(there), expected);
    const { 'database-key': _, ...after } = await filesIn(folder);
    const { lock: __, ...unlocked } = after;
    assert.equal(unlocked, files);

    const copy = join(tempFolder(), 'copy');
    const marker = join(copy, 'migration.json');
    const isPartOfFolder = async () =>
      existsSync(marker) && readFileSync(marker, 'utf8').includes('"isFinished":false');
    const back = await killedAndContinued(['--to', copy], env, isPartOfFolder);
    assert.equal(checksumsIn(back), expected);
    assert.ok(killedInCopy > 0, `${kills} kills, none before a migration had finished`);
  });

  test('a part of a migration is corrected if the source has changed before it continues', async () => {
    const folder = await fillDataFolder(300);
    const database = await server.createDatabase();
    const args = ['--from', folder, '--database', server.dsn(database)];
    const first = await migrated(args);
    const damage = [
      'update venc.data_migration set is_finished = false',
      'delete from venc.jobs where id % 3 = 0',
      `update venc.jobs set revision = 99, document = '{"id":0}' where id % 7 = 0`,
      `update venc.jobs set document = replace(document::text, '"crashes":0', '"crashes":1')::json where id % 5 = 0`,
      `insert into venc.jobs select 999999, 999999, account_id, state, created_at, null, false, null, 1, now(), document
        from venc.jobs limit 1`,
      'delete from venc.usage where job_id % 2 = 0',
      `insert into venc.usage values (999998, 'default', '2024-01-01', 'null', 5, 5)`,
      `insert into venc.accounts select 'more', 'more', false, created_at, 'x' from venc.accounts limit 1`,
      'delete from venc.credentials',
      'update venc.ids set last_id = 7',
    ];
    await server.query(database, damage.join(';'));
    assert.equal(checksumsIn(await migrated(args)), checksumsIn(first));
    const [row] = await server.query(
      database,
      'select count(*)::integer as jobs, max(id)::integer as last from venc.jobs',
    );
    assert.is(row?.jobs, 304);
    assert.ok(Number(row?.last) < 999_999);
  });

  test('a lost connection ends a migration, which continues later', async () => {
    const folder = await fillDataFolder(1000);
    const database = await server.createDatabase();
    const args = ['--from', folder, '--database', server.dsn(database)];
    const run = startMigration(args);
    await run.expectedText('"step":"copying"');
    run.child.kill('SIGSTOP');
    await server.query(
      'postgres',
      `select pg_terminate_backend(pid) from pg_stat_activity where datname = '${database}'`,
    );
    run.child.kill('SIGCONT');
    const { code, stderr } = await run.ended;
    assert.is(code, 3, stderr);
    assert.match(stderr, /The connection to the database .* was lost|database .* is not available/);
    await migrated(args);
  });

  test('no daemon starts on a part of a migration', async () => {
    const folder = await fillDataFolder(5);
    const database = await server.createDatabase();
    const dsn = server.dsn(database);
    await migrated(['--from', folder, '--database', dsn]);
    await server.query(database, 'update venc.data_migration set is_finished = false');
    const error: unknown = await openPostgresDatabase(dsn, { log: () => undefined }).catch(
      (caught: unknown) => caught,
    );
    assert.ok(isVencError(error, 'UsageError') && error.message.includes(folder), String(error));
    const back = await startMigration(['--to', join(tempFolder(), 'x'), '--database', dsn]).ended;
    assert.is(back.code, 2);
    assert.match(back.stderr, /contains only a part of the data folder/);
    await migrated(['--from', folder, '--database', dsn]);

    const copy = join(tempFolder(), 'copy');
    const key = readFileSync(join(folder, 'database-key'), 'utf8').trim();
    await migrated(['--to', copy, '--database', dsn], { VENC_DATABASE_KEY: key });
    const { source, keyCheck } = JSON.parse(readFileSync(join(copy, 'migration.json'), 'utf8')) as {
      readonly source: string;
      readonly keyCheck: string;
    };
    writeFileSync(join(copy, 'migration.json'), JSON.stringify({ source, keyCheck, isFinished: false }));
    const daemon = await startCli(['daemon', '--port', '0', '--data', copy]).ended;
    assert.is(daemon.code, 2);
    assert.match(daemon.stderr, /contains only a part of the database "test_\d+" on 127\.0\.0\.1/);
    assert.match(daemon.stderr, /run the same venc migrate command again/i);
  });

  test('records that were changed on the way are reported, and the migration does not finish', async () => {
    const folder = await fillDataFolder(20);
    const database = await server.createDatabase();
    const dsn = server.dsn(database);
    await (await openPostgresDatabase(dsn, { log: () => undefined })).close();
    await server.query(
      database,
      `create function venc.spoil() returns trigger language plpgsql as
        $$ begin new.encoded_ms := new.encoded_ms + 1; return new; end $$;
      create trigger spoil before insert on venc.usage for each row execute function venc.spoil()`,
    );
    const { code, stdout, stderr } = await startMigration(['--from', folder, '--database', dsn]).ended;
    assert.is(code, 1);
    const rows = JSON.parse(stdout) as readonly MigratedRow[];
    const different = rows.filter(({ equal }) => !equal).map(({ what }) => what);
    assert.ok(different.includes('usage of default (ms)') && !different.includes('jobs'), different.join());
    assert.match(stderr, /differs from the data folder .* The first jobs that differ: 1, /);
    await server.query(database, 'drop trigger spoil on venc.usage');
    await migrated(['--from', folder, '--database', dsn]);
  });

  test.after(() =>
    printClosingLine(name, [
      `${jobCount} jobs`,
      `${kills} kills`,
      `${killedInCopy} before the end of the copy`,
    ]),
  );
  test.run();
}
