import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { createAccount, setMode } from '../../daemon/admin/accounts.js';
import { openFolderSetup } from '../../daemon/admin/open-setup.js';
import type { CreatedRecord, JobRecord } from '../../src/shared/records.js';
import { isFinal } from '../../src/shared/states.js';
import { runCli } from '../cli/run-cli.js';
import { startTestDaemon, type TestDaemon } from '../helpers/daemon.js';
import { killDaemons, processKey, startDaemonProcess } from '../helpers/daemon-process.js';
import { fetchRejection } from '../helpers/fetch-rejection.js';
import { film, makeMedia } from '../helpers/media.js';
import { tempFolder } from '../helpers/temp.js';
import { pollUntil, waitUntil } from '../helpers/wait-until.js';

interface Context {
  folder: string;
  outputs: string;
  input: string;
  daemon: TestDaemon;
}

const test = suite<Context>('hosted outputs in --output-dir');

test.before(async (context) => {
  context.folder = tempFolder();
  context.outputs = join(context.folder, 'out');
  mkdirSync(context.outputs);
  await makeMedia(join(context.folder, 'clip.mp4'), film('64x48', 5));
  context.input = `file://${join(context.folder, 'clip.mp4')}`;
  context.daemon = await startTestDaemon({ filesRoots: [context.folder], outputFolder: context.outputs });
});
test.after(async ({ daemon }) => {
  killDaemons();
  await daemon?.stop();
});

/** The names in the folder of the owner's account, once there are as many as expected. */
async function namesIn(folder: string, count: number): Promise<readonly string[]> {
  const names = () => (existsSync(folder) ? readdirSync(folder).toSorted() : []);
  const isDone = (found: readonly string[]) =>
    found.length >= count && !found.some((name) => name.startsWith('.'));
  return pollUntil(async () => names(), isDone);
}

test('each output has a name of its own, and stays when its address expires', async (context) => {
  const { daemon, input } = context;
  const folder = join(context.outputs, 'default');
  const outputs = [
    { filename: 'web.mp4' },
    { filename: 'x/web.mp4' },
    { label: 'made' },
    { filename: '.a\u2028b.mp4' },
  ];
  const job = await daemon.waitForJob(await daemon.create({ input, outputs }));
  assert.is(job.state, 'finished');
  assert.equal(await namesIn(folder, 4), ['_a_b.mp4', 'clip.mp4', 'web-2.mp4', 'web.mp4']);
  const { url = '' } = job.output_media_files[0] ?? {};
  const hosted = join(daemon.dataFolder, 'hosted', new URL(url ?? '').pathname.replace('/hosted/', ''));
  assert.equal(readFileSync(join(folder, 'web.mp4')), readFileSync(hosted));
  assert.is(statSync(join(folder, 'web.mp4')).ino, statSync(hosted).ino, 'one disk holds one copy');
  const old = new Date(Date.now() - 25 * 3_600_000);
  utimesSync(hosted, old, old);
  await fetchRejection(url ?? '', {}, 410);
  const removed = await daemon.request(`/v2/jobs/${job.id}`, { method: 'DELETE' });
  assert.ok(removed.ok);
  assert.not(existsSync(hosted));
  assert.ok(statSync(join(folder, 'web.mp4')).size > 0);
  assert.ok(
    daemon.logLines.some((line) => line.includes('Kept in --output-dir') && line.includes('web-2.mp4')),
  );
});

test('files that belong together are in one folder, whose links work', async (context) => {
  const cut = { type: 'segmented', segment_seconds: 2, width: 64 };
  const outputs = [
    { ...cut, filename: 'low.m3u8', label: 'low', video_bitrate: 100 },
    { ...cut, filename: 'high.m3u8', label: 'high', video_bitrate: 300 },
    {
      type: 'playlist',
      filename: 'film.m3u8',
      streams: ['low', 'high'].map((source) => ({ source, path: `${source}.m3u8` })),
    },
  ];
  mkdirSync(join(context.outputs, 'default', 'film'), { recursive: true });
  const { daemon, input } = context;
  const job = await daemon.waitForJob(await daemon.create({ input, outputs }));
  assert.is(job.state, 'finished', JSON.stringify(job));
  const folder = join(context.outputs, 'default', 'film-2');
  const names = await namesIn(folder, 3);
  assert.equal(readdirSync(join(context.outputs, 'default', 'film')), [], 'a folder of somebody else stays');
  const linked = ['film.m3u8', 'low.m3u8', 'high.m3u8'].flatMap((name) =>
    readFileSync(join(folder, name), 'utf8')
      .split('\n')
      .filter((line) => line !== '' && !line.startsWith('#')),
  );
  assert.ok(linked.length >= 8, linked.join());
  for (const name of linked) assert.ok(names.includes(name), name);
});

