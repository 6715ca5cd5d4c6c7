import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { listCredentials } from '../../daemon/admin/credentials.js';
import { openFolderSetup } from '../../daemon/admin/open-setup.js';
import { readFolderSetup, writeFolderSetup } from '../../daemon/migrate/folder-setup.js';
import { openAccounts } from '../../daemon/store/accounts/accounts.js';
import { folderSetup } from '../../daemon/store/accounts/folder-setup.js';
import { openSavedCredentials } from '../../daemon/store/credentials/saved-credentials.js';
import { openDrainedWorkers } from '../../daemon/store/data-folder/drained-workers.js';
import { dataLayout } from '../../daemon/store/data-folder/layout.js';
import { openJobStore } from '../../daemon/store/jobs/json-job-store.js';
import { writeRemovedJobs } from '../../daemon/store/jobs/removed-jobs.js';
import { postgresSetup } from '../../daemon/store/postgres/accounts.js';
import { openPostgresDatabase } from '../../daemon/store/postgres/connection.js';
import { openPostgresCredentials } from '../../daemon/store/postgres/credentials.js';
import { createPostgresJobStore } from '../../daemon/store/postgres/jobs.js';
import { AtomicFiles } from '../../src/shared/util/atomic-files.js';
import { realDisk } from '../../src/shared/util/disk.js';
import { draftFor } from '../contracts/job-store/store-facts.js';
import { processKey, startDaemonProcess } from '../helpers/daemon-process.js';
import { killedAfterCreate } from '../helpers/killed-folder.js';
import {
  checksumsIn,
  contentOf,
  filesIn,
  fillDataFolder,
  folderSecrets,
  migrated,
  startMigration,
} from '../helpers/migration-harness.js';
import { findPostgres, startPostgres } from '../helpers/postgres.js';
import { skipSuite } from '../helpers/servers/find-program.js';
import { tempFolder } from '../helpers/temp.js';

const found = findPostgres();
const name = 'migrations between data folders and databases';
const log = () => undefined;

