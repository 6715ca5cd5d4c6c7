import { existsSync, readFileSync, renameSync, statSync, unlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import {
  type AccountsDocument,
  hasAllSecrets,
  readAccountsDocument,
  withAccount,
  withKey,
} from '../../../daemon/store/accounts/accounts-document.js';
import { type OpenAccounts, openAccounts } from '../../../daemon/store/accounts/json-account-store.js';
import { hashKey } from '../../../daemon/store/accounts/keys.js';
import { isVencError } from '../../../src/shared/errors.js';
import { tempFolder } from '../../helpers/temp.js';
import { waitUntil } from '../../helpers/wait-until.js';

interface Context {
  folder: string;
  file: string;
  ownerKey: string;
  logLines: string[];
  accounts: OpenAccounts;
  /** Opens the accounts again, as a restart does. */
  restart: () => Promise<OpenAccounts>;
}

const test = suite<Context>('accounts and keys');

test.before.each(async (context) => {
  context.folder = tempFolder();
  context.file = join(context.folder, 'accounts.json');
  context.ownerKey = join(context.folder, 'owner-key');
  context.logLines = [];
  const log = (level: string, message: string) => context.logLines.push(`${level} ${message}`);
  context.accounts = await openAccounts(context.folder, { log });
  context.restart = async () => {
    await context.accounts.close();
    context.accounts = await openAccounts(context.folder, { log });
    return context.accounts;
  };
});
test.after.each(async ({ accounts }) => {
  await accounts.close();
});

const documentAt = (path: string): AccountsDocument => {
  const document = readAccountsDocument(JSON.parse(readFileSync(path, 'utf8')));
  if (document === null || !hasAllSecrets(document)) throw new Error(`${path} is not an accounts document`);
  return document;
};

const notificationSecret = 'whsec_MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIz';

/** Replaces the document as another process does: completely, under a new inode. */
const replace = (path: string, document: AccountsDocument) => {
  writeFileSync(`${path}.new`, JSON.stringify(document));
  renameSync(`${path}.new`, path);
};

test('a first start creates the live account default with one full-access key', async ({
  accounts,
  ownerKey,
}) => {
  const key = await accounts.ensureOwner();
  assert.match(key, /^[0-9a-f]{40}$/);
  const holder = accounts.holderOf(key);
  assert.is(holder?.kind, 'full');
  assert.match(holder?.keyId ?? '', /^[0-9a-f]{8}$/);
  assert.match(holder?.account.notificationSecret ?? '', /^whsec_[A-Za-z0-9+/]{32,44}=*$/);
  assert.equal([holder?.account.name, holder?.account.isIntegration], ['default', false]);
  assert.equal(accounts.account('default'), holder?.account);
  assert.is(readFileSync(ownerKey, 'utf8'), `${key}\n`);
});

test('an unknown key has no holder', async ({ accounts }) => {
  const key = await accounts.ensureOwner();
  for (const other of ['', key.slice(1), `${key} `, key.toUpperCase(), hashKey(key)]) {
    assert.is(accounts.holderOf(other), null);
  }
  assert.is(accounts.account('other'), null);
});

test('keys are stored as hashes, and only the owner can read the files', async ({
  accounts,
  file,
  ownerKey,
}) => {
  const key = await accounts.ensureOwner();
  assert.not.ok(readFileSync(file, 'utf8').includes(key));
  for (const path of [file, ownerKey]) assert.is(statSync(path).mode & 0o777, 0o600);
});

test('a later start keeps key and account, and writes nothing', async ({ accounts, restart, file }) => {
  const key = await accounts.ensureOwner();
  const { ino } = statSync(file);
  const again = await restart();
  assert.is(await again.ensureOwner(), key);
  assert.is(statSync(file).ino, ino);
});

test('a key that is given at a later start is added, and older ones stay valid', async (context) => {
  const first = await context.accounts.ensureOwner('from-the-environment');
  assert.is(first, 'from-the-environment');
  const accounts = await context.restart();
  assert.is(await accounts.ensureOwner('another'), 'another');
  for (const key of ['from-the-environment', 'another']) {
    assert.is(accounts.holderOf(key)?.account.id, 'default');
  }
  assert.is(readFileSync(context.ownerKey, 'utf8'), 'another\n');
  assert.is(await (await context.restart()).ensureOwner(), 'another');
  assert.is(documentAt(context.file).keys.length, 2);
});

test('a lost owner key is recreated, and a lost accounts.json gets the owner key again', async (context) => {
  const first = await context.accounts.ensureOwner();
  unlinkSync(context.ownerKey);
  const second = await (await context.restart()).ensureOwner();
  assert.is.not(second, first);
  assert.ok(context.accounts.holderOf(first) !== null && context.accounts.holderOf(second) !== null);
  await context.accounts.close();
  unlinkSync(context.file);
  const accounts = await context.restart();
  assert.is(await accounts.ensureOwner(), second);
  assert.is(accounts.holderOf(second)?.account.id, 'default');
});

test('a key that is invalid in a header is rejected, and nothing is written', async ({ accounts, file }) => {
  for (const key of ['', 'two words', 'line\nbreak', 'ключ', 'x'.repeat(256)]) {
    const error = await accounts.ensureOwner(key).catch((caught: unknown) => caught);
    assert.ok(isVencError(error, 'UsageError'));
    if (key !== '') assert.not.ok(error.message.includes(key));
  }
  assert.not.ok(existsSync(file));
});

test("a key of another account cannot become the owner's", async ({ accounts, restart, file }) => {
  await accounts.ensureOwner();
  const createdAt = '2024-01-01T00:00:00.000Z';
  const account = { id: 'a2', name: 'b', isIntegration: true, createdAt, notificationSecret };
  const other = withAccount(documentAt(file), account);
  replace(
    file,
    withKey(other, { id: 'k2', accountId: 'a2', kind: 'full', hash: hashKey('bkey'), createdAt }),
  );
  const again = await restart();
  assert.is(again.holderOf('bkey')?.account.name, 'b');
  const error = await again.ensureOwner('bkey').catch((caught: unknown) => caught);
  assert.ok(isVencError(error, 'UsageError'));
});

test('a change of the file is applied while the store is open', async ({ accounts, file }) => {
  const key = await accounts.ensureOwner();
  const document = documentAt(file);
  const createdAt = '2024-01-01T00:00:00.000Z';
  const hash = hashKey('reader');
  replace(file, withKey(document, { id: 'k', accountId: 'default', kind: 'read-only', hash, createdAt }));
  await waitUntil('the new key is known', () => accounts.holderOf('reader')?.kind === 'read-only');
  replace(file, { ...document, keys: [] });
  await waitUntil('the old key is forgotten', () => accounts.holderOf(key) === null);
});

test('a change that cannot be read leaves the keys as they were and is logged', async (context) => {
  const { accounts, file, logLines } = context;
  const key = await accounts.ensureOwner();
  writeFileSync(file, '{"accounts":');
  await waitUntil('the log names the file', () => logLines.length > 0);
  assert.ok(logLines[0]?.startsWith('error ') && logLines[0].includes(file));
  assert.ok(accounts.holderOf(key) !== null);
});

test('an account from before notifications gets a secret when it is opened, and keeps it', async ({
  accounts,
  restart,
  file,
}) => {
  await accounts.ensureOwner();
  const { accounts: made, keys } = documentAt(file);
  const old = made.map(({ notificationSecret: _, ...account }) => account);
  writeFileSync(file, JSON.stringify({ accounts: old, keys }));
  const secret = (await restart()).account('default')?.notificationSecret;
  assert.match(secret ?? '', /^whsec_/);
  assert.is(documentAt(file).accounts[0]?.notificationSecret, secret);
  assert.equal(documentAt(file).keys, keys);
  assert.is((await restart()).account('default')?.notificationSecret, secret);
  assert.is(statSync(file).mode & 0o777, 0o600);
});

test('an old document that is restored while the store is open gets its secrets too', async ({
  accounts,
  file,
}) => {
  await accounts.ensureOwner();
  const { accounts: made, keys } = documentAt(file);
  const old = made.map(({ notificationSecret: _, ...account }) => ({ ...account, isIntegration: true }));
  writeFileSync(file, JSON.stringify({ accounts: old, keys }));
  await waitUntil('the change is applied', () => accounts.account('default')?.isIntegration === true);
  const secret = accounts.account('default')?.notificationSecret;
  assert.is(documentAt(file).accounts[0]?.notificationSecret, secret);
  assert.match(secret ?? '', /^whsec_/);
});

test('each of a thousand keys belongs to its own account and no other', async ({ restart, file }) => {
  const createdAt = '2024-01-01T00:00:00.000Z';
  const ids = Array.from({ length: 1000 }, (_, index) => String(index));
  replace(file, {
    accounts: ids.map((id) => ({ id, name: `a${id}`, isIntegration: true, createdAt, notificationSecret })),
    keys: ids.map((id) => ({
      id: `k${id}`,
      accountId: id,
      kind: 'full',
      hash: hashKey(`key ${id}`),
      createdAt,
    })),
  });
  const accounts = await restart();
  for (const id of ids) {
    const holder = accounts.holderOf(`key ${id}`);
    assert.equal([holder?.keyId, holder?.account.id], [`k${id}`, id]);
  }
  assert.is(accounts.holderOf('key 1000'), null);
});

test('a key of a removed account has no holder', async ({ accounts, restart, file }) => {
  const key = await accounts.ensureOwner();
  replace(file, { ...documentAt(file), accounts: [] });
  assert.is((await restart()).holderOf(key), null);
});

for (const text of [
  '',
  '{',
  '[]',
  '{"accounts":[],"keys":[{"id":"a"}]}',
  '{"accounts":[{"id":1}],"keys":[]}',
  '{"accounts":[{"id":"a","name":"a","isIntegration":true,"createdAt":"","notificationSecret":"x"}],"keys":[]}',
]) {
  test(`a damaged file is named at the start and not changed: ${text}`, async ({ folder, file }) => {
    writeFileSync(file, text);
    const error = await openAccounts(folder, { log: () => undefined }).catch((caught: unknown) => caught);
    assert.ok(isVencError(error, 'UsageError'));
    assert.ok(error.message.includes(file));
    assert.is(readFileSync(file, 'utf8'), text);
  });
}

test.run();
