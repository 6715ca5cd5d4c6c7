import { spawn } from 'node:child_process';
import { EventEmitter, once } from 'node:events';
import { createReadStream } from 'node:fs';
import { connect, createServer } from 'node:net';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { setTimeout as pause, setImmediate as tick } from 'node:timers/promises';
import { createGzip } from 'node:zlib';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import {
  currentScope,
  type ErrorScope,
  inScope,
  moveToScope,
  runInErrorScope,
  scopeOfUncaught,
} from '../../../src/shared/util/error-scope.js';

const test = suite('error scopes');
const scopeOf = (id: number): ErrorScope => ({ job: { id }, fail: () => undefined });

/** Resolves to the job of the next error that nobody catches, while a task runs in the scope of job 1 and one in that of job 2. */
async function jobOfUncaught(task: () => unknown): Promise<number | undefined> {
  const other = runInErrorScope(scopeOf(2), () => pause(20));
  const found = new Promise<number | undefined>((resolve) => {
    const onException = (error: unknown) => settle(scopeOfUncaught(error, null)?.job.id);
    const onRejection = (error: unknown, promise: Promise<unknown>) =>
      settle(scopeOfUncaught(error, promise)?.job.id);
    const settle = (id: number | undefined) => {
      process.off('uncaughtException', onException).off('unhandledRejection', onRejection);
      resolve(id);
    };
    process.on('uncaughtException', onException).on('unhandledRejection', onRejection);
  });
  const run = runInErrorScope(scopeOf(1), async () => {
    await tick();
    await task();
    await found;
  });
  await Promise.all([run, other]);
  return found;
}

const fail = (): never => {
  throw new Error('nobody catches this');
};

const readThisFile = () => createReadStream(new URL(import.meta.url), { highWaterMark: 100 });

const cases: Readonly<Record<string, () => unknown>> = {
  'a timer': () => setTimeout(inScope(fail), 1),
  'a timer that a timer has set': () =>
    setTimeout(
      inScope(() => setTimeout(inScope(fail), 1)),
      1,
    ),
  'a rejected promise': () => void Promise.reject(new Error('left alone')),
  'a rejected promise after other waits': () =>
    void (async () => {
      await pause(2);
      await tick();
      fail();
    })(),
  'a rejected promise that a timer has left': () =>
    setTimeout(
      inScope(() => void pause(1).then(fail)),
      1,
    ),
  'a file': () => readThisFile().on('data', fail),
  'the end of a file': () => readThisFile().once('close', fail).resume(),
  'a stream in a pipeline': () => {
    const gzip = createGzip();
    gzip.once('finish', fail);
    pipeline(readThisFile(), gzip.resume()).catch(() => undefined);
  },
  'an iteration': () =>
    Readable.from(
      (async function* () {
        yield 'a';
        await tick();
        yield 'b';
        void Promise.reject(new Error('left alone'));
        yield 'c';
      })(),
    ).resume(),
  'a value that is no error': () =>
    setTimeout(
      inScope(() => Reflect.apply(fail2, null, [])),
      1,
    ),
  'the output of a program': () => spawn('echo', ['a']).stdout.on('data', fail),
  'the end of a program': () => spawn('true').once('exit', fail),
  'an emitter in an event of another': () =>
    readThisFile().once('open', () => {
      const emitter = new EventEmitter().on('ready', fail);
      setImmediate(() => emitter.emit('ready'));
    }),
  'a connection': async () => {
    const server = createServer((socket) => socket.end('a')).listen(0, '127.0.0.1');
    await once(server, 'listening');
    connect((server.address() as { port: number }).port, '127.0.0.1')
      .on('data', fail)
      .once('close', () => server.close());
  },
};

function fail2(): never {
  throw 'a text';
}

for (const [name, task] of Object.entries(cases))
  test(`an error of ${name} belongs to the task that has created it`, async () => {
    assert.is(await jobOfUncaught(task), 1);
  });

test('an emitter that is used again belongs to the task that uses it', async () => {
  let kept = new EventEmitter();
  await runInErrorScope(scopeOf(3), async () => {
    kept = new EventEmitter().on('ready', fail);
  });
  const use = () => {
    moveToScope(kept);
    setImmediate(() => kept.emit('ready'));
  };
  assert.is(await jobOfUncaught(use), 1);
});

test('code outside of tasks has no scope, while tasks run and after them', async () => {
  assert.is(await jobOfUncaught(() => setTimeout(fail, 1)), undefined);
  let isRunning = true;
  const run = runInErrorScope(scopeOf(1), async () => {
    assert.is(currentScope()?.job.id, 1);
    await pause(5);
    assert.is(currentScope()?.job.id, 1);
    isRunning = false;
  });
  while (isRunning) {
    assert.is(currentScope(), undefined);
    await tick();
  }
  await run;
  assert.is(currentScope(), undefined);
  assert.not(Object.hasOwn(new EventEmitter(), 'emit'));
});

test.run();
