import { spawnSync } from 'node:child_process';
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { dataLayout, jobLogFile } from '../../../daemon/store/data-folder/layout.js';
import type { LogStore } from '../../../daemon/store/log-store.js';
import { createFileLogStore, type FileLogStoreOptions } from '../../../daemon/store/logs/file-log-store.js';
import { type Disk, realDisk } from '../../../src/shared/util/disk.js';
import type { LogEntry } from '../../../src/shared/util/log.js';
import { tempFolder } from '../../helpers/temp.js';

interface Context {
  folder: string;
  layout: FileLogStoreOptions['layout'];
  jobs: Set<number>;
  errors: unknown[];
  open: (options?: Partial<FileLogStoreOptions>) => LogStore;
}

const test = suite<Context>('the files of logs');

test.before.each((context) => {
  context.folder = tempFolder();
  context.layout = dataLayout(context.folder);
  context.jobs = new Set([1, 2]);
  context.errors = [];
  context.open = (options = {}) =>
    createFileLogStore({
      layout: context.layout,
      disk: realDisk,
      hasJob: async (id) => context.jobs.has(id),
      createdAtOf: async () => null,
      onStateChange: (error) => context.errors.push(error),
      ...options,
    });
});

const entry = (message: string, more: Partial<LogEntry> = {}): LogEntry => ({
  time: '2026-03-01T12:00:00.000Z',
  level: 'info',
  message,
  ...more,
});
const messagesOf = async (store: LogStore, name: number | 'daemon') =>
  (await store.read(name)).map(({ message }) => message);

test('a line is in the log of its job and in that of the daemon, a detail only in that of its job', async (context) => {
  const store = context.open();
  store.add(entry('started', { jobId: 1 }));
  store.add(entry('failed', { jobId: 1, outputId: 3, isDetail: true, stderr: ['one', 'two'] }));
  store.add(entry('other', { jobId: 2 }));
  store.add(entry('stops'));
  assert.equal(await messagesOf(store, 1), ['started', 'failed']);
  assert.equal(await messagesOf(store, 'daemon'), ['started', 'other', 'stops']);
  await store.close();
  const reopened = context.open();
  const [, failed] = await reopened.read(1);
  assert.equal(failed?.stderr, ['one', 'two']);
  assert.is(failed?.output_id, 3);
  assert.equal(await messagesOf(reopened, 'daemon'), ['started', 'other', 'stops']);
  for (const path of [context.layout.daemonLog, jobLogFile(context.layout, 1)])
    assert.is(statSync(path).mode & 0o777, 0o600, path);
  assert.is(statSync(dirname(jobLogFile(context.layout, 1))).mode & 0o777, 0o700);
});

test('no file stays open, however many jobs log', async (context) => {
  const store = context.open({ hasJob: async () => true });
  for (let id = 1; id <= 300; id += 1) store.add(entry('accepted', { jobId: id }));
  await store.close();
  const open = readdirSync('/proc/self/fd').map((fd) => {
    try {
      return readlinkSync(`/proc/self/fd/${fd}`);
    } catch {
      return '';
    }
  });
  assert.equal(
    open.filter((path) => path.startsWith(context.folder)),
    [],
  );
  assert.is(readdirSync(join(context.layout.jobLogs, '0')).length, 300);
});

test('the log of a job begins with its acceptance, which is not stored', async (context) => {
  const time = '2026-03-01T11:00:00.000Z';
  const accepted = {
    id: String(Date.parse(time) * 1000),
    time,
    level: 'info',
    message: 'Job 1 is accepted.',
    job_id: 1,
  };
  const createdAtOf = async (id: number) => (context.jobs.has(id) ? time : null);
  const store = context.open({ createdAtOf });
  store.add(entry('Job 1 is accepted.', { jobId: 1, isImplied: true }));
  assert.equal(await store.read(1), [accepted]);
  assert.equal(await store.read(3), []);
  assert.not.ok(existsSync(jobLogFile(context.layout, 1)));
  assert.equal(await messagesOf(store, 'daemon'), ['Job 1 is accepted.']);
  store.add(entry('started', { jobId: 1 }));
  assert.equal(await messagesOf(store, 1), ['Job 1 is accepted.', 'started']);
  // Files of older versions have the line.
  store.add(entry('Job 2 is accepted.', { jobId: 2 }));
  assert.equal(await messagesOf(store, 2), ['Job 2 is accepted.']);
  await store.close();
});

