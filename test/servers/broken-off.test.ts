import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { ListMultipartUploadsCommand } from '@aws-sdk/client-s3';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { JobRecord } from '../../src/shared/records.js';
import { isFinal } from '../../src/shared/states.js';
import {
  type DaemonProcess,
  killDaemons,
  processKey,
  startDaemonProcess,
} from '../helpers/daemon-process.js';
import { makeMedia } from '../helpers/media.js';
import { ftpLocations } from '../helpers/servers/ftp-locations.js';
import { skipSuite } from '../helpers/servers/program.js';
import { s3Client, sftpLocation, storageLocations } from '../helpers/servers/remote-locations.js';
import { type StallingProxy, startStallingProxy } from '../helpers/servers/stalling-proxy.js';
import type { StorageLocation } from '../helpers/servers/storage-location.js';
import { tempFolder } from '../helpers/temp.js';
import { pollUntil, waitUntilScratchIsEmpty } from '../helpers/wait-until.js';

/** A server location behind a stalling proxy, where unfinished uploads can be listed. */
interface ServerFixture {
  readonly location: StorageLocation;
  /** Port of its URLs or its endpoint. */
  readonly port: number;
  /** Duration of a video whose output is large enough to be interrupted. */
  readonly seconds: number;
  /** Bytes that pass before the proxy stalls; null if the server itself is slow and there is no proxy. */
  readonly afterBytes: number | null;
  /** Lists the unfinished uploads on the server; null if clients cannot see them. */
  readonly unfinished: (() => Promise<readonly string[]>) | null;
  readonly hasFolders: boolean;
}

const fixtures: ServerFixture[] = [];
const sftp = await sftpLocation();
if ('missing' in sftp) skipSuite('interrupted transfers over sftp', sftp);
else {
  const port = Number(new URL(sftp.urlOf?.('a.mp4') ?? '').port);
  const unfinished = async () => (await sftp.list()).filter((name) => name !== 'out.mp4');
  fixtures.push({ location: sftp, port, seconds: 2, afterBytes: 2_000_000, unfinished, hasFolders: true });
}
// FTP transfers files on data connections, which the proxy does not cover.
const ftp = await ftpLocations(['local_max_rate=2000000']);
if ('missing' in ftp) skipSuite('interrupted transfers over ftp', ftp);
else {
  const [slow] = ftp;
  const list = async () =>
    (await slow.list()).filter((name) => name.startsWith('ftp/')).map((name) => name.slice('ftp/'.length));
  const unfinished = async () => (await list()).filter((name) => name.endsWith('.part'));
  const port = Number(new URL(slow.urlOf?.('a.mp4') ?? '').port);
  fixtures.push({
    location: { ...slow, list },
    port,
    seconds: 2,
    afterBytes: null,
    unfinished,
    hasFolders: true,
  });
}
const storage = await storageLocations();
if ('missing' in storage) skipSuite('interrupted transfers over s3', storage);
else {
  const [cf, s3, swift] = storage;
  const client = s3Client(swift);
  const unfinished = async () => {
    const { Uploads = [] } = await client.send(new ListMultipartUploadsCommand({ Bucket: 'films-out-s3' }));
    return Uploads.map(({ Key = '' }) => Key);
  };
  const port = Number(new URL(swift.s3Endpoint).port);
  fixtures.push({ location: s3, port, seconds: 6, afterBytes: 9_000_000, unfinished, hasFolders: false });
  const swiftPort = Number(new URL(swift.authUrl).port);
  const afterBytes = 2_000_000;
  fixtures.push({
    location: cf,
    port: swiftPort,
    seconds: 2,
    afterBytes,
    unfinished: null,
    hasFolders: false,
  });
}

const test = suite('interrupted transfers');
const folder = tempFolder();
let currentProxy: StallingProxy | null = null;

