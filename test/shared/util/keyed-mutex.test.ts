import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { KeyedMutex } from '../../../src/shared/util/semaphore.js';
import { settleEventLoop } from '../../helpers/wait-until.js';

const test = suite('a keyed mutex');

/** A task that ends when `finish` is called. */
function manualTask(name: string, begun: string[]) {
  let finish = (_error?: Error) => {};
  const task = () => {
    begun.push(name);
    return new Promise<string>((resolve, reject) => {
      finish = (error) => (error === undefined ? resolve(name) : reject(error));
    });
  };
  return { task, finish: (error?: Error) => finish(error) };
}

const settle = () => settleEventLoop(async () => {});

test('runs the tasks of one key one after the other, in the order of the calls', async () => {
  const mutex = new KeyedMutex<number>();
  const begun: string[] = [];
  const [first, second] = [manualTask('first', begun), manualTask('second', begun)];
  const results = [mutex.runExclusive(1, first.task), mutex.runExclusive(1, second.task)];
  await settle();
  assert.equal(begun, ['first']);
  first.finish();
  await settle();
  assert.equal(begun, ['first', 'second']);
  second.finish();
  assert.equal(await Promise.all(results), ['first', 'second']);
});

test('runs the tasks of different keys concurrently', async () => {
  const mutex = new KeyedMutex<number>();
  const begun: string[] = [];
  const [one, other] = [manualTask('one', begun), manualTask('other', begun)];
  const results = [mutex.runExclusive(1, one.task), mutex.runExclusive(2, other.task)];
  await settle();
  assert.equal(begun, ['one', 'other']);
  one.finish();
  other.finish();
  await Promise.all(results);
});

test('runs the next task even if the one before failed', async () => {
  const mutex = new KeyedMutex<number>();
  const begun: string[] = [];
  const failing = manualTask('failing', begun);
  const failed = mutex.runExclusive(1, failing.task);
  const next = mutex.runExclusive(1, async () => 'next');
  failing.finish(new Error('failed'));
  await failed.then(
    () => assert.unreachable(),
    (error) => assert.is(error.message, 'failed'),
  );
  assert.is(await next, 'next');
});

test('is idle, and its keys are unlocked, once all tasks have settled', async () => {
  const mutex = new KeyedMutex<number>();
  const { task, finish } = manualTask('task', []);
  void mutex.runExclusive(1, task);
  let isIdle = false;
  const idle = mutex.idle().then(() => {
    isIdle = true;
  });
  await settle();
  assert.ok(mutex.isLocked(1));
  assert.not(mutex.isLocked(2));
  assert.not(isIdle);
  finish();
  await idle;
  assert.not(mutex.isLocked(1));
});

test.run();
