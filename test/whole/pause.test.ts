import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { JobRecord } from '../../src/shared/records.js';
import { encoderStates, encodersIn } from '../helpers/chaos/processes.js';
import { killDaemons, processKey, startDaemonProcess } from '../helpers/daemon-process.js';
import { film, makeMedia } from '../helpers/media.js';
import { tempFolder } from '../helpers/temp.js';
import { pollUntil, settleEventLoop, waitUntil } from '../helpers/wait-until.js';

test.after(killDaemons);

const headers = { 'Service-Api-Key': processKey };

/** A daemon that encodes one job at a time, on an existing data folder or a new one. */
async function start(folder: string) {
  const daemon = await startDaemonProcess(join(folder, 'data'), [
    ...['--files-root', folder, '--min-free', '0', '--jobs', '1'],
  ]);
  const request = (path: string, method = 'GET', body?: object) =>
    fetch(`${daemon.url}${path}`, { method, headers, ...(body && { body: JSON.stringify(body) }) });
  const job = async (id: string) =>
    ((await (await request(`/v2/jobs/${id}`)).json()) as { job: JobRecord }).job;
  return { daemon, request, job };
}

/** Sends a signal to the encoders in a folder. */
function signalEncoders(folder: string, signal: NodeJS.Signals): void {
  for (const { pid } of encodersIn(folder)) process.kill(pid, signal);
}

test('jobs that encode finish, others wait until the queue is resumed, also after a kill', async () => {
  const folder = tempFolder();
  await makeMedia(join(folder, 'in.mp4'), film('320x240', 8));
  const input = pathToFileURL(join(folder, 'in.mp4')).href;
  const { daemon, request, job } = await start(folder);
  const create = async (output: object) =>
    ((await (await request('/v2/jobs', 'POST', { input, outputs: [output] })).json()) as { id: string }).id;
  const first = await create({ speed: 1 });
  const stateOf = (id: string) => async () => (await job(id)).output_media_files[0]?.state;
  // It stands still until the queue is paused: it might end before the second one is fetched.
  await waitUntil('the encoder stands still', () => {
    signalEncoders(folder, 'SIGSTOP');
    return /^T+$/.test(encoderStates(folder));
  });
  await pollUntil(stateOf(first), (state) => state === 'processing');
  const second = await create({ width: 64 });
  await pollUntil(
    async () => (await job(second)).input_media_file.state,
    (state) => state === 'finished',
  );
  await request('/v2/queue/pause', 'PUT');
  signalEncoders(folder, 'SIGCONT');
  await pollUntil(stateOf(first), (state) => state === 'finished');
  await settleEventLoop(() => request('/v2/queue'));
  assert.is(await stateOf(second)(), 'queued', 'it was fetched ahead and does not begin to encode');
  await daemon.end('SIGKILL');
  const later = await start(folder);
  await settleEventLoop(() => later.request('/v2/queue'));
  assert.is((await later.job(second)).state, 'waiting');
  assert.equal(await (await later.request('/v2/queue/resume', 'PUT')).json(), {
    ...{ paused: false, frozen: false, reason: null, until: null },
  });
  const ended = await pollUntil(
    () => later.job(second),
    ({ state }) => state === 'finished',
  );
  assert.is(ended.output_media_files[0]?.width, 64);
  await later.daemon.end('SIGTERM');
});

test('a pause with now stops the encoder, which goes on after the resume; a restart puts its job back', async () => {
  const folder = tempFolder();
  await makeMedia(join(folder, 'in.mp4'), film('320x240', 5));
  const input = pathToFileURL(join(folder, 'in.mp4')).href;
  const { daemon, request, job } = await start(folder);
  const create = async () => {
    const body = { input, outputs: [{ speed: 1, width: 1280, upscale: true }] };
    return ((await (await request('/v2/jobs', 'POST', body)).json()) as { id: string }).id;
  };
  const runs = (state: RegExp) =>
    waitUntil(`an encoder has the state ${state}`, () => state.test(encoderStates(folder)));
  const freeze = (at = request) => at('/v2/queue/pause', 'PUT', { now: true });
  const first = await create();
  await runs(/^[^T]+$/);
  await freeze();
  await runs(/^T+$/);
  await request(`/v2/jobs/${first}/cancel`, 'PUT');
  await runs(/^$/);
  assert.is((await job(first)).state, 'cancelled');
  await request('/v2/queue/resume', 'PUT');
  const second = await create();
  await runs(/^[^T]+$/);
  await freeze();
  await runs(/^T+$/);
  await daemon.end('SIGKILL');
  await runs(/^$/);
  const later = await start(folder);
  await settleEventLoop(() => later.request('/v2/queue'));
  assert.is((await later.job(second)).state, 'waiting');
  await later.request('/v2/queue/resume', 'PUT');
  await runs(/^[^T]+$/);
  await freeze(later.request);
  await runs(/^T+$/);
  await later.request('/v2/queue/resume', 'PUT');
  const ended = await pollUntil(
    () => later.job(second),
    ({ state }) => state === 'finished',
  );
  assert.is(ended.output_media_files[0]?.width, 1280);
  await later.daemon.end('SIGTERM');
});

test('a paused job gives its slot to another one, also after a kill, and goes on when resumed', async () => {
  const folder = tempFolder();
  await makeMedia(join(folder, 'in.mp4'), film('320x240', 5));
  const input = pathToFileURL(join(folder, 'in.mp4')).href;
  const { daemon, request, job } = await start(folder);
  const create = async (output: object) =>
    ((await (await request('/v2/jobs', 'POST', { input, outputs: [output] })).json()) as { id: string }).id;
  const runs = (state: RegExp) =>
    waitUntil(`an encoder has the state ${state}`, () => state.test(encoderStates(folder)));
  const ends = (id: string, at = job) =>
    pollUntil(
      () => at(id),
      ({ state }) => state === 'finished',
    );
  const first = await create({ speed: 1, width: 1280, upscale: true });
  await runs(/^[^T]+$/);
  assert.equal(await (await request(`/v2/jobs/${first}/pause`, 'PUT')).json(), {
    paused: true,
    frozen: true,
  });
  await runs(/^T+$/);
  await ends(await create({ width: 64 }));
  const { state, paused } = await job(first);
  assert.equal([state, paused], ['processing', true]);
  await request(`/v2/jobs/${first}/resume`, 'PUT');
  await runs(/^[^T]+$/);
  await request(`/v2/jobs/${first}/pause`, 'PUT');
  await runs(/^T+$/);
  await daemon.end('SIGKILL');
  await runs(/^$/);
  const later = await start(folder);
  await settleEventLoop(() => later.request('/v2/queue'));
  const held = await later.job(first);
  assert.equal([held.state, held.paused], ['waiting', true]);
  await later.request(`/v2/jobs/${first}/resume`, 'PUT');
  const ended = await ends(first, later.job);
  assert.equal([ended.output_media_files[0]?.width, ended.paused], [1280, undefined]);
  await later.daemon.end('SIGTERM');
});

test.run();
