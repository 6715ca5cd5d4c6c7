import { copyFile, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { JobRecord } from '../../src/shared/records.js';
import { isFinal } from '../../src/shared/states.js';
import { killDaemons, processKey, startDaemonProcess } from '../helpers/daemon-process.js';
import { media } from '../helpers/media.js';
import { tempFolder } from '../helpers/temp.js';
import { waitUntil } from '../helpers/wait-until.js';
import { createWorkerKey, encodersOf, startWorker } from '../helpers/worker-process.js';

const test = suite('a worker whose daemon is killed');

test.after(killDaemons);

test('it goes on encoding, and hands in its job at the next start of the daemon', async () => {
  const [dataFolder, root] = [tempFolder(), tempFolder()];
  const flags = ['--jobs', '0', '--files-root', root];
  const killed = await startDaemonProcess(dataFolder, flags);
  const { url } = killed;
  const worker = startWorker(url, await createWorkerKey(dataFolder));
  const [input, output] = [join(root, 'in.mp4'), join(root, 'out.mp4')];
  await copyFile(await media('long.mp4'), input);
  const headers = { 'Service-Api-Key': processKey };
  const body = JSON.stringify({
    input: pathToFileURL(input).href,
    outputs: [{ url: pathToFileURL(output).href, speed: 1, width: 640 }],
  });
  const created = await fetch(`${url}/v2/jobs`, { method: 'POST', headers, body });
  const { id } = (await created.json()) as { id: string };
  await waitUntil('the worker encodes', async () => (await encodersOf(worker)).length > 0);
  await killed.end('SIGKILL');
  await waitUntil('the encode has ended', async () => (await encodersOf(worker)).length === 0);
  await waitUntil('the worker misses the daemon', () => worker.written().includes('cannot be reached'));
  await startDaemonProcess(dataFolder, [...flags, '--port', new URL(url).port]);
  let job: JobRecord | null = null;
  await waitUntil('the job has ended', async () => {
    const response = await fetch(`${url}/v2/jobs/${id}`, { headers });
    job = ((await response.json()) as { job: JobRecord }).job;
    return isFinal(job.state);
  });
  const { state, output_media_files: outputs } = job as unknown as JobRecord;
  assert.is(state, 'finished', worker.written());
  assert.is(outputs[0]?.file_size_bytes, (await readFile(output)).length);
  assert.match(worker.written(), /answers again/);
  // It encoded once: the claim was continued.
  assert.is(worker.written().match(new RegExp(`Job ${id} started`, 'g'))?.length, 1);
  const { code, stderr } = await worker.end('SIGTERM');
  assert.is(code, 0, stderr);
});

test('a worker whose name has a number keeps it at the next start of the daemon', async () => {
  const dataFolder = tempFolder();
  const killed = await startDaemonProcess(dataFolder, ['--jobs', '0']);
  const token = await createWorkerKey(dataFolder);
  const first = startWorker(killed.url, token, ['--name', 'box']);
  await waitUntil('the first has joined', () => first.written().includes('box has joined'));
  const second = startWorker(killed.url, token, ['--name', 'box']);
  await waitUntil('the second has joined', () => second.written().includes('box-2 has joined'));
  await first.end('SIGTERM');
  await killed.end('SIGKILL');
  await startDaemonProcess(dataFolder, ['--jobs', '0', '--port', new URL(killed.url).port]);
  await waitUntil('it has joined again', () => / joined http\S+ again/.test(second.written()));
  assert.match(second.written(), /box-2 joined http/);
  await second.end('SIGTERM');
});

test.run();
