import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { lockDataFolder } from '../../../daemon/store/data-folder/lock.js';
import { isVencError } from '../../../src/shared/errors.js';
import { tempFolder } from '../../helpers/temp.js';

interface Context {
  folder: string;
  path: string;
}

const test = suite<Context>('the lock of a data folder');
const program = fileURLToPath(new URL('../../helpers/store-child.js', import.meta.url));

test.before.each((context) => {
  context.folder = tempFolder();
  context.path = join(context.folder, 'lock');
});

const rejection = (folder: string) => lockDataFolder(folder).catch((error: unknown) => error);

test('it names its process, only the owner can read it, and it is removed at the release', async (context) => {
  const lock = await lockDataFolder(context.folder);
  assert.is(Number.parseInt(readFileSync(context.path, 'utf8'), 10), process.pid);
  assert.is(statSync(context.path).mode & 0o777, 0o600);
  await lock.release();
  assert.equal(readdirSync(context.folder), []);
  await (await lockDataFolder(context.folder)).release();
});

test('a second process is rejected while the first lives, and not after it was killed', async ({
  folder,
}) => {
  const child = spawn(process.execPath, [program, folder, 'lock'], { stdio: ['pipe', 'pipe', 'inherit'] });
  const exited = once(child, 'exit');
  await once(child.stdout, 'data');
  const error = await rejection(folder);
  assert.ok(isVencError(error, 'InUseError'));
  assert.ok(error.message.includes(folder) && error.message.includes(String(child.pid)));
  child.kill('SIGKILL');
  await exited;
  await (await lockDataFolder(folder)).release();
});

for (const { what, text } of [
  { what: 'whose pid is unused', text: '4194304 17\n' },
  { what: 'whose pid was reused by another process', text: `${process.pid} 17\n` },
  { what: 'that is empty', text: '' },
  { what: 'in an unknown format', text: 'hello\n' },
]) {
  test(`a lock ${what} blocks nobody`, async ({ folder, path }) => {
    writeFileSync(path, text);
    const lock = await lockDataFolder(folder);
    assert.is(Number.parseInt(readFileSync(path, 'utf8'), 10), process.pid);
    await lock.release();
    assert.equal(readdirSync(folder), []);
  });
}

test('if many processes find a dead lock, only one gets the folder, in any order', async () => {
  for (let round = 0; round < 12; round += 1) {
    const folder = tempFolder();
    writeFileSync(join(folder, 'lock'), '4194304 17\n');
    const processes = Array.from({ length: 8 }, async (_, position) => {
      for (let turn = 0; turn < (position * round) % 12; turn += 1) await setImmediate();
      return lockDataFolder(folder);
    });
    const outcomes = await Promise.allSettled(processes);
    assert.is(outcomes.filter(({ status }) => status === 'fulfilled').length, 1);
    for (const outcome of outcomes) {
      if (outcome.status === 'rejected') assert.ok(isVencError(outcome.reason, 'InUseError'));
    }
    assert.equal(readdirSync(folder), ['lock']);
  }
});

test('a process that died while it removed a dead lock blocks nobody', async ({ folder, path }) => {
  for (const name of [path, `${path}+`, `${path}++`]) writeFileSync(name, '4194304 17\n');
  const lock = await lockDataFolder(folder);
  await lock.release();
  assert.equal(readdirSync(folder), []);
});

test('a missing folder is created, accessible only to the owner', async ({ folder }) => {
  const deep = join(folder, 'a', 'b');
  await lockDataFolder(deep);
  assert.is(statSync(deep).mode & 0o777, 0o700);
});

test('a data folder that is a file, or below a file, is a usage error that names it', async ({ folder }) => {
  const file = join(folder, 'file');
  writeFileSync(file, '');
  for (const path of [file, join(file, 'data')]) {
    const error = await rejection(path);
    assert.ok(isVencError(error, 'UsageError'));
    assert.ok(error.message.includes(path));
  }
});

test('a folder that cannot be locked because of another error is not reported as in use', async ({
  folder,
  path,
}) => {
  mkdirSync(path);
  const error = await rejection(folder);
  assert.instance(error, Error);
  assert.not.ok(isVencError(error, 'InUseError'));
});

test.run();
