import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { EarlyOutputProgress, JobRecord } from '../../src/shared/records.js';
import { startTestDaemon, type TestDaemon } from '../helpers/daemon.js';
import { type HttpSource, startHttpSource } from '../helpers/servers/http-source.js';

interface Context {
  daemon: TestDaemon;
  source: HttpSource;
}

const test = suite<Context>('addresses of older versions');

test.before(async (context) => {
  // Half of every file is sent, and then nothing more, so that jobs keep their state.
  context.source = await startHttpSource((_request, response) => {
    response.writeHead(200, { 'Content-Length': '1000' }).write('x'.repeat(500));
  });
  context.daemon = await startTestDaemon({ jobs: 20, stallTimeoutSeconds: 60 });
});
test.after(async ({ daemon, source }) => {
  await daemon.stop();
  await source.close();
});

const idsOf = async (daemon: TestDaemon, id: number) => {
  const { job } = await daemon.read<{ job: JobRecord }>(`/v2/jobs/${id}`);
  return { input: job.input_media_file.id, output: job.output_media_files[0]?.id ?? 0 };
};
const stateOf = async (daemon: TestDaemon, id: number) =>
  (await daemon.read<{ job: JobRecord }>(`/v2/jobs/${id}`)).job.state;

test('a job is created at the unversioned address, with the key in its body', async ({ daemon, source }) => {
  for (const path of ['/jobs', '/jobs.json', '/api/jobs']) {
    const body = JSON.stringify({
      api_key: daemon.key,
      input: source.url('/a.mp4'),
      outputs: [{ label: 'web' }],
    });
    const response = await fetch(`${daemon.url}${path}`, { method: 'POST', body });
    const created = (await response.json()) as {
      id: string;
      outputs: readonly { id: number; label: string }[];
    };
    assert.is(response.status, 201, path);
    assert.match(created.id, /^\d+$/);
    assert.is(created.outputs[0]?.id, (await idsOf(daemon, Number(created.id))).output);
    await daemon.request(`/v2/jobs/${created.id}/cancel`, { method: 'PUT' });
  }
});

test('a job is cancelled and resubmitted by POST below /jobs/v1, under the rules of version 2', async ({
  daemon,
  source,
}) => {
  const id = await daemon.create({ input: source.url('/b.mp4') });
  const post = async (path: string) => (await daemon.request(path, { method: 'POST' })).status;
  assert.is(await post(`/jobs/v1/${id}/cancel.json`), 204);
  assert.is(await stateOf(daemon, id), 'cancelled');
  assert.is(await post(`/jobs/v1/${id}/cancel.json`), 409);
  for (let count = 0; count < 5; count += 1) assert.is(await post(`/jobs/v1/${id}/resubmit.json`), 204);
  assert.is(await post(`/jobs/v1/${id}/resubmit`), 403);
  assert.is(await post(`/jobs/v1/${id}/cancel`), 204);
  assert.is(await post('/jobs/v1/999999/cancel.json'), 404);
});

test('the addresses of version 1 accept only POST, and their key may be in the body', async ({
  daemon,
  source,
}) => {
  const id = await daemon.create({ input: source.url('/c.mp4') });
  for (const method of ['GET', 'PUT', 'DELETE']) {
    const response = await daemon.request(`/jobs/v1/${id}/cancel.json`, { method });
    assert.is(response.status, 405, method);
    assert.is(response.headers.get('allow'), 'POST, OPTIONS');
  }
  const body = JSON.stringify({ api_key: daemon.key });
  const cancel = (init: RequestInit) =>
    fetch(`${daemon.url}/jobs/v1/${id}/cancel.json`, { method: 'POST', ...init });
  assert.is((await cancel({})).status, 404);
  assert.is((await cancel({ body })).status, 204);
  assert.is(await stateOf(daemon, id), 'cancelled');
});

test('progress of version 1 and of the early form is the percent of the current event', async ({
  daemon,
  source,
}) => {
  const id = await daemon.create({ input: source.url('/d.mp4') });
  const ids = await idsOf(daemon, id);
  await daemon.waitForProgress(id, ({ input }) => input.current_event_progress === 50);
  assert.equal(await daemon.read<unknown>(`/v1/inputs/${ids.input}/progress.json`), {
    state: 'processing',
    current_event: 'downloading',
    progress: 50,
  });
  assert.equal(await daemon.read<unknown>(`/v1/outputs/${ids.output}/progress`), {
    state: 'waiting',
    current_event: 'downloading',
    progress: 0,
  });
  assert.equal(await daemon.read<EarlyOutputProgress>(`/outputs/${ids.output}/progress`), {
    state: 'queued',
    current_event: 'Downloading',
    progress: 50,
  });
  await daemon.request(`/v2/jobs/${id}/cancel`, { method: 'PUT' });
  assert.equal(await daemon.read(`/outputs/${ids.output}/progress.json`), {
    state: 'cancelled',
    progress: 0,
  });
});

test('progress of older versions accepts ids of outputs and inputs, and not those of jobs', async ({
  daemon,
  source,
}) => {
  const id = await daemon.create({ input: source.url('/e.mp4') });
  const ids = await idsOf(daemon, id);
  const status = async (path: string) => (await daemon.request(path)).status;
  assert.is(await status(`/outputs/${id}/progress`), 404);
  assert.is(await status(`/outputs/${ids.input}/progress`), 404);
  assert.is(await status(`/v1/outputs/${ids.input}/progress`), 404);
  assert.is(await status(`/v1/inputs/${ids.output}/progress`), 404);
  assert.is(await status(`/inputs/${ids.input}/progress`), 404);
  await daemon.request(`/v2/jobs/${id}/cancel`, { method: 'PUT' });
});

test('progress of older versions is available in XML as well', async ({ daemon, source }) => {
  const id = await daemon.create({ input: source.url('/f.mp4') });
  const { output } = await idsOf(daemon, id);
  await daemon.request(`/v2/jobs/${id}/cancel`, { method: 'PUT' });
  const response = await daemon.request(`/outputs/${output}/progress.xml`);
  assert.match(response.headers.get('content-type') ?? '', 'application/xml');
  const text = await response.text();
  assert.match(text, '<state>cancelled</state>');
  assert.match(text, '<progress type="float">0</progress>');
});

test.run();