if ('missing' in found) skipSuite(name, found);
else {
  const test = suite(name);
  const server = await startPostgres(found.bin);
  test.after(() => server.end());

  const keyIn = (folder: string) => readFileSync(join(folder, 'database-key'), 'utf8').trim();

  test('a data folder is the same after a migration to a database and back', async () => {
    const folder = await fillDataFolder(120);
    const before = await filesIn(folder);
    const dsn = server.dsn(await server.createDatabase());
    const there = await migrated(['--from', folder, '--database', dsn]);
    assert.ok(there.every(({ equal }) => equal));
    assert.is(there.find(({ what }) => what === 'jobs')?.source_count, 124);
    const counts = Object.fromEntries(there.map((row) => [row.what, row.target_count]));
    assert.is(counts['idempotency keys'], 2);
    assert.is(counts['worker keys'], 1);
    assert.is(counts['drained workers'], 2);
    assert.is(counts['usage of gone (ms)'], 24_500);
    assert.is(counts['files of removed jobs'], 2);
    assert.ok((counts['owner key'] ?? 0) === 1 && (counts.credentials ?? 0) === 1);

    const { 'database-key': key, ...after } = await filesIn(folder);
    assert.ok(key !== undefined);
    assert.equal(after, before);

    const copy = join(tempFolder(), 'copy');
    const env = { VENC_DATABASE: dsn, VENC_DATABASE_KEY: keyIn(folder) };
    const back = await migrated(['--to', copy], env);
    assert.equal(checksumsIn(back), checksumsIn(there));

    const [original, restored] = [await openJobStore(folder, { log }), await openJobStore(copy, { log })];
    assert.equal(await contentOf(restored), await contentOf(original));
    const [next, same] = [await original.create(draftFor()), await restored.create(draftFor())];
    assert.is(same.id, next.id);
    await original.close();
    await restored.close();
    assert.equal(
      await listCredentials(openFolderSetup(copy)),
      await listCredentials(openFolderSetup(folder)),
    );
    const drained = await openDrainedWorkers(copy);
    assert.equal(
      ['attic', 'garage', 'cellar'].map((one) => drained.has(one)),
      [true, true, false],
    );
    const request = { accountId: await studioOf(copy), name: 'films', scheme: 's3' };
    assert.is((await openSavedCredentials(copy).find(request))?.secret, folderSecrets[0]);
    const daemon = await startDaemonProcess(copy);
    assert.not.match(daemon.logged(), /damaged/);
    const headers = { 'Zencoder-Api-Key': processKey };
    assert.is((await fetch(`${daemon.url}/api/v2/jobs/1`, { headers })).status, 200);
    await daemon.end('SIGTERM');
  });

  /** The id of the account "studio". */
  const studioOf = async (folder: string) => {
    const { accounts } = JSON.parse(readFileSync(join(folder, 'accounts.json'), 'utf8')) as {
      readonly accounts: readonly { readonly id: string; readonly name: string }[];
    };
    return accounts.find((account) => account.name === 'studio')?.id ?? '';
  };

  test('the stores of a database find everything that a migration has copied', async () => {
    const folder = await fillDataFolder(40);
    const accountsBefore = await openAccounts(folderSetup(folder), { log });
    const dsn = server.dsn(await server.createDatabase());
    await migrated(['--from', folder], { VENC_DATABASE: dsn });
    const database = await openPostgresDatabase(dsn, { log });
    const encryptionKey = Buffer.from(keyIn(folder), 'base64');
    const jobs = await createPostgresJobStore({ database, log });
    const original = await openJobStore(folder, { log });
    assert.equal(await contentOf(jobs), await contentOf(original));
    const { jobs: all } = await original.list({ offset: 0, limit: 1000 });
    for (const { id, outputs } of all) assert.is((await jobs.findByFile(outputs.at(-1)?.id ?? 0))?.id, id);
    assert.is((await jobs.create(draftFor())).id, (await original.create(draftFor())).id);
    await original.close();
    const setup = postgresSetup({ database, encryptionKey });
    const accounts = await openAccounts(setup, { log });
    assert.is(await accounts.ensureOwner(), folderSecrets[1]);
    const studio = await studioOf(folder);
    assert.equal(accounts.account(studio), accountsBefore.account(studio));
    assert.equal(
      await setup.keyUses(),
      JSON.parse(readFileSync(join(folder, 'key-uses.json'), 'utf8')) as unknown,
    );
    assert.equal(
      await server.query(
        new URL(dsn).pathname.slice(1),
        'select name from venc.drained_workers order by name',
      ),
      [{ name: 'attic' }, { name: 'garage' }],
    );
    const credentials = openPostgresCredentials(database, encryptionKey);
    const request = { accountId: studio, name: null, scheme: 's3' };
    assert.is((await credentials.find(request))?.secret, folderSecrets[0]);
    await accountsBefore.close();
    await accounts.close();
    await jobs.close();
    await database.close();
  });

  test('jobs that a killed daemon left in the journal are copied', async () => {
    const { folder, id } = await killedAfterCreate(await fillDataFolder(3));
    const dsn = server.dsn(await server.createDatabase());
    await migrated(['--from', folder], { VENC_DATABASE: dsn });
    assert.equal(readdirSync(dataLayout(folder).journal), []);
    const database = await openPostgresDatabase(dsn, { log });
    const jobs = await createPostgresJobStore({ database, log });
    assert.is((await jobs.get(id))?.id, id);
    await jobs.close();
    await database.close();
  });

  test('more credentials and usage than one statement can insert are copied', async () => {
    const folder = await fillDataFolder(1);
    const layout = dataLayout(folder);
    const files = new AtomicFiles(realDisk);
    const setup = await readFolderSetup(layout, () => undefined);
    const [first] = setup.credentials;
    if (first === undefined) throw new TypeError('the folder has credentials');
    // Six parameters each.
    const credentials = Array.from({ length: 11_000 }, (_, index) => ({ ...first, name: `films-${index}` }));
    await writeFolderSetup(files, layout, { ...setup, credentials });
    const usage = Array.from({ length: 11_000 }, (_, index) => {
      const day = new Date(index * 86_400_000).toISOString().slice(0, 10);
      return { day, grouping: null, encodedMs: 1, billableMs: 1 };
    });
    const entries = [{ id: 7, accountId: 'gone', state: 'finished', usage }] as const;
    await writeRemovedJobs(files, layout, '0', { entries, files: [] });
    const dsn = server.dsn(await server.createDatabase());
    const rows = await migrated(['--from', folder, '--database', dsn]);
    const counts = Object.fromEntries(rows.map((row) => [row.what, row.target_count]));
    assert.equal([counts.credentials, counts['usage of gone (ms)']], [11_000, 11_000]);
  });

  test('no output of the command contains a secret', async () => {
    const folder = await fillDataFolder(5);
    const dsn = server.dsn(await server.createDatabase());
    const { stdout, stderr } = await startMigration(['--from', folder, '--database', dsn]).ended;
    const password = new URL(dsn).password;
    for (const secret of [...folderSecrets, password, decodeURIComponent(password), keyIn(folder)])
      assert.not.ok(`${stdout}${stderr}`.includes(secret), secret);
    assert.match(stderr, /hosted files, uploads and logs are still in /);
  });

  test('an empty data folder and its empty database are a migration of nothing', async () => {
    const folder = await fillDataFolder(0);
    const dsn = server.dsn(await server.createDatabase());
    const rows = await migrated(['--from', folder, '--database', dsn]);
    assert.is(rows.find(({ what }) => what === 'jobs')?.source_count, 4);
  });

  test.run();
}
