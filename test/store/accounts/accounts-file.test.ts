import { chownSync, existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { createAccount, listAccounts, setMode } from '../../../daemon/admin/accounts.js';
import { createKey, listKeys, revokeKey } from '../../../daemon/admin/api-keys.js';
import { withAccountsLock } from '../../../daemon/store/accounts/accounts-file.js';
import { openAccounts } from '../../../daemon/store/accounts/json-account-store.js';
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
    Promise.all(names.map((name) => createAccount(folder, name))),
    Promise.all(names.map(() => createKey(folder, 'default', 'read-only'))),
    openAccounts(folder, silent).then(async (accounts) => {
      await accounts.ensureOwner('from-the-environment');
      await accounts.close();
    }),
  ]);
  const accounts = await listAccounts(folder);
  assert.equal(accounts.map(({ name }) => name).sort(), ['default', ...names].sort());
  assert.is(new Set(accounts.map(({ notificationSecret }) => notificationSecret)).size, 13);
  const opened = await openAccounts(folder, silent);
  for (const [index, { id, key }] of made.entries()) {
    const holder = opened.holderOf(key);
    assert.equal(
      [holder?.keyId, holder?.account.name, holder?.kind, holder?.account.isIntegration],
      [id, `a${index}`, 'full', true],
    );
  }
  assert.is(opened.holderOf('from-the-environment')?.account.name, 'default');
  await opened.close();
  assert.is((await listKeys(folder)).filter(({ kind }) => kind === 'read-only').length, 12);
  assert.equal(readdirSync(folder).sort(), ['accounts.json', 'owner-key']);
});

test('the lock of a dead process blocks nobody, and that of a living one does', async ({ folder }) => {
  const layout = dataLayout(folder);
  await createAccount(folder, 'a');
  writeFileSync(layout.accountsLock, '4194304 17\n');
  await createAccount(folder, 'b');
  let isFree = false;
  const held = withAccountsLock(layout, async ({ document, replace }) => {
    const change = setMode(folder, 'a', { isIntegration: false }).then(() => assert.ok(isFree));
    for (let turn = 0; turn < 20; turn += 1) await new Promise((resolve) => setImmediate(resolve));
    await replace(document);
    isFree = true;
    return { change };
  });
  await (await held).change;
  assert.equal(
    (await listAccounts(folder)).map(({ name, isIntegration }) => [name, isIntegration]),
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
  await listAccounts(folder);
  const first = readFileSync(ownerKey, 'utf8').trim();
  const [owner] = await listKeys(folder);
  const revoked = await revokeKey(folder, owner?.id ?? '');
  assert.equal([revoked.isOwners, revoked.hasFullKeyLeft, revoked.account], [true, false, 'default']);
  assert.not.ok(existsSync(ownerKey));
  await listKeys(folder);
  assert.not.ok(existsSync(ownerKey), 'a read creates none');
  const accounts = await openAccounts(folder, silent);
  const second = await accounts.ensureOwner();
  assert.equal([accounts.holderOf(first), accounts.holderOf(second)?.account.name], [null, 'default']);
  await accounts.close();
  assert.is(readFileSync(ownerKey, 'utf8'), `${second}\n`);
});

test("revoking another key keeps the owner's key in the folder", async ({ folder, ownerKey }) => {
  const { id } = await createKey(folder, 'default', 'full');
  const before = readFileSync(ownerKey, 'utf8');
  const revoked = await revokeKey(folder, id);
  assert.equal([revoked.isOwners, revoked.hasFullKeyLeft], [false, true]);
  assert.is(readFileSync(ownerKey, 'utf8'), before);
});

test('a damaged file is never overwritten by a change', async ({ folder, file }) => {
  await createAccount(folder, 'a');
  writeFileSync(file, '{"accounts":');
  for (const change of [
    () => createAccount(folder, 'b'),
    () => setMode(folder, 'a', { isIntegration: false }),
    () => createKey(folder, 'a', 'full'),
    () => withAccountsLock(dataLayout(folder), async () => undefined),
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
  await createAccount(folder, 'made-by-root');
  chownSync(folder, 12_345, 12_346);
  await createAccount(folder, 'in-another-folder');
  assert.equal(
    [statSync(file).uid, statSync(file).gid, statSync(file).mode & 0o777],
    [12_345, 12_346, 0o600],
  );
  assert.is(statSync(ownerKey).uid, 0, 'existing files keep their owner');
});

test.run();