test('a long log of a job keeps its first and last lines, and says that lines are missing', async (context) => {
  const limits = { jobBytes: 8192, daemonBytes: 100_000 };
  const store = context.open({ limits });
  for (let line = 0; line < 1000; line += 1) {
    store.add(entry(`line ${line} ${'x'.repeat(50)}`, { jobId: 1 }));
    if (line % 20 === 0) await store.read(1);
  }
  const messages = await messagesOf(store, 1);
  assert.ok(statSync(jobLogFile(context.layout, 1)).size <= limits.jobBytes + 20 * 200);
  assert.match(messages[0] ?? '', /^line 0 /);
  assert.match(messages.at(-1) ?? '', /^line 999 /);
  assert.ok(messages.some((message) => message.startsWith('Lines were left out here')));
  assert.ok(messages.filter((message) => message.startsWith('line ')).length < 100);
  await store.close();
});

test('the log of the daemon has two parts of limited size', async (context) => {
  const store = context.open({ limits: { jobBytes: 8192, daemonBytes: 4096 } });
  for (let line = 0; line < 500; line += 1) {
    store.add(entry(`line ${line} ${'x'.repeat(50)}`));
    if (line % 5 === 0) await store.read('daemon');
  }
  const messages = await messagesOf(store, 'daemon');
  assert.match(messages.at(-1) ?? '', /^line 499 /);
  const { daemonLog, earlierDaemonLog } = context.layout;
  for (const path of [daemonLog, earlierDaemonLog].filter((one) => existsSync(one)))
    assert.ok(statSync(path).size <= 4096 + 5 * 200, path);
  assert.ok(existsSync(earlierDaemonLog));
  await store.close();
});

