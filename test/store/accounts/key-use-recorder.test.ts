import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { openAccounts } from '../../../daemon/store/accounts/accounts.js';
import { folderSetup } from '../../../daemon/store/accounts/folder-setup.js';
import {
  addKeyUses,
  KeyUseRecorder,
  keyUsesDocument,
} from '../../../daemon/store/accounts/key-use-recorder.js';
import { tempFolder } from '../../helpers/temp.js';
import { waitUntil } from '../../helpers/wait-until.js';

interface Context {
  path: string;
  errors: unknown[];
  /** A recorder that collects uses for the given times, the first of them separately. */
  uses: (batchMs?: number, firstMs?: number) => KeyUseRecorder;
}

const test = suite<Context>('last uses of keys');

test.before.each((context) => {
  context.path = join(tempFolder(), 'key-uses.json');
  context.errors = [];
  context.uses = (batchMs = 60_000, firstMs = 60_000) =>
    new KeyUseRecorder({
      write: (uses) => addKeyUses(context.path, uses, (id) => id !== 'revoked'),
      onError: (error) => context.errors.push(error),
      flushIntervalMs: batchMs,
      firstFlushMs: firstMs,
    });
});

test('nothing is written if no key was used', async ({ uses, path }) => {
  await uses().close();
  assert.not.ok(existsSync(path));
});

test('many uses are one write, and the last one of each key counts', async ({ uses, path }) => {
  const began = Date.now();
  const noted = uses(0, 5);
  for (let count = 0; count < 10_000; count += 1) noted.record(count % 2 === 0 ? 'even' : 'odd');
  await waitUntil('they are written', () => existsSync(path));
  const { ino } = statSync(path);
  await noted.close();
  assert.is(statSync(path).ino, ino, 'nothing is written at the close');
  const times = await keyUsesDocument(path).load();
  assert.equal(Object.keys(times).sort(), ['even', 'odd']);
  for (const time of Object.values(times)) {
    assert.ok(Date.parse(time) >= began && Date.parse(time) <= Date.now());
  }
  assert.is(statSync(path).mode & 0o777, 0o600);
});

test('the first use is written soon, and the next ones are collected', async ({ uses, path }) => {
  const noted = uses(60_000, 1);
  noted.record('first');
  await waitUntil('it is written', () => existsSync(path));
  noted.record('second');
  const { ino } = statSync(path);
  await new Promise((resolve) => setTimeout(resolve, 20));
  assert.is(statSync(path).ino, ino);
  await noted.close();
  assert.equal(Object.keys(await keyUsesDocument(path).load()).sort(), ['first', 'second']);
});

test('collected uses are written at the close, in addition to earlier ones', async ({ uses, path }) => {
  writeFileSync(path, '{"before":"2024-01-01T00:00:00.000Z","later":"2024-01-01T00:00:00.000Z"}');
  const noted = uses();
  noted.record('later');
  assert.match(readFileSync(path, 'utf8'), /"later":"2024-01-01/);
  await noted.close();
  const times = await keyUsesDocument(path).load();
  assert.is(times.before, '2024-01-01T00:00:00.000Z');
  assert.ok(Date.parse(times.later ?? '') > Date.parse('2024-01-02'));
});

test('removed keys are dropped at the next write', async ({ uses, path }) => {
  writeFileSync(path, '{"revoked":"2024-01-01T00:00:00.000Z"}');
  const noted = uses();
  noted.record('good');
  noted.record('revoked');
  await noted.close();
  assert.equal(Object.keys(await keyUsesDocument(path).load()), ['good']);
});

for (const text of ['', '{"a":', '[]', '{"a":1}']) {
  test(`a damaged file counts as empty and is moved aside by the next write: ${text}`, async ({
    uses,
    path,
  }) => {
    writeFileSync(path, text);
    assert.equal(await keyUsesDocument(path).load(), {});
    const noted = uses();
    noted.record('a');
    await noted.close();
    assert.equal(Object.keys(await keyUsesDocument(path).load()), ['a']);
    assert.is(readFileSync(`${path}.damaged`, 'utf8'), text);
  });
}

test('a file that cannot be written is reported, and blocks nothing', async ({ errors }) => {
  const path = join(tempFolder(), 'no', 'such', 'folder');
  const onError = (error: unknown) => errors.push(error);
  const noted = new KeyUseRecorder({ write: (uses) => addKeyUses(path, uses, () => true), onError });
  noted.record('a');
  await noted.close();
  assert.is(errors.length, 1);
});

test('closing the accounts of a daemon writes the uses of their keys', async () => {
  const folder = tempFolder();
  const accounts = await openAccounts(folderSetup(folder), { log: () => undefined });
  const key = await accounts.ensureOwner();
  const keyId = accounts.holderOf(key)?.keyId ?? '';
  accounts.recordUse(keyId);
  accounts.recordUse('none');
  await accounts.close();
  assert.equal(Object.keys(await keyUsesDocument(join(folder, 'key-uses.json')).load()), [keyId]);
});

test.run();
