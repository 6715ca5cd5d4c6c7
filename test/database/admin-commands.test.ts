import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { openDatabaseExclusively, openPostgresDatabase } from '../../daemon/store/postgres/connection.js';
import { openEncryptionKey, openPostgresCredentials } from '../../daemon/store/postgres/credentials.js';
import { type CliResult, runCli } from '../cli/run-cli.js';
import { completionsOf } from '../cli/run-here.js';
import { killDaemons, startDaemonProcess } from '../helpers/daemon-process.js';
import { findDatabasePrograms } from '../helpers/database-daemons.js';
import { findPostgres, type PostgresServer, startPostgres } from '../helpers/postgres.js';
import { skipSuite } from '../helpers/servers/find-program.js';
import { freePort } from '../helpers/servers/program.js';
import { tempFolder } from '../helpers/temp.js';
import { waitUntil } from '../helpers/wait-until.js';

interface Context {
  database: string;
  dsn: string;
  /** The data folder, which has the key of the secrets. */
  folder: string;
  /** Runs a command on the database. */
  venc: (words: string, stdin?: string) => Promise<CliResult>;
}

interface ListedKey {
  readonly id: string;
  readonly kind: string;
  readonly account: string | null;
  readonly name: string | null;
  readonly expires_at: string | null;
}

const name = 'accounts, keys and credentials in a database';
const log = () => undefined;
const found = findPostgres();
if ('missing' in found) skipSuite(name, found);
else describe(found.bin);

