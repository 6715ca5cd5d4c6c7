import { chownSync, existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { createAccount, listAccounts, setMode } from '../../../daemon/admin/accounts.js';
import { openFolderSetup } from '../../../daemon/admin/open-setup.js';
import { openAccounts } from '../../../daemon/store/accounts/accounts.js';
import { createKey, createWorkerKey, listKeys, revokeKey } from '../../../daemon/store/accounts/api-keys.js';
import { folderSetup } from '../../../daemon/store/accounts/folder-setup.js';
import { dataLayout } from '../../../daemon/store/data-folder/layout.js';
import { isVencError } from '../../../src/shared/errors.js';
import { tempFolder } from '../../helpers/temp.js';

interface Context {
  folder: string;
  file: string;
  ownerKey: string;
}

const test = suite<Context>('changes of accounts.json');

test.before.each((context) => {
  context.folder = join(tempFolder(), 'data');
  context.file = join(context.folder, 'accounts.json');
  context.ownerKey = join(context.folder, 'owner-key');
});

const silent = { log: () => undefined };

test('concurrent changes are never lost, including the first start, and no lock remains', async ({
  folder,
}) => {
  const names = Array.from({ length: 12 }, (_, index) => `a${index}`);
  const [made] = await Promise.all([
    Promise.all(names.map((name) => createAccount(openFolderSetup(folder), name))),
    Promise.all(names.map(() => createKey(openFolderSetup(folder), 'default', 'read-only'))),
    openAccounts(folderSetup(folder), silent).then(async (accounts) => {
      await accounts.ensureOwner('from-the-environment');
      await accounts.close();
    }),
  ]);
  const accounts = await listAccounts(openFolderSetup(folder));
  assert.equal(accounts.map(({ name }) => name).sort(), ['default', ...names].sort());
  assert.is(new Set(accounts.map(({ notificationSecret }) => notificationSecret)).size, 13);
  const opened = await openAccounts(folderSetup(folder), silent);
  for (const [index, { id, key }] of made.entries()) {
    const holder = opened.holderOf(key);
    assert.equal(
      [holder?.keyId, holder?.account.name, holder?.kind, holder?.account.isIntegration],
      [id, `a${index}`, 'full', true],
    );
  }
  assert.is(opened.holderOf('from-the-environment')?.account.name, 'default');
  await opened.close();
  assert.is((await listKeys(openFolderSetup(folder))).filter(({ kind }) => kind === 'read-only').length, 12);
  assert.equal(readdirSync(folder).sort(), ['accounts.json', 'owner-key']);
});

test('the lock of a dead process blocks nobody, and that of a living one does', async ({ folder }) => {
  const layout = dataLayout(folder);
  await createAccount(openFolderSetup(folder), 'a');
  writeFileSync(layout.accountsLock, '4194304 17\n');
  await createAccount(openFolderSetup(folder), 'b');
  let isFree = false;
  const held = folderSetup(folder).update(async ({ accounts, replaceAccounts }) => {
    const change = setMode(openFolderSetup(folder), 'a', { isIntegration: false }).then(() =>
      assert.ok(isFree),
    );
    for (let turn = 0; turn < 20; turn += 1) await new Promise((resolve) => setImmediate(resolve));
    await replaceAccounts(accounts);
    isFree = true;
    return { change };
  });
  await (await held).change;
  assert.equal(
    (await listAccounts(openFolderSetup(folder))).map(({ name, isIntegration }) => [name, isIntegration]),
    [
      ['default', false],
      ['a', false],
      ['b', true],
    ],
  );
});

test("revoking the owner's key removes it from the folder, and the next start creates another", async ({
  folder,
  ownerKey,
}) => {
  await listAccounts(openFolderSetup(folder));
  const first = readFileSync(ownerKey, 'utf8').trim();
  const [owner] = await listKeys(openFolderSetup(folder));
  const revoked = await revokeKey(openFolderSetup(folder), owner?.id ?? '');
  assert.equal(revoked, { kind: 'full', account: 'default', isOwners: true, hasFullKeyLeft: false });
  assert.not.ok(existsSync(ownerKey));
  await listKeys(openFolderSetup(folder));
  assert.not.ok(existsSync(ownerKey), 'a read creates none');
  const accounts = await openAccounts(folderSetup(folder), silent);
  const second = await accounts.ensureOwner();
  assert.equal([accounts.holderOf(first), accounts.holderOf(second)?.account.name], [null, 'default']);
  await accounts.close();
  assert.is(readFileSync(ownerKey, 'utf8'), `${second}\n`);
});

test("revoking another key keeps the owner's key in the folder", async ({ folder, ownerKey }) => {
  const { id } = await createKey(openFolderSetup(folder), 'default', 'full');
  const before = readFileSync(ownerKey, 'utf8');
  const revoked = await revokeKey(openFolderSetup(folder), id);
  assert.equal(revoked, { kind: 'full', account: 'default', isOwners: false, hasFullKeyLeft: true });
  assert.is(readFileSync(ownerKey, 'utf8'), before);
});

test('worker keys stay when accounts and other keys change, and their ids differ from all others', async ({
  folder,
}) => {
  const made = [
    await createWorkerKey(openFolderSetup(folder)),
    await createWorkerKey(openFolderSetup(folder)),
  ];
  await createAccount(openFolderSetup(folder), 'a');
  await setMode(openFolderSetup(folder), 'a', { isIntegration: false });
  const { id } = await createKey(openFolderSetup(folder), 'a', 'full');
  await revokeKey(openFolderSetup(folder), id);
  const keys = await listKeys(openFolderSetup(folder));
  assert.equal(
    keys.map(({ kind, account }) => [kind, account]),
    [
      ['full', 'default'],
      ['full', 'a'],
      ['worker', null],
      ['worker', null],
    ],
  );
  assert.is(new Set(keys.map((key) => key.id)).size, 4);
  for (const { key } of made) assert.match(key, /^vencw_[0-9a-f]{40}$/);
  assert.equal(await revokeKey(openFolderSetup(folder), made[0]?.id ?? ''), { kind: 'worker' });
  assert.equal((await listKeys(openFolderSetup(folder))).map((key) => key.id).at(-1), made[1]?.id);
  assert.is((await listKeys(openFolderSetup(folder), 'a')).length, 1);
});

test('a damaged file is never overwritten by a change', async ({ folder, file }) => {
  await createAccount(openFolderSetup(folder), 'a');
  writeFileSync(file, '{"accounts":');
  for (const change of [
    () => createAccount(openFolderSetup(folder), 'b'),
    () => setMode(openFolderSetup(folder), 'a', { isIntegration: false }),
    () => createKey(openFolderSetup(folder), 'a', 'full'),
    () => folderSetup(folder).update(async () => undefined),
  ]) {
    const error = await change().catch((caught: unknown) => caught);
    assert.ok(isVencError(error, 'UsageError') && error.message.includes(file));
  }
  assert.is(readFileSync(file, 'utf8'), '{"accounts":');
  assert.equal(readdirSync(folder).sort(), ['accounts.json', 'owner-key']);
});

test('files that root writes in the folder of another user belong to that user', async ({
  folder,
  file,
  ownerKey,
}) => {
  if (process.getuid?.() !== 0) return;
  await createAccount(openFolderSetup(folder), 'made-by-root');
  chownSync(folder, 12_345, 12_346);
  await createAccount(openFolderSetup(folder), 'in-another-folder');
  assert.equal(
    [statSync(file).uid, statSync(file).gid, statSync(file).mode & 0o777],
    [12_345, 12_346, 0o600],
  );
  assert.is(statSync(ownerKey).uid, 0, 'existing files keep their owner');
});

test.run();
