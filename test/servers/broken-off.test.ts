import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { ListMultipartUploadsCommand } from '@aws-sdk/client-s3';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { JobRecord } from '../../src/api/records.js';
import { isFinal } from '../../src/api/states.js';
import { eventually } from '../helpers/daemon.js';
import {
  type DaemonProcess,
  killDaemons,
  processKey,
  startDaemonProcess,
} from '../helpers/daemon-process.js';
import { makeMedia } from '../helpers/media.js';
import { type Gate, startGate } from '../helpers/servers/gate.js';
import type { Place } from '../helpers/servers/place.js';
import { skipSuite } from '../helpers/servers/program.js';
import { s3Client, sftpPlace, storagePlaces } from '../helpers/servers/remote-places.js';
import { tempFolder } from '../helpers/temp.js';

/** A place behind a gate, where something unfinished can be seen. */
interface Stage {
  readonly place: Place;
  /** Port that its URLs, or its endpoint, name. */
  readonly port: number;
  /** Seconds of film that make an output large enough to be caught. */
  readonly seconds: number;
  readonly afterBytes: number;
  readonly unfinished: () => Promise<readonly string[]>;
}

const stages: Stage[] = [];
const sftp = await sftpPlace();
if ('missing' in sftp) skipSuite('transfers over sftp that break off', sftp);
else {
  const port = Number(new URL(sftp.urlOf?.('a.mp4') ?? '').port);
  const unfinished = async () => (await sftp.list()).filter((name) => name !== 'out.mp4');
  stages.push({ place: sftp, port, seconds: 2, afterBytes: 2_000_000, unfinished });
}
const storage = await storagePlaces();
if ('missing' in storage) skipSuite('transfers over s3 that break off', storage);
else {
  const [, s3, swift] = storage;
  const client = s3Client(swift);
  const unfinished = async () => {
    const { Uploads = [] } = await client.send(new ListMultipartUploadsCommand({ Bucket: 'films-out-s3' }));
    return Uploads.map(({ Key = '' }) => Key);
  };
  const port = Number(new URL(swift.s3Endpoint).port);
  stages.push({ place: s3, port, seconds: 6, afterBytes: 9_000_000, unfinished });
}

const test = suite('transfers that break off');
const folder = tempFolder();
let gate: Gate | null = null;

test.after.each(async () => {
  killDaemons();
  await gate?.end();
});
test.after(async () => {
  for (const { place } of stages) await place.end();
  if (!('missing' in storage)) await storage[0].end();
});

/** A film that cannot be packed well: about three and a half megabytes a second. */
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
  return (await eventually(read, ({ job }) => isFinal(job.state), limitMs)).job;
}

/** Starts a daemon that gets to a place through a gate, which holds what comes after so many bytes. */
async function start({ place, port, afterBytes }: Stage, data: string): Promise<[DaemonProcess, Gate]> {
  const opened = await startGate(port, afterBytes);
  gate = opened;
  const through = ([name, value]: readonly [string, string]) => [
    name,
    value.replace(`:${port}`, `:${opened.port}`),
  ];
  Object.assign(process.env, Object.fromEntries(Object.entries(place.env).map(through)));
  return [await startDaemonProcess(data, ['--files-root', folder]), opened];
}

const behind = (url: string, { port }: Stage, { port: gated }: Gate) =>
  url.replace(`:${port}/`, `:${gated}/`);

for (const stage of stages) {
  const { place, seconds, unfinished } = stage;
  const output = (way: Gate) => ({
    url: behind(place.urlOf?.('out.mp4') ?? '', stage, way),
    quality: 5,
    speed: 5,
  });

  test(`a daemon killed in the middle of an upload over ${place.scheme} takes away what it left, and does it again`, async () => {
    const data = join(tempFolder(), 'data');
    const [first, way] = await start(stage, data);
    const input = pathToFileURL(await film(seconds)).href;
    const id = await create(first, { input, outputs: [output(way)] });
    await way.closed;
    await eventually(unfinished, (names) => names.length > 0);
    await first.end('SIGKILL');
    const left = await unfinished();
    assert.is(left.length, 1, `nothing was left at the server: ${left}`);
    assert.is(await place.read('out.mp4'), null);
    way.letThrough();

    const second = await startDaemonProcess(data, ['--files-root', folder]);
    const job = await ended(second, id, 60_000);
    assert.is(job.state, 'finished', JSON.stringify(job, null, 1));
    await eventually(unfinished, (names) => names.length === 0);
    assert.is((await place.read('out.mp4'))?.byteLength, job.output_media_files[0]?.file_size_bytes);
    assert.equal(await place.list(), ['out.mp4']);
    await eventually(
      () => readdir(join(data, 'leftovers')),
      (names) => names.length === 0,
    );
    await second.end('SIGTERM');
  });

  test(`a job cancelled in the middle of an upload over ${place.scheme} leaves what stood there before`, async () => {
    const data = join(tempFolder(), 'data');
    const [daemon, way] = await start(stage, data);
    const before = await place.read('out.mp4');
    const input = pathToFileURL(await film(seconds)).href;
    const id = await create(daemon, { input, outputs: [output(way)] });
    await way.closed;
    await eventually(unfinished, (names) => names.length > 0);
    way.letThrough();
    assert.is((await ask(daemon, `/v2/jobs/${id}/cancel`, { method: 'PUT' })).status, 204);
    assert.is((await ended(daemon, id)).state, 'cancelled');
    await eventually(unfinished, (names) => names.length === 0, 10_000);
    await eventually(
      async () => way.holds(),
      (holds) => !holds,
      10_000,
    );
    assert.equal(await place.read('out.mp4'), before);
    assert.equal(await place.list(), before === null ? [] : ['out.mp4']);
    await eventually(
      () => readdir(join(data, 'leftovers')),
      (names) => names.length === 0,
      10_000,
    );
    await eventually(
      () => readdir(join(data, 'scratch')),
      (names) => names.length === 0,
      10_000,
    );
    await daemon.end('SIGTERM');
  });

  test(`a job cancelled in the middle of a download over ${place.scheme} leaves nothing here`, async () => {
    const data = join(tempFolder(), 'data');
    const [daemon, way] = await start(stage, data);
    const offered = (await place.offer?.('in.mp4', await readFile(await film(seconds)))) ?? '';
    const id = await create(daemon, { input: behind(offered, stage, way) });
    await way.closed;
    assert.is((await ask(daemon, `/v2/jobs/${id}/cancel`, { method: 'PUT' })).status, 204);
    assert.is((await ended(daemon, id)).state, 'cancelled');
    await eventually(
      async () => way.holds(),
      (holds) => !holds,
      10_000,
    );
    await eventually(
      () => readdir(join(data, 'scratch')),
      (names) => names.length === 0,
      10_000,
    );
    await daemon.end('SIGTERM');
  });
}

test.run();
