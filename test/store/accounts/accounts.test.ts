import { readFileSync, renameSync, statSync, unlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { openAccounts } from '../../../daemon/store/accounts/accounts.js';
import {
  type AccountsDocument,
  hasAllSecrets,
  readAccountsDocument,
} from '../../../daemon/store/accounts/accounts-document.js';
import { createKey, rotateOwnerKey } from '../../../daemon/store/accounts/api-keys.js';
import { folderSetup } from '../../../daemon/store/accounts/folder-setup.js';
import { hashKey } from '../../../daemon/store/accounts/keys.js';
import { isVencError } from '../../../src/shared/errors.js';
import { tempFolder } from '../../helpers/temp.js';
import { waitUntil } from '../../helpers/wait-until.js';

type OpenAccounts = Awaited<ReturnType<typeof openAccounts>>;

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
  context.accounts = await openAccounts(folderSetup(context.folder), { log });
  context.restart = async () => {
    await context.accounts.close();
    context.accounts = await openAccounts(folderSetup(context.folder), { log });
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

/** Replaces the document as another process does: completely, under a new inode. */
const replace = (path: string, document: AccountsDocument) => {
  writeFileSync(`${path}.new`, JSON.stringify(document));
  renameSync(`${path}.new`, path);
};

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

test('a start with a retired key in VENC_API_KEY says so in the log', async (context) => {
  await context.accounts.ensureOwner('first');
  const { key, earlierUntil } = await rotateOwnerKey(folderSetup(context.folder), 3600);
  assert.ok(Math.abs(Date.parse(earlierUntil ?? '') - Date.now() - 3_600_000) < 60_000);
  assert.is(readFileSync(context.ownerKey, 'utf8'), `${key}\n`);
  const accounts = await context.restart();
  assert.is(await accounts.ensureOwner('first'), key);
  assert.equal([context.logLines.length, context.logLines[0]?.includes('venc keys rotate')], [1, true]);
  assert.not.ok(context.logLines.join().includes('first'));
  assert.is(await accounts.ensureOwner(), key);
  assert.is(context.logLines.length, 1);
});

test('after a crash within a rotation the next start makes a new owner key', async (context) => {
  const first = await context.accounts.ensureOwner();
  await rotateOwnerKey(folderSetup(context.folder), 3600);
  // As if the process had ended before the second of both writes.
  writeFileSync(context.ownerKey, `${first}\n`);
  const accounts = await context.restart();
  const next = await accounts.ensureOwner();
  assert.is.not(next, first);
  assert.ok(accounts.holderOf(first) !== null && accounts.holderOf(next) !== null);
  assert.is(readFileSync(context.ownerKey, 'utf8'), `${next}\n`);
});

test('keys expire by the clock of the daemon, also if that is set', async (context) => {
  await context.accounts.ensureOwner();
  const expiresAt = new Date(Date.now() + 3_600_000);
  const details = { name: 'ci', expiresAt: expiresAt.toISOString() };
  const { key, id } = await createKey(folderSetup(context.folder), 'default', 'full', details);
  await context.accounts.close();
  let nowMs = Date.now();
  const log = () => assert.unreachable();
  context.accounts = await openAccounts(folderSetup(context.folder), { log, now: () => new Date(nowMs) });
  const { accounts } = context;
  const digest = accounts.digestOf(key);
  const isValid = () => [accounts.holderOfDigest(digest) !== null, accounts.expiryOf(digest)];
  assert.equal(isValid(), [true, null]);
  nowMs = expiresAt.getTime();
  assert.equal(isValid(), [false, expiresAt]);
  accounts.watchKey(id, () => {
    nowMs = expiresAt.getTime() - 1;
  });
  assert.equal(isValid(), [true, null], 'the clock was set back');
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

test('a worker key belongs to no account, and is known while it is in the file', async ({
  accounts,
  file,
}) => {
  await accounts.ensureOwner();
  const document = documentAt(file);
  const worker = { id: 'w', hash: hashKey('vencw_1'), createdAt: '2024-01-01T00:00:00.000Z' };
  const digest = accounts.digestOf('vencw_1');
  let revokedCount = 0;
  const onRevoked = () => {
    revokedCount += 1;
  };
  accounts.watchKey('w', onRevoked);
  assert.equal([accounts.workerKeyOf(digest), revokedCount], [null, 1], 'there is no key with this id yet');
  replace(file, { ...document, workers: [worker] });
  await accounts.refresh();
  assert.equal(accounts.workerKeyOf(digest), { keyId: 'w' });
  assert.is(accounts.holderOfDigest(digest), null);
  assert.is(accounts.workerKeyOf(accounts.digestOf('vencw_2')), null);
  accounts.watchKey('w', onRevoked);
  const endWatch = accounts.watchKey('w', () => assert.unreachable());
  endWatch();
  replace(file, { ...document, workers: [] });
  await waitUntil('the worker key is forgotten', () => accounts.workerKeyOf(digest) === null);
  assert.is(revokedCount, 2);
});

test('the key of an account is no worker key', async ({ accounts }) => {
  const key = await accounts.ensureOwner();
  assert.is(accounts.workerKeyOf(accounts.digestOf(key)), null);
});

test('the last use of a worker key is written', async ({ accounts, folder, file }) => {
  await accounts.ensureOwner();
  const worker = { id: 'w', hash: hashKey('vencw_1'), createdAt: '2024-01-01T00:00:00.000Z' };
  replace(file, { ...documentAt(file), workers: [worker] });
  await accounts.refresh();
  accounts.recordUse('w');
  await accounts.close();
  assert.equal(Object.keys(JSON.parse(readFileSync(join(folder, 'key-uses.json'), 'utf8'))), ['w']);
});

test("a worker key cannot become the owner's", async ({ accounts, restart, file }) => {
  await accounts.ensureOwner();
  const worker = { id: 'w', hash: hashKey('vencw_1'), createdAt: '2024-01-01T00:00:00.000Z' };
  replace(file, { ...documentAt(file), workers: [worker] });
  const error = await (await restart()).ensureOwner('vencw_1').catch((caught: unknown) => caught);
  assert.ok(isVencError(error, 'UsageError'));
  assert.match(error.message, 'worker key');
});

for (const text of [
  '',
  '{',
  '[]',
  '{"accounts":[],"keys":[{"id":"a"}]}',
  '{"accounts":[],"keys":[],"workers":{}}',
  '{"accounts":[],"keys":[],"workers":[{"id":"a"}]}',
  '{"accounts":[{"id":1}],"keys":[]}',
  '{"accounts":[{"id":"a","name":"a","isIntegration":true,"createdAt":"","notificationSecret":"x"}],"keys":[]}',
]) {
  test(`a damaged file is named at the start and not changed: ${text}`, async ({ folder, file }) => {
    writeFileSync(file, text);
    const error = await openAccounts(folderSetup(folder), { log: () => undefined }).catch(
      (caught: unknown) => caught,
    );
    assert.ok(isVencError(error, 'UsageError'));
    assert.ok(error.message.includes(file));
    assert.is(readFileSync(file, 'utf8'), text);
  });
}

test.run();