function describe(bin: string): void {
  const test = suite<Context>(name);
  let server: PostgresServer;

  test.before(async () => {
    server = await startPostgres(bin);
  });
  test.before.each(async (context) => {
    context.database = await server.createDatabase();
    context.dsn = server.dsn(context.database);
    context.folder = join(tempFolder(), 'data');
    context.venc = (words, stdin = '') =>
      runCli(words.split(' '), {
        stdin,
        env: { VENC_DATABASE: context.dsn, VENC_DATA: context.folder },
      });
  });
  test.after(() => server.end());

  const keysIn = async (venc: Context['venc'], args = '') =>
    JSON.parse((await succeed(venc(`keys list --json${args}`))).stdout) as readonly ListedKey[];

  test('accounts are created, listed and switched, with no daemon', async ({ venc, database, folder }) => {
    const created = await succeed(venc('accounts create studio'));
    assert.match(created.stdout, /^[0-9a-f]{40}\n$/);
    const [using = '', done = ''] = created.stderr.split('\n');
    assert.match(using, new RegExp(`^venc: using the database "${database}" on 127\\.0\\.0\\.1:\\d+$`));
    assert.match(done, /account studio created in integration mode/);
    assert.is((await venc('accounts create studio')).code, 6);
    assert.match((await succeed(venc('accounts live studio'))).stderr, /account studio is live/);
    const listed = await succeed(venc('accounts list --json --fields name,mode,keys'));
    assert.equal(JSON.parse(listed.stdout), [
      { name: 'default', mode: 'live', keys: 1 },
      { name: 'studio', mode: 'live', keys: 1 },
    ]);
    assert.is(listed.stderr, '', 'a list says only what it lists');
    assert.match((await succeed(venc('accounts show studio --secret'))).stdout, /^whsec_/);
    assert.ok(existsSync(join(folder, 'database-key')), 'as at the first start of a daemon');
    assert.not.ok(existsSync(join(folder, 'accounts.json')), 'the data folder has no accounts');
  });

  test('keys of accounts and workers are created, listed and revoked', async ({ venc }) => {
    await succeed(venc('accounts create studio'));
    const full = (await succeed(venc('keys create --account studio --read-only'))).stdout;
    const worker = (await succeed(venc('keys create --worker'))).stdout;
    assert.match(worker, /^vencw_[0-9a-f]{40}\n$/);
    const keys = await keysIn(venc);
    assert.equal(
      keys.map(({ kind, account }) => [kind, account]),
      [
        ['full', 'default'],
        ['full', 'studio'],
        ['read-only', 'studio'],
        ['worker', null],
      ],
    );
    assert.is((await keysIn(venc, ' --account studio')).length, 2);
    const listed = (await succeed(venc('keys list'))).stdout;
    for (const key of [full, worker]) assert.not.ok(listed.includes(key.trim()));
    for (const { id, kind } of keys.slice(1)) {
      const { stderr } = await succeed(venc(`keys revoke ${id}`));
      assert.is(stderr.includes('no longer has a full-access key'), kind === 'full', stderr);
    }
    assert.equal(await keysIn(venc), keys.slice(0, 1));
    const again = await venc(`keys revoke ${keys[1]?.id ?? ''}`);
    assert.is(again.code, 5);
    assert.match(again.stderr, /There is no key with the id/);
  });

  test("the owner's key that was revoked does not come back", async ({ venc, dsn, database }) => {
    const [owner] = await keysIn(venc);
    assert.is((await server.query(database, 'select * from venc.owner')).length, 1);
    const { stderr } = await succeed(venc(`keys revoke ${owner?.id ?? ''}`));
    assert.match(stderr, /it was the owner's key: the daemon creates a new one at its next start/);
    assert.equal(await server.query(database, 'select * from venc.owner'), []);
    assert.equal(await keysIn(venc), [], dsn);
  });

  test("the owner's key is rotated, and a retired one is remembered", async ({ venc, database }) => {
    await succeed(venc('keys list'));
    const { stdout } = await succeed(venc('keys rotate --grace 2h'));
    assert.match(stdout, /^[0-9a-f]{40}\n$/);
    const [earlier, current] = await keysIn(venc);
    assert.ok(Date.parse(earlier?.expires_at ?? '') > Date.now() && current?.expires_at === null);
    assert.is((await server.query(database, 'select * from venc.retired_keys')).length, 1);
    await succeed(venc('keys create --name ci --expires 90d'));
    const ci = (await keysIn(venc)).at(-1);
    assert.ok(ci?.name === 'ci' && Date.parse(ci.expires_at ?? '') > Date.now());
  });

  test('credentials are saved, listed and removed', async ({ venc, dsn, folder, database }) => {
    const added = await succeed(venc('credentials add films --scheme s3 --default', 'me\nverborgen\n'));
    assert.match(added.stderr, /credentials films saved for account default/);
    await succeed(venc('credentials add newer --scheme s3 --default', 'me\nverborgen-2\n'));
    assert.is((await venc('credentials add films', 'me\nother\n')).code, 6);
    const listed = await succeed(venc('credentials list --json --fields name,default'));
    assert.equal(JSON.parse(listed.stdout), [
      { name: 'films', default: false },
      { name: 'newer', default: true },
    ]);
    const opened = await openPostgresDatabase(dsn, { log });
    const key = await openEncryptionKey(opened.queries, { dataFolder: folder, given: undefined });
    const request = { accountId: 'default', scheme: 's3', name: null };
    const saved = openPostgresCredentials(opened, key);
    assert.equal(await saved.find(request), { user: 'me', secret: 'verborgen-2' });
    await opened.close();
    const rows = JSON.stringify(await server.query(database, 'select * from venc.credentials'));
    assert.not.ok(rows.includes('verborgen'), rows);
    await succeed(venc('credentials remove newer'));
    assert.is((await venc('credentials remove newer')).code, 5);
    const rest = await succeed(venc('credentials list --json --fields name'));
    assert.equal(JSON.parse(rest.stdout), [{ name: 'films' }]);
  });

  test('commands that change the same accounts at the same time lose nothing', async ({ venc }) => {
    await succeed(venc('accounts list'));
    const names = ['anna', 'bert', 'carl', 'dora'];
    await Promise.all(names.map((one) => succeed(venc(`accounts create ${one}`))));
    const { stdout } = await succeed(venc('accounts list --json --fields name'));
    const listed = (JSON.parse(stdout) as readonly { readonly name: string }[]).map((one) => one.name);
    assert.equal(listed.sort(), [...names, 'default'].sort());
  });

  test('the configuration can name the database, and VENC_DATABASE takes precedence', async ({
    dsn,
    folder,
  }) => {
    const XDG_CONFIG_HOME = tempFolder();
    const env = { XDG_CONFIG_HOME, VENC_DATA: folder };
    const completed = () => completionsOf(['accounts', 'show', ''], env);
    await succeed(runCli(['accounts', 'list'], { env }));
    assert.match(await completed(), /^default\t/);
    const set = ['config', 'set', 'database', 'postgres://venc:geheim@127.0.0.1:1/none'];
    await succeed(runCli(set, { env }));
    const unreachable = await runCli(['accounts', 'list'], { env });
    assert.is(unreachable.code, 3, unreachable.stderr);
    assert.is(await completed(), '', 'those of the data folder would be wrong');
    const inDatabase = { ...env, VENC_DATABASE: dsn };
    await succeed(runCli(['accounts', 'list'], { env: inDatabase }));
    const { stdout } = await succeed(runCli(['config', 'list', '--json'], { env: inDatabase }));
    assert.match(stdout, /"from": ?"VENC_DATABASE"/);
    for (const secret of ['geheim', encodeURIComponent('p@ss')])
      assert.not.ok(stdout.includes(secret), secret);
    await succeed(runCli(['config', 'set', 'database', dsn], { env }));
    await succeed(runCli(['accounts', 'list'], { env }));
  });

  test('--database takes precedence over VENC_DATABASE and the configuration', async ({ dsn, folder }) => {
    const XDG_CONFIG_HOME = tempFolder();
    const none = 'postgres://venc@127.0.0.1:1/none';
    const env = { XDG_CONFIG_HOME, VENC_DATA: folder, VENC_DATABASE: none };
    await succeed(runCli(['config', 'set', 'database', none], { env }));
    const inDatabase = (words: string, stdin = '') =>
      succeed(runCli([...words.split(' '), '--database', dsn], { env, stdin }));
    const created = await inDatabase('accounts create studio');
    assert.match(created.stderr, /using the database "test_/);
    await inDatabase('accounts live studio');
    assert.match((await inDatabase('accounts show studio')).stdout, /live/);
    assert.match((await inDatabase('accounts list')).stdout, /studio/);
    const { stderr } = await inDatabase('keys create --account studio');
    assert.match((await inDatabase('keys list')).stdout, /studio/);
    await inDatabase(`keys revoke ${/its id is (\w+)/.exec(stderr)?.[1] ?? ''}`);
    await inDatabase('credentials add films --scheme s3', 'me\nverborgen\n');
    assert.match((await inDatabase('credentials list')).stdout, /films/);
    await inDatabase('credentials remove films');
    const elsewhere = await runCli(['accounts', 'list', '--database', `${dsn}_none`], { env });
    assert.match(elsewhere.stderr, /There is no database/);
    assert.not.ok(elsewhere.stderr.includes(decodeURIComponent(new URL(dsn).password)));
    assert.is((await runCli(['accounts', 'list', '--database', ''], { env })).code, 2);
  });

  test('a database that cannot be used is rejected with a sentence', async ({ dsn, venc }) => {
    await succeed(venc('accounts list'));
    const wrongKey = Buffer.alloc(32, 7).toString('base64');
    const cases: readonly (readonly [env: Record<string, string>, code: number, message: RegExp])[] = [
      [{ VENC_DATABASE: 'mysql://me:geheim@localhost/db' }, 2, /does not begin with postgres:/],
      [{ VENC_DATABASE: `postgres://me:geheim@127.0.0.1:${await freePort()}/db` }, 3, /was refused/],
      [{ VENC_DATABASE: server.dsn('no_such_database') }, 2, /no database "no_such_database"/],
      [{ VENC_DATABASE: dsn }, 2, /The key that encrypts the secrets of the database is missing/],
      [{ VENC_DATABASE: dsn, VENC_DATABASE_KEY: wrongKey }, 2, /were encrypted with another key/],
    ];
    for (const [env, code, message] of cases)
      for (const words of [
        ['keys', 'create'],
        ['accounts', 'list'],
        ['credentials', 'list'],
      ]) {
        const result = await runCli(words, { env });
        assert.match(result.stderr, message);
        assert.match(result.stderr, /hint: /);
        assert.equal([result.code, result.stdout], [code, ''], result.stderr);
        assert.not.ok(result.stderr.includes('geheim'), result.stderr);
      }
  });

  test('during a migration, a command is rejected', async ({ dsn, venc }) => {
    const migration = await openDatabaseExclusively(dsn, { isCreated: true });
    const { code, stderr } = await venc('keys create');
    await migration.close();
    assert.match(stderr, new RegExp(`is in use by venc migrate, process id ${process.pid} on `));
    assert.is(code, 6);
    await succeed(venc('keys create'));
  });

  test.run();
}

const daemonName = 'accounts and keys of a database while a daemon runs';
const programs = findDatabasePrograms();
if ('missing' in programs) skipSuite(daemonName, programs);
else describeDaemon(programs.bin);

function describeDaemon(bin: string): void {
  const test = suite(daemonName);
  let server: PostgresServer;

  test.before(async () => {
    server = await startPostgres(bin);
  });
  test.after(async () => {
    killDaemons();
    await server.end();
  });

  test('a running daemon accepts a new key, and rejects it after it was revoked', async () => {
    const folder = join(tempFolder(), 'data');
    const env = { VENC_DATABASE: server.dsn(await server.createDatabase()), VENC_DATA: folder };
    const daemon = await startDaemonProcess(folder, ['--jobs', '0'], env);
    const { stdout, stderr } = await succeed(runCli(['accounts', 'create', 'studio'], { env }));
    const [, id = ''] = /has the id (\w+)/.exec(stderr) ?? [];
    const headers = { 'Service-Api-Key': stdout.trim() };
    const status = async () => (await fetch(`${daemon.url}/v2/jobs`, { headers })).status;
    await waitUntil('the key is accepted', async () => (await status()) === 200);
    await succeed(runCli(['keys', 'revoke', id], { env }));
    await waitUntil('the key is rejected', async () => (await status()) === 401);
    assert.is(await daemon.end('SIGTERM'), 0);
  });

  test.run();
}

/** The result of a command that must exit with 0. */
async function succeed(running: Promise<CliResult>): Promise<CliResult> {
  const result = await running;
  if (result.code !== 0) throw new Error(`exit code ${result.code}: ${result.stderr}`);
  return result;
}