test('after a part of a line, as a crash leaves it, the next line is whole, and lines of others are left out', async (context) => {
  const path = jobLogFile(context.layout, 1);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(
    path,
    'by hand\n{"id":"1","time":"t","level":"loud","message":"m"}\n{"id":"2","time":"2026-0',
  );
  const store = context.open();
  store.add(entry('whole', { jobId: 1 }));
  assert.equal(await messagesOf(store, 1), ['whole']);
  await store.close();
  assert.match(readFileSync(path, 'utf8'), /^by hand\n.*\n\{"id":"2","time":"2026-0\n\{.*"whole".*\}\n$/s);
});

test('anything else in place of the files neither breaks the store nor fails a call', async (context) => {
  const { layout } = context;
  mkdirSync(layout.daemonLog, { recursive: true });
  mkdirSync(join(layout.jobLogs, '0'), { recursive: true });
  assert.is(spawnSync('mkfifo', [jobLogFile(layout, 1)]).status, 0);
  appendFileSync(join(layout.jobLogs, '0', 'notes.txt'), 'of somebody');
  writeFileSync(join(layout.jobLogs, 'lost'), '');
  const store = context.open();
  store.add(entry('one', { jobId: 1 }));
  store.add(entry('two', { jobId: 2 }));
  assert.equal(await messagesOf(store, 1), []);
  assert.equal(await messagesOf(store, 2), ['two']);
  assert.equal(await messagesOf(store, 'daemon'), []);
  await store.removeOrphans();
  assert.ok(existsSync(join(layout.jobLogs, '0', 'notes.txt')));
  await store.close();
  assert.ok(context.errors.length > 0);
});

test('a full disk loses lines and nothing else, and is reported when it begins and when it ends', async (context) => {
  let isFull = false;
  const disk: Disk = {
    ...realDisk,
    append: async (path, lines) => {
      if (!isFull) return realDisk.append(path, lines);
      appendFileSync(path, lines.slice(0, 10));
      throw Object.assign(new Error('no space left on device'), { code: 'ENOSPC' });
    },
  };
  const store = context.open({ disk, recoveryMs: 0 });
  store.add(entry('before', { jobId: 1 }));
  assert.equal(await messagesOf(store, 1), ['before']);
  isFull = true;
  for (let line = 0; line < 3; line += 1) {
    store.add(entry('lost', { jobId: 1 }));
    assert.equal(await messagesOf(store, 1), ['before']);
  }
  isFull = false;
  store.add(entry('after', { jobId: 1 }));
  assert.equal(await messagesOf(store, 1), ['before', 'after']);
  assert.is(context.errors.length, 2);
  assert.is((context.errors[0] as { code?: string }).code, 'ENOSPC');
  assert.is(context.errors[1], null);
  await store.close();
});

test('a disk on which some writes fail is reported once, not at every turn', async (context) => {
  let count = 0;
  mkdirSync(dirname(jobLogFile(context.layout, 1)), { recursive: true });
  const disk: Disk = {
    ...realDisk,
    append: async (path, lines) => {
      count += 1;
      if (count % 2 === 0) return realDisk.append(path, lines);
      throw Object.assign(new Error('no space left on device'), { code: 'ENOSPC' });
    },
  };
  const store = context.open({ disk });
  for (let line = 0; line < 10; line += 1) {
    store.add(entry('line', { jobId: 1, isDetail: true }));
    await store.read(1);
  }
  assert.is(context.errors.length, 1);
  assert.is((await store.read(1)).length, 5);
  await store.close();
});

test('lines that a hanging disk does not take are dropped beyond a limit', async (context) => {
  let release = (): void => {};
  const hanging = new Promise<void>((resolve) => {
    release = resolve;
  });
  const written: string[] = [];
  const disk: Disk = {
    ...realDisk,
    append: async (_, lines) => {
      await hanging;
      written.push(lines);
      return lines.length;
    },
  };
  const store = context.open({ disk });
  for (let line = 0; line < 3000; line += 1) store.add(entry('x'.repeat(1000)));
  release();
  await store.close();
  assert.ok(written.join('').length < 1.1 * 1024 * 1024, String(written.join('').length));
});

test('the log of a removed job is gone and does not come back, and a start removes what a crash left', async (context) => {
  const store = context.open();
  store.add(entry('one', { jobId: 1 }));
  store.add(entry('two', { jobId: 2 }));
  await store.read(1);
  await store.read(2);
  context.jobs.delete(1);
  await store.removeJob(1);
  store.add(entry('Job 1 is removed.', { jobId: 1 }));
  await store.close();
  assert.not(existsSync(jobLogFile(context.layout, 1)));
  context.jobs.delete(2);
  const next = context.open();
  await next.removeOrphans();
  assert.not(existsSync(jobLogFile(context.layout, 2)));
  await next.close();
});

test('listeners get each line with the id under which it is stored, and ids grow', async (context) => {
  const store = context.open();
  const seen: string[] = [];
  const unwatch = store.watch((name, line) => seen.push(`${name} ${line.id}`));
  store.add(entry('one', { jobId: 1 }));
  store.add(entry('two', { jobId: 1, isDetail: true }));
  const ids = (await store.read(1)).map(({ id }) => id);
  assert.equal(seen, [`daemon ${ids[0]}`, `1 ${ids[0]}`, `1 ${ids[1]}`]);
  assert.ok(Number(ids[1]) > Number(ids[0]));
  unwatch();
  store.add(entry('three'));
  assert.is(seen.length, 3);
  await store.close();
});

test.run();
