import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { AccountStore } from '../../daemon/store/account-store.js';
import {
  type AccountsDocument,
  type StoredKey,
  type StoredWorkerKey,
  withAccount,
  withKey,
  withoutKey,
  withRetiredKey,
  withWorkerKey,
} from '../../daemon/store/accounts/accounts-document.js';
import type { KeyUseTimes } from '../../daemon/store/accounts/key-use-recorder.js';
import { hashKey } from '../../daemon/store/accounts/keys.js';
import { isVencError } from '../../src/shared/errors.js';
import { waitUntil } from '../helpers/wait-until.js';

/** An account store that can be closed. */
interface ClosableAccounts extends AccountStore {
  close(): Promise<void>;
}

/** The storage of one test, empty at first. */
export interface AccountStoreHarness {
  /** Opens a store on the existing accounts. */
  open(): Promise<ClosableAccounts>;
  /** The stored accounts and keys. */
  stored(): Promise<AccountsDocument>;
  /** Replaces the stored accounts as another process does. */
  replace(document: AccountsDocument): Promise<void>;
  /** The stored last uses of keys. */
  keyUses(): Promise<KeyUseTimes>;
  /** Everything that is stored of the accounts, as text. */
  text(): Promise<string>;
}

interface Context {
  harness: AccountStoreHarness;
  accounts: ClosableAccounts;
  /** Opens the accounts again, as a restart does. */
  restart: () => Promise<ClosableAccounts>;
}

/** The options of `accountStoreContract`. */
interface ContractOptions {
  /** Ends what all harnesses share, after the last test. */
  readonly end?: () => Promise<void>;
}

const createdAt = '2024-01-01T00:00:00.000Z';
const notificationSecret = 'whsec_MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIz';
const otherAccount = { id: 'a2', name: 'b', isIntegration: true, createdAt, notificationSecret };
const readerKey: StoredKey = {
  id: 'k',
  accountId: 'default',
  kind: 'read-only',
  hash: hashKey('reader'),
  createdAt,
};

const workerKey: StoredWorkerKey = { id: 'w', hash: hashKey('vencw_1'), createdAt };

/** Tests that every `AccountStore` implementation must pass. */
export function accountStoreContract(
  name: string,
  createHarness: () => Promise<AccountStoreHarness>,
  options: ContractOptions = {},
): void {
  const test = suite<Context>(name);

  test.before.each(async (context) => {
    context.harness = await createHarness();
    context.accounts = await context.harness.open();
    context.restart = async () => {
      await context.accounts.close();
      context.accounts = await context.harness.open();
      return context.accounts;
    };
  });
  test.after.each(async ({ accounts }) => accounts.close());
  test.after(async () => options.end?.());

  for (const [fact, prove] of Object.entries(facts)) test(fact, prove);
  test.run();
}

