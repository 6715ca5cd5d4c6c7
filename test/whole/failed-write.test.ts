import { writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { killDaemons, processKey, startDaemonProcess } from '../helpers/daemon-process.js';
import { tempFolder } from '../helpers/temp.js';

test.after(() => killDaemons());

/** Loaded by Node before the program: after a signal, files of jobs can be neither opened nor written. */
const failures = `
import callbacks from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
const { open, write } = callbacks;
const fail = (code) => Promise.reject(Object.assign(new Error(code + ': injected by the test'), { code }));
let isShort = false;
callbacks.open = (path, ...rest) =>
  isShort && String(path).includes('/jobs/')
    ? fail('ENOSPC').catch((error) => rest.at(-1)(error))
    : open(path, ...rest);
callbacks.write = (file, ...rest) =>
  isShort ? fail('ENOSPC').catch((error) => rest.at(-1)(error)) : write(file, ...rest);
syncBuiltinESMExports();
process.on('SIGUSR2', () => { isShort = true; process.stderr.write('out of resources\\n'); });
`;

function cancel(url: URL): Promise<string> {
  return new Promise((resolve, reject) => {
    const options = { method: 'PUT', headers: { 'Service-Api-Key': processKey } };
    request(url, options, (answer) => {
      let text = '';
      answer.on('data', (chunk) => {
        text += String(chunk);
      });
      answer.on('end', () => resolve(`${answer.statusCode} ${text}`));
    })
      .on('error', reject)
      .end();
  });
}

test('if a change of a job can be neither written nor cut off, the error gives the reason of the failed write', async () => {
  const folder = tempFolder();
  const path = join(folder, 'failures.mjs');
  writeFileSync(path, failures);
  process.env.NODE_OPTIONS = `--import ${pathToFileURL(path).href}`;
  const daemon = await startDaemonProcess(join(folder, 'data'), ['--jobs', '0']);
  delete process.env.NODE_OPTIONS;
  const headers = { 'Service-Api-Key': processKey };
  const body = JSON.stringify({ input: 'http://127.0.0.1:9/film' });
  const created = await fetch(`${daemon.url}/v2/jobs`, { method: 'POST', headers, body });
  const { id } = (await created.json()) as { id: string };
  daemon.child.kill('SIGUSR2');
  while (!daemon.logged().includes('out of resources')) await new Promise(setImmediate);
  const response = await cancel(new URL(`${daemon.url}/v2/jobs/${id}/cancel`));
  assert.match(response, '503 {"errors":["There is no space left on the disk', daemon.logged());
  await daemon.end('SIGKILL');
});

test.run();