test.after.each(async () => {
  killDaemons();
  await currentProxy?.end();
});
test.after(async () => {
  for (const { location } of fixtures) await location.end();
  if (!('missing' in storage)) await storage[0].end();
});

/** A video that compresses badly: about 3.5 MB per second. */
async function film(seconds: number): Promise<string> {
  const path = join(folder, `${seconds}.mp4`);
  if (await stat(path).catch(() => null)) return path;
  const noise = `testsrc2=size=640x360:rate=25:duration=${seconds},noise=alls=80:allf=t`;
  const x264 = ['-c:v', 'libx264', '-preset', 'ultrafast', '-crf', '24', '-pix_fmt', 'yuv420p'];
  await makeMedia(path, ['-f', 'lavfi', '-i', noise, ...x264]);
  return path;
}

const ask = (daemon: DaemonProcess, path: string, init: RequestInit = {}) =>
  fetch(`${daemon.url}${path}`, { ...init, headers: { 'Service-Api-Key': processKey } });

async function create(daemon: DaemonProcess, body: object): Promise<string> {
  const response = await ask(daemon, '/v2/jobs', { method: 'POST', body: JSON.stringify(body) });
  if (response.status !== 201) throw new Error(await response.text());
  return ((await response.json()) as { id: string }).id;
}

async function ended(daemon: DaemonProcess, id: string, limitMs?: number): Promise<JobRecord> {
  const read = async () => (await (await ask(daemon, `/v2/jobs/${id}`)).json()) as { job: JobRecord };
  return (await pollUntil(read, ({ job }) => isFinal(job.state), limitMs)).job;
}

/** Replaces the proxy for a slow server: `closed` resolves when a transfer has started. */
function passThrough(port: number, data: string, unfinished: ServerFixture['unfinished']): StallingProxy {
  const hasStarted = async () => {
    const here = await readdir(join(data, 'scratch'), { recursive: true }).catch(() => []);
    return here.some((name) => name.endsWith('.part')) || ((await unfinished?.()) ?? []).length > 0;
  };
  return {
    port,
    closed: pollUntil(hasStarted, (is) => is, 30_000).then(() => undefined),
    forward: () => undefined,
    holds: () => false,
    end: async () => undefined,
  };
}

/** Starts a daemon that reaches a location through a proxy, which stalls after a number of bytes. */
async function start(
  { location, port, afterBytes, unfinished }: ServerFixture,
  data: string,
): Promise<[DaemonProcess, StallingProxy]> {
  const opened =
    afterBytes === null ? passThrough(port, data, unfinished) : await startStallingProxy(port, afterBytes);
  currentProxy = opened;
  const through = ([name, value]: readonly [string, string]) => [
    name,
    value.replace(`:${port}`, `:${opened.port}`),
  ];
  Object.assign(process.env, Object.fromEntries(Object.entries(location.env).map(through)));
  return [await startDaemonProcess(data, ['--files-root', folder]), opened];
}

const behind = (url: string, { port }: ServerFixture, { port: proxyPort }: StallingProxy) =>
  url.replace(`:${port}/`, `:${proxyPort}/`);