const facts: Readonly<Record<string, (context: Context) => Promise<void>>> = {
  async 'a first start creates the live account default with one full-access key'({ accounts }) {
    const key = await accounts.ensureOwner();
    assert.match(key, /^[0-9a-f]{40}$/);
    const holder = accounts.holderOf(key);
    assert.is(holder?.kind, 'full');
    assert.match(holder?.keyId ?? '', /^[0-9a-f]{8}$/);
    assert.match(holder?.account.notificationSecret ?? '', /^whsec_[A-Za-z0-9+/]{32,44}=*$/);
    assert.equal([holder?.account.name, holder?.account.isIntegration], ['default', false]);
    assert.equal(accounts.accountNamed(accounts.account('default')?.name ?? ''), holder?.account);
    assert.equal(accounts.holderOfDigest(accounts.digestOf(key)), holder);
  },

  async 'an unknown key has no holder'({ accounts }) {
    const key = await accounts.ensureOwner();
    for (const other of ['', key.slice(1), `${key} `, key.toUpperCase(), hashKey(key)])
      assert.is(accounts.holderOf(other), null);
    assert.equal([accounts.account('other'), accounts.accountNamed('other')], [null, null]);
  },

  async 'the accounts contain hashes of keys, never the keys'({ accounts, harness }) {
    const key = await accounts.ensureOwner();
    const text = await harness.text();
    assert.ok(text.includes(hashKey(key)));
    assert.not.ok(text.includes(key));
  },

  async 'a later start keeps key and account'({ accounts, restart, harness }) {
    const key = await accounts.ensureOwner();
    const before = await harness.stored();
    assert.is(await (await restart()).ensureOwner(), key);
    assert.equal(await harness.stored(), before);
  },

  async 'a pause of an account holds over a restart until it is changed'({ accounts, restart, harness }) {
    await accounts.ensureOwner();
    let changes = 0;
    const unwatch = accounts.watch(() => {
      changes += 1;
    });
    const pause = { since: createdAt, seconds: 60 };
    await accounts.changePause('default', () => pause);
    await accounts.changePause('nobody', () => pause);
    unwatch();
    assert.ok(changes > 0);
    assert.equal([...accounts.pauses()], [['default', pause]]);
    const reopened = await restart();
    assert.equal([...reopened.pauses()], [['default', pause]]);
    await reopened.changePause('default', () => undefined);
    assert.equal([...reopened.pauses()], []);
    assert.is((await harness.stored()).accounts[0]?.pause, undefined);
  },

  async 'the time for which the hours do not count holds over a restart until it is changed'({
    accounts,
    restart,
    harness,
  }) {
    await accounts.ensureOwner();
    const span = { since: createdAt, seconds: 7200 };
    await accounts.changePause('default', () => ({ since: createdAt, seconds: null }));
    await accounts.changeOpenHours(() => span);
    await accounts.changePause('default', () => undefined);
    assert.equal(accounts.openHours(), span);
    const reopened = await restart();
    assert.equal(reopened.openHours(), span);
    await reopened.changeOpenHours(() => undefined);
    assert.is((await harness.stored()).accounts[0]?.openHours, undefined);
  },

  async 'the presets of an account hold over a restart until they are removed'({
    accounts,
    restart,
    harness,
  }) {
    await accounts.ensureOwner();
    const presets = { web: { output: { height: 720, label: 'a "quoted" ü' } }, other: { test: 1 } };
    await accounts.changePresets('default', () => presets);
    await accounts.changePause('default', () => ({ since: createdAt, seconds: null }));
    assert.equal(accounts.account('default')?.presets, presets);
    const reopened = await restart();
    assert.equal(reopened.account('default')?.presets, presets);
    await reopened.changePresets('default', ({ web: _, ...others }) => others);
    assert.equal(reopened.account('default')?.presets, { other: { test: 1 } });
    await reopened.changePresets('default', () => ({}));
    assert.is((await harness.stored()).accounts[0]?.presets, undefined);
  },

  async 'a key that is given at a later start is added, and older ones stay valid'(context) {
    assert.is(await context.accounts.ensureOwner('from-the-environment'), 'from-the-environment');
    const accounts = await context.restart();
    assert.is(await accounts.ensureOwner('another'), 'another');
    for (const key of ['from-the-environment', 'another'])
      assert.is(accounts.holderOf(key)?.account.id, 'default');
    assert.is(await (await context.restart()).ensureOwner(), 'another');
    assert.is((await context.harness.stored()).keys.length, 2);
  },

  async 'a key that is invalid in a header is rejected, and nothing is stored'({ accounts, restart }) {
    for (const key of ['', 'two words', 'line\nbreak', 'ключ', 'x'.repeat(256)]) {
      const error = await accounts.ensureOwner(key).catch((caught: unknown) => caught);
      assert.ok(isVencError(error, 'UsageError'));
      if (key !== '') assert.not.ok(error.message.includes(key));
    }
    assert.is((await restart()).account('default'), null);
  },

  async "a key of another account cannot become the owner's"({ accounts, restart, harness }) {
    await accounts.ensureOwner();
    const other = withAccount(await harness.stored(), otherAccount);
    const hash = hashKey('bkey');
    await harness.replace(withKey(other, { id: 'k2', accountId: 'a2', kind: 'full', hash, createdAt }));
    const again = await restart();
    assert.equal(again.holderOf('bkey')?.account, otherAccount);
    const error = await again.ensureOwner('bkey').catch((caught: unknown) => caught);
    assert.ok(isVencError(error, 'UsageError'));
  },

  async "a viewer key keeps its kind, and cannot become the owner's"({ accounts, restart, harness }) {
    await accounts.ensureOwner();
    await harness.replace(withKey(await harness.stored(), { ...readerKey, isViewer: true }));
    const again = await restart();
    assert.is(again.holderOf('reader')?.kind, 'viewer');
    const error = await again.ensureOwner('reader').catch((caught: unknown) => caught);
    assert.ok(isVencError(error, 'UsageError') && /can only read/.test(error.message));
    assert.ok((await harness.stored()).keys.some(({ kind, isViewer }) => kind === 'read-only' && isViewer));
  },

  async 'a change by another process is applied while the store is open'({ accounts, harness }) {
    const key = await accounts.ensureOwner();
    const before = await harness.stored();
    await harness.replace(withKey(before, readerKey));
    await waitUntil('the new key is known', () => accounts.holderOf('reader')?.kind === 'read-only');
    await harness.replace({ ...before, keys: [] });
    await waitUntil('the old key is forgotten', () => accounts.holderOf(key) === null);
  },

  async 'a change by another process is applied by a refresh'({ accounts, harness }) {
    await accounts.ensureOwner();
    await harness.replace(withKey(await harness.stored(), readerKey));
    await accounts.refresh();
    assert.is(accounts.holderOf('reader')?.keyId, 'k');
  },

  async 'a watch of a key is called once, when the key is revoked'({ accounts, harness }) {
    await accounts.ensureOwner();
    const before = await harness.stored();
    await harness.replace(withKey(before, readerKey));
    await accounts.refresh();
    const revoked: string[] = [];
    accounts.watchKey('k', () => revoked.push('watched'));
    accounts.watchKey('k', () => revoked.push('ended'))();
    accounts.watchKey('none', () => revoked.push('unknown'));
    assert.equal(revoked, ['unknown']);
    for (const document of [before, { ...before, keys: [] }]) {
      await harness.replace(document);
      await accounts.refresh();
    }
    assert.equal(revoked, ['unknown', 'watched']);
  },

  async 'a key that has expired has no holder, and its expiry is known'({ accounts, harness }) {
    const ownerKey = await accounts.ensureOwner();
    const before = await harness.stored();
    const expiresAt = '2024-06-01T00:00:00.000Z';
    const later = new Date(Date.now() + 3_600_000).toISOString();
    const expiring = withKey(before, { ...readerKey, name: 'ci', expiresAt: later });
    const expired = {
      id: 'e',
      accountId: 'default',
      kind: 'full',
      hash: hashKey('expired'),
      createdAt,
    } as const;
    const all = withKey(expiring, { ...expired, expiresAt });
    await harness.replace(withWorkerKey(all, { ...workerKey, expiresAt }));
    await accounts.refresh();
    assert.is(accounts.holderOf('reader')?.keyId, 'k');
    assert.equal(
      [accounts.holderOf('expired'), accounts.workerKeyOf(accounts.digestOf('vencw_1'))],
      [null, null],
    );
    const expiryOf = (key: string) => accounts.expiryOf(accounts.digestOf(key))?.toISOString() ?? null;
    assert.equal(['expired', 'vencw_1', 'reader', 'unknown', ownerKey].map(expiryOf), [
      ...[expiresAt, expiresAt],
      ...[null, null, null],
    ]);
    const ended: string[] = [];
    for (const id of ['e', 'w', 'k']) accounts.watchKey(id, () => ended.push(id));
    assert.equal(ended, ['e', 'w'], 'a watch of an expired key ends at once');
    assert.equal((await harness.stored()).keys.find(({ id }) => id === 'k')?.expiresAt, later);
    assert.equal((await harness.stored()).keys.find(({ id }) => id === 'k')?.name, 'ci');
  },

  async 'a watch ends when its key expires'({ accounts, harness }) {
    await accounts.ensureOwner();
    const expiresAt = new Date(Date.now() + 300).toISOString();
    await harness.replace(withKey(await harness.stored(), { ...readerKey, expiresAt }));
    await accounts.refresh();
    let endedAt = 0;
    accounts.watchKey('k', () => {
      endedAt = Date.now();
    });
    await waitUntil('the watch has ended', () => endedAt > 0);
    assert.ok(endedAt >= Date.parse(expiresAt) && accounts.holderOf('reader') === null);
  },

  async "a retired key is not made the owner's again"({ accounts, restart, harness }) {
    const first = await accounts.ensureOwner('first');
    const document = await harness.stored();
    await harness.replace(
      withRetiredKey(document, hashKey(first), new Date(Date.now() + 60_000).toISOString()),
    );
    const again = await restart();
    assert.is(again.holderOf('first')?.account.id, 'default', 'it is valid until it expires');
    const second = await again.ensureOwner('first');
    assert.is.not(second, 'first');
    assert.is(await (await restart()).ensureOwner('first'), second);
    const stored = await harness.stored();
    assert.equal([stored.retired, stored.keys.length], [[hashKey('first')], 2]);
    const withoutFirst = { ...stored, keys: stored.keys.filter(({ hash }) => hash !== hashKey('first')) };
    await harness.replace(withoutFirst);
    const last = await restart();
    assert.is(await last.ensureOwner('first'), second, 'also if it was revoked');
    assert.is(last.holderOf('first'), null);
  },

  async "a key that expires cannot become the owner's"({ accounts, restart, harness }) {
    await accounts.ensureOwner();
    const expiresAt = new Date(Date.now() + 60_000).toISOString();
    const key = { id: 'k2', accountId: 'default', kind: 'full', hash: hashKey('short'), createdAt } as const;
    await harness.replace(withKey(await harness.stored(), { ...key, expiresAt }));
    const error = await (await restart()).ensureOwner('short').catch((caught: unknown) => caught);
    assert.ok(isVencError(error, 'UsageError') && /expires/.test(error.message));
  },

  async 'each of a thousand keys belongs to its own account and no other'({ restart, harness }) {
    const ids = Array.from({ length: 1000 }, (_, index) => String(index));
    await harness.replace({
      accounts: ids.map((id) => ({ ...otherAccount, id, name: `a${id}` })),
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
  },

  async 'a key of a removed account has no holder'({ accounts, restart, harness }) {
    const key = await accounts.ensureOwner();
    await harness.replace({ ...(await harness.stored()), accounts: [] });
    assert.is((await restart()).holderOf(key), null);
  },

  async 'a worker key belongs to no account, and the key of an account is no worker key'(context) {
    const key = await context.accounts.ensureOwner();
    const before = await context.harness.stored();
    await context.harness.replace(withWorkerKey(before, workerKey));
    const accounts = await context.restart();
    assert.equal(accounts.workerKeyOf(accounts.digestOf('vencw_1')), { keyId: 'w' });
    assert.is(accounts.holderOf('vencw_1'), null);
    for (const other of [key, 'vencw_2']) assert.is(accounts.workerKeyOf(accounts.digestOf(other)), null);
    assert.equal(await context.harness.stored(), withWorkerKey(before, workerKey));
  },

  async 'a worker key that another process adds and revokes is known in between'({ accounts, harness }) {
    const key = await accounts.ensureOwner();
    const digest = accounts.digestOf('vencw_1');
    const revoked: string[] = [];
    accounts.watchKey('w', () => revoked.push('unknown'));
    const added = withWorkerKey(await harness.stored(), workerKey);
    await harness.replace(added);
    await waitUntil('the worker key is known', () => accounts.workerKeyOf(digest)?.keyId === 'w');
    accounts.watchKey('w', () => revoked.push('watched'));
    accounts.watchKey('w', () => revoked.push('ended'))();
    assert.equal(revoked, ['unknown']);
    await harness.replace(withoutKey(added, 'w'));
    await waitUntil('the worker key is forgotten', () => accounts.workerKeyOf(digest) === null);
    assert.equal(revoked, ['unknown', 'watched']);
    assert.is(accounts.holderOf(key)?.account.id, 'default');
  },

  async 'the last uses of keys of accounts and workers are stored'({ accounts, harness }) {
    const keyId = accounts.holderOf(await accounts.ensureOwner())?.keyId ?? '';
    const before = await harness.stored();
    const unused = { ...workerKey, id: 'unused', hash: hashKey('vencw_2') };
    await harness.replace(withWorkerKey(withWorkerKey(before, workerKey), unused));
    await accounts.refresh();
    for (const id of [keyId, 'w', 'none']) accounts.recordUse(id);
    await accounts.close();
    const uses = await harness.keyUses();
    assert.equal(Object.keys(uses).sort(), [keyId, 'w'].sort());
    for (const time of Object.values(uses)) assert.match(time, /^\d{4}-\d\d-\d\dT[\d:.]+Z$/);
  },

  async "a worker key cannot become the owner's"({ accounts, restart, harness }) {
    const key = await accounts.ensureOwner();
    await harness.replace(withWorkerKey(await harness.stored(), workerKey));
    const again = await restart();
    const error = await again.ensureOwner('vencw_1').catch((caught: unknown) => caught);
    assert.ok(isVencError(error, 'UsageError'));
    assert.match(error.message, 'worker key');
    assert.is(await again.ensureOwner(), key);
  },
};