test('each account has a folder', async ({ daemon, folder, outputs, input }) => {
  const setup = openFolderSetup(daemon.dataFolder);
  const { key } = await createAccount(setup, 'studio');
  await setMode(setup, 'studio', { isIntegration: false });
  const send = (path: string, init: RequestInit = {}) =>
    fetch(`${daemon.url}${path}`, { ...init, headers: { 'Service-Api-Key': key } });
  const body = readFileSync(join(folder, 'clip.mp4'));
  assert.ok(input.endsWith('clip.mp4'));
  const { url } = (await (await send('/v2/uploads/my.mp4', { method: 'PUT', body })).json()) as {
    url: string;
  };
  const create = async () => {
    const request = { input: url, outputs: [{ filename: 'web.mp4' }] };
    const response = await send('/v2/jobs', { method: 'POST', body: JSON.stringify(request) });
    return response.status === 201 ? ((await response.json()) as CreatedRecord).id : null;
  };
  const id = await pollUntil(create, (created) => created !== null);
  const details = async () => ((await (await send(`/v2/jobs/${id}`)).json()) as { job: JobRecord }).job;
  assert.is((await pollUntil(details, ({ state }) => isFinal(state))).state, 'finished');
  assert.equal(await namesIn(join(outputs, 'studio'), 1), ['web.mp4']);
});

test('a folder that cannot be written leaves the job finished, and a later start keeps its output once', async ({
  input,
  folder,
}) => {
  const data = join(tempFolder(), 'data');
  const outputs = tempFolder();
  // A file where the folder of the account should be.
  writeFileSync(join(outputs, 'default'), '');
  const args = ['--files-root', folder, '--output-dir', outputs];
  const first = await startDaemonProcess(data, args);
  const headers = { 'Service-Api-Key': processKey };
  const body = JSON.stringify({ input, outputs: [{ filename: 'late.mp4' }] });
  const created = await fetch(`${first.url}/v2/jobs`, { method: 'POST', headers, body });
  const { id } = (await created.json()) as CreatedRecord;
  const details = async () =>
    ((await (await fetch(`${first.url}/v2/jobs/${id}`, { headers })).json()) as { job: JobRecord }).job;
  assert.is((await pollUntil(details, ({ state }) => isFinal(state))).state, 'finished');
  await waitUntil('the warning', () =>
    first.logged().includes(`is not in --output-dir ${outputs} yet: there is a file where a folder`),
  );
  await first.end('SIGKILL');
  rmSync(join(outputs, 'default'));
  const second = await startDaemonProcess(data, args);
  assert.equal(await namesIn(join(outputs, 'default'), 1), ['late.mp4']);
  await waitUntil('the file', () => second.logged().includes('Kept in --output-dir'));
  await second.end('SIGTERM');
  // The file was taken away: nothing is kept twice.
  rmSync(join(outputs, 'default', 'late.mp4'));
  const third = await startDaemonProcess(data, args);
  await third.end('SIGTERM');
  assert.equal(readdirSync(join(outputs, 'default')), []);
});

test('a start rejects a folder that cannot be used', async ({ folder }) => {
  const data = join(tempFolder(), 'data');
  mkdirSync(join(data, 'inside'), { recursive: true });
  symlinkSync(join(data, 'inside'), join(folder, 'link'));
  const cases: readonly (readonly [readonly string[], RegExp])[] = [
    [[join(folder, 'missing')], /--output-dir needs an existing folder; ".*missing" is not one/],
    [[folder, '--hosted', 's3://media/venc'], /--output-dir cannot be used with --hosted/],
    [[join(folder, 'link')], /--output-dir .*link is in the data folder/],
  ];
  for (const [args, message] of cases) {
    const { stderr, code } = await runCli(['--data', data, 'daemon', '--port', '0', '--output-dir', ...args]);
    assert.match(stderr, message);
    assert.is(code, 2);
  }
});

test.run();
