import { statfs } from 'node:fs/promises';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { runCli } from '../cli/run-cli.js';
import { startTestDaemon, type TestDaemon } from '../helpers/daemon.js';
import { readSamples, samplesOf } from '../helpers/prometheus.js';
import { tempFolder } from '../helpers/temp.js';

interface HealthAnswer {
  readonly status: string;
  readonly errors?: readonly string[];
  readonly checks: readonly {
    readonly name: string;
    readonly ok: boolean;
    readonly required: boolean;
    readonly reason: string | null;
  }[];
}

/** The status of a health request, its answer, and the checks that are not passed. */
async function readHealth(daemon: TestDaemon) {
  const response = await fetch(`${daemon.url}/health`);
  const answer = (await response.json()) as HealthAnswer;
  const failed = answer.checks.filter(({ ok }) => !ok);
  // Without a sandbox on this machine, that check is passed and has a reason.
  for (const { name, ok, reason } of answer.checks) assert.is(ok, reason === null || name === 'sandbox');
  return { status: response.status, answer, failed: failed.map(({ name }) => name), reasons: failed };
}

/** Free bytes such that a daemon that needs them at minimum is near the minimum, however the volume changes meanwhile. */
async function nearlyAllFreeBytes(): Promise<number> {
  const { bavail, bsize } = await statfs(tempFolder());
  return Math.floor(bavail * bsize * 0.75);
}

const test = suite('GET /health');

test('a healthy daemon names every check', async () => {
  const daemon = await startTestDaemon({ jobs: 1 });
  const { status, answer, failed } = await readHealth(daemon);
  await daemon.stop();
  assert.equal([status, failed], [200, []]);
  assert.is(answer.status, 'ok');
  assert.equal(
    answer.checks.map(({ name, required }) => [name, required]),
    [
      ['daemon', true],
      ['ffmpeg', true],
      ['disk', true],
      ['disk_space', false],
      ['hosted_files', false],
      ['sandbox', false],
      ['queue', false],
      ['workers', false],
      ['notifications', false],
    ],
  );
});

test('below the minimum of free space it is unavailable, and the check of the disk says why', async () => {
  const daemon = await startTestDaemon({ jobs: 0, minFreeBytes: 1e18 });
  const { status, answer, failed } = await readHealth(daemon);
  const xml = await (await fetch(`${daemon.url}/health.xml`)).text();
  const scrape = readSamples(await (await fetch(`${daemon.url}/metrics`)).text());
  await daemon.stop();
  assert.equal([status, answer.status, failed], [503, 'unavailable', ['disk', 'disk_space']]);
  assert.match(answer.errors?.join() ?? '', /--min-free/);
  assert.match(xml, /<check>.*<name>disk<\/name>.*<ok type="boolean">false<\/ok>/s);
  assert.is(samplesOf(scrape, 'venc_health_check_ok', { check: 'disk' })[0]?.value, 0);
  assert.is(samplesOf(scrape, 'venc_health_check_ok', { check: 'ffmpeg' })[0]?.value, 1);
});

test('near the minimum it is degraded, accepts jobs, and doctor has a note', async () => {
  const daemon = await startTestDaemon({ jobs: 0, minFreeBytes: await nearlyAllFreeBytes() });
  const { status, answer, failed, reasons } = await readHealth(daemon);
  const { id } = (await (
    await daemon.request('/v2/jobs', { method: 'POST', body: '{"input":"http://127.0.0.1:9/a.mp4"}' })
  ).json()) as { id: string };
  const withWaiting = await readHealth(daemon);
  const doctor = await runCli(['doctor'], { env: { VENC_DATA: daemon.dataFolder } });
  await daemon.stop();
  assert.equal([status, answer.status, failed, answer.errors], [200, 'degraded', ['disk_space'], undefined]);
  assert.match(reasons[0]?.reason ?? '', /below .* \(--min-free\), no jobs are accepted/);
  assert.ok(Number(id) > 0);
  // A daemon that runs no jobs reports those that wait.
  assert.equal([withWaiting.status, withWaiting.failed], [200, ['disk_space', 'queue']]);
  assert.match(doctor.stdout, /note {5}service: Jobs are waiting, and this daemon encodes none/);
});

test.run();
