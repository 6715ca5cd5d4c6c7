import { createHash, randomBytes } from 'node:crypto';
import { chmod, copyFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { openFfmpeg } from '../../daemon/ffmpeg/index.js';
import type { JobRecord } from '../../src/shared/records.js';
import { startTestDaemon, type TestDaemon } from '../helpers/daemon.js';
import { media } from '../helpers/media.js';
import { startTcpRelay } from '../helpers/servers/tcp-relay.js';
import { tempFolder } from '../helpers/temp.js';
import { waitUntil } from '../helpers/wait-until.js';
import { createWorkerKey, killWorkers, startWorker } from '../helpers/worker-process.js';

const test = suite<{ daemon: TestDaemon; token: string; root: string; input: string }>(
  'workers with a bad machine or a bad link',
);

test.before(async (context) => {
  context.root = tempFolder();
  context.daemon = await startTestDaemon({ jobs: 0, allowPrivateNetwork: true, filesRoots: [context.root] });
  context.token = await createWorkerKey(context.daemon.dataFolder);
  context.input = pathToFileURL(join(context.root, 'in.mp4')).href;
  await copyFile(await media('clip.mp4'), join(context.root, 'in.mp4'));
});
test.after.each(killWorkers);
test.after(({ daemon }) => daemon.stop());

const logOf = async (daemon: TestDaemon, id: number) =>
  (await daemon.request(`/v2/jobs/${id}/log.txt`)).text();

test('an upload and a hosted output that are cut in the middle continue behind the last byte', async ({
  daemon,
  token,
}) => {
  const bytes = randomBytes(20_000_000);
  const uploaded = await daemon.request('/v2/uploads/film.bin', { method: 'PUT', body: bytes });
  const { url } = (await uploaded.json()) as { url: string };
  const relay = await startTcpRelay(Number(new URL(daemon.url).port), {
    cutAfterBytes: { bytes: 8_000_000, connections: 4 },
  });
  const worker = startWorker(`http://127.0.0.1:${relay.port}`, token);
  const id = await daemon.create({ input: url, outputs: [{ type: 'transfer-only' }] });
  const job = await daemon.waitForJob(id);
  assert.is(job.state, 'finished', await logOf(daemon, id));
  assert.is(relay.cutCount, 4);
  const delivered = Buffer.from(await (await fetch(job.output_media_files[0]?.url ?? '')).arrayBuffer());
  assert.is(md5Of(delivered), md5Of(bytes));
  assert.is(job.output_media_files[0]?.md5_checksum, md5Of(bytes));
  // Each file passes once; of a transfer that was cut, only what was on its way passes again.
  assert.ok(relay.passedBytes < 2.5 * bytes.length, `${relay.passedBytes} bytes have passed`);
  // A worker that is killed counts as connected for a while.
  await worker.end('SIGTERM');
  await relay.close();
});

function md5Of(bytes: Buffer): string {
  return createHash('md5').update(bytes).digest('hex');
}

test('a worker whose ffmpeg has not the codec is never given the job, and the log says why the job waits', async ({
  daemon,
  token,
  input,
}) => {
  const { report } = await openFfmpeg({ cacheFolder: join(tempFolder(), 'cache') });
  const path = report.ffmpeg?.path ?? '';
  const lacking = join(tempFolder(), 'ffmpeg');
  const script = `#!/bin/sh\ncase "$*" in *-encoders*) "${path}" "$@" | grep -v libvpx ;; *) exec "${path}" "$@" ;; esac\n`;
  await writeFile(lacking, script);
  await chmod(lacking, 0o755);
  const lackingWorker = startWorker(daemon.url, token, ['--name', 'lacking', '--ffmpeg', lacking]);
  await waitUntil('it has joined', () => lackingWorker.written().includes('has joined'));
  const webm = await daemon.create({ input, outputs: [{ filename: 'a.webm', width: 64 }] });
  const mp4 = await daemon.create({ input, outputs: [{ filename: 'a.mp4', width: 64 }] });
  assert.is((await daemon.waitForJob(mp4)).worker, 'lacking');
  await waitUntil('the log says why', async () => {
    await fetch(`${daemon.url}/health`);
    return /lack what the outputs need/.test(await logOf(daemon, webm));
  });
  assert.is((await daemon.read<{ job: JobRecord }>(`/v2/jobs/${webm}`)).job.state, 'waiting');
  const complete = startWorker(daemon.url, token, ['--name', 'complete']);
  const job = await daemon.waitForJob(webm);
  assert.equal([job.state, job.worker], ['finished', 'complete'], await logOf(daemon, webm));
  for (const worker of [lackingWorker, complete]) await worker.end('SIGTERM');
});

for (const [direction, minutes] of [
  ['ahead of', 7],
  ['behind', -7],
] as const) {
  test(`a worker whose clock is minutes ${direction} that of the daemon says so, and finishes its jobs`, async ({
    daemon,
    token,
    input,
  }) => {
    const module = join(tempFolder(), 'clock.mjs');
    await writeFile(module, shiftedClock(minutes * 60_000));
    const worker = startWorker(daemon.url, token, ['--name', 'late'], undefined, {
      NODE_OPTIONS: `--import ${pathToFileURL(module).href}`,
    });
    await waitUntil('it has joined', () => worker.written().includes('has joined'));
    const sentence = `The clock of this machine is 4[12]\\d s ${direction} that of the daemon. Correct it`;
    assert.match(worker.written(), new RegExp(sentence));
    const id = await daemon.create({ input, outputs: [{ width: 64 }] });
    const job = await daemon.waitForJob(id);
    assert.equal([job.state, job.worker], ['finished', 'late'], await logOf(daemon, id));
    await worker.end('SIGTERM');
    assert.not.match(await logOf(daemon, id), /has not reported|is taken from/);
    const ageMs = Date.now() - Date.parse(job.finished_at ?? '');
    assert.ok(Math.abs(ageMs) < 60_000, 'the times of a job are those of the daemon');
  });
}

/** A module that shifts the clock of a process. */
function shiftedClock(ms: number): string {
  return `const now = Date.now;
const Real = Date;
globalThis.Date = class extends Real {
  constructor(...args) { args.length === 0 ? super(now() + ${ms}) : super(...args); }
  static now() { return now() + ${ms}; }
};\n`;
}

test.run();