for (const fixture of fixtures) {
  const { location, seconds, hasFolders } = fixture;
  const isSeen = fixture.unfinished !== null;
  const unfinished = fixture.unfinished ?? (async () => []);
  const output = (proxy: StallingProxy, name = 'out.mp4') => ({
    url: behind(location.urlOf?.(name) ?? '', fixture, proxy),
    quality: 5,
    speed: 5,
  });

  test(`a daemon killed in the middle of an upload over ${location.scheme} removes the unfinished upload at the next start and uploads again`, async () => {
    const data = join(tempFolder(), 'data');
    const [first, proxy] = await start(fixture, data);
    const input = pathToFileURL(await film(seconds)).href;
    const id = await create(first, { input, outputs: [output(proxy)] });
    await proxy.closed;
    if (isSeen) await pollUntil(unfinished, (names) => names.length > 0);
    await first.end('SIGKILL');
    const left = await unfinished();
    assert.is(left.length, isSeen ? 1 : 0, `unfinished uploads on the server: ${left}`);
    assert.is(await location.read('out.mp4'), null);
    proxy.forward();

    const second = await startDaemonProcess(data, ['--files-root', folder]);
    const job = await ended(second, id, 60_000);
    assert.is(job.state, 'finished', JSON.stringify(job, null, 1));
    await pollUntil(unfinished, (names) => names.length === 0);
    assert.is((await location.read('out.mp4'))?.byteLength, job.output_media_files[0]?.file_size_bytes);
    assert.equal(await location.list(), ['out.mp4']);
    await pollUntil(
      () => readdir(join(data, 'leftovers')).catch(() => []),
      (names) => names.length === 0,
    );
    await second.end('SIGTERM');
  });

  if (hasFolders)
    test(`folders that were created over ${location.scheme} are removed with a killed upload that is not repeated`, async () => {
      const data = join(tempFolder(), 'data');
      const [first, proxy] = await start(fixture, data);
      const before = await location.list();
      const input = pathToFileURL(await film(seconds)).href;
      const id = await create(first, { input, outputs: [output(proxy, 'new/deeper/out.mp4')] });
      await proxy.closed;
      await pollUntil(unfinished, (names) => names.some((name) => name.endsWith('.part')));
      await first.end('SIGKILL');
      proxy.forward();
      const second = await startDaemonProcess(data, ['--files-root', folder, '--jobs', '0']);
      assert.is((await ask(second, `/v2/jobs/${id}/cancel`, { method: 'PUT' })).status, 204);
      await pollUntil(location.list, (names) => names.length === before.length, 10_000);
      assert.equal(await location.list(), before);
      await second.end('SIGTERM');
    });

  test(`a job cancelled in the middle of an upload over ${location.scheme} leaves the existing file`, async () => {
    const data = join(tempFolder(), 'data');
    const [daemon, proxy] = await start(fixture, data);
    const before = await location.read('out.mp4');
    const input = pathToFileURL(await film(seconds)).href;
    const id = await create(daemon, { input, outputs: [output(proxy)] });
    await proxy.closed;
    if (isSeen) await pollUntil(unfinished, (names) => names.length > 0);
    proxy.forward();
    assert.is((await ask(daemon, `/v2/jobs/${id}/cancel`, { method: 'PUT' })).status, 204);
    assert.is((await ended(daemon, id)).state, 'cancelled');
    await pollUntil(unfinished, (names) => names.length === 0, 10_000);
    await pollUntil(
      async () => proxy.holds(),
      (holds) => !holds,
      10_000,
    );
    assert.equal(await location.read('out.mp4'), before);
    assert.equal(await location.list(), before === null ? [] : ['out.mp4']);
    await pollUntil(
      () => readdir(join(data, 'leftovers')).catch(() => []),
      (names) => names.length === 0,
      10_000,
    );
    await waitUntilScratchIsEmpty(data);
    await daemon.end('SIGTERM');
  });

  test(`a job cancelled in the middle of a download over ${location.scheme} leaves nothing in the scratch folder`, async () => {
    const data = join(tempFolder(), 'data');
    const [daemon, proxy] = await start(fixture, data);
    const offered = (await location.offer?.('in.mp4', await readFile(await film(seconds)))) ?? '';
    const id = await create(daemon, { input: behind(offered, fixture, proxy) });
    await proxy.closed;
    assert.is((await ask(daemon, `/v2/jobs/${id}/cancel`, { method: 'PUT' })).status, 204);
    assert.is((await ended(daemon, id)).state, 'cancelled');
    await pollUntil(
      async () => proxy.holds(),
      (holds) => !holds,
      10_000,
    );
    await waitUntilScratchIsEmpty(data);
    await daemon.end('SIGTERM');
  });
}

test.run();
