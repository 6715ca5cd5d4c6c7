import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { createSsrfGuard } from '../../../daemon/net/ssrf-guard.js';
import { createFileTransport } from '../../../daemon/transports/file/file-transport.js';
import { createHttpTransport } from '../../../daemon/transports/http/http-transport.js';
import { isVencError } from '../../../src/shared/errors.js';
import { startHttpSource } from '../../helpers/servers/http-source.js';
import { tempFolder } from '../../helpers/temp.js';

const { signal } = new AbortController();
const guard = createSsrfGuard({ allowPrivateNetwork: true });
const http = createHttpTransport({ guard, stallTimeoutMs: 300 });

/** The class of the thrown error. */
const classOf = (query: Promise<unknown> | undefined) =>
  query?.then(
    () => 'nothing',
    (error: unknown) => (isVencError(error) ? error.errorClass : String(error)),
  );

test('the size of a file is read from the headers, through redirects, without the body', async () => {
  const sizeBytes = 5_000_000_000;
  const source = await startHttpSource((request, response) => {
    if (request.url === '/moved') response.writeHead(302, { Location: '/film' }).end();
    // The body is never sent.
    else response.writeHead(200, { 'Content-Length': String(sizeBytes) }).flushHeaders();
  });
  assert.is(await http.sizeOf?.(source.url('/film'), signal), sizeBytes);
  assert.is(await http.sizeOf?.(source.url('/moved'), signal), sizeBytes);
  await source.close();
});

test('a response without a length has no size', async () => {
  const source = await startHttpSource((_, response) => response.writeHead(200).write('film'));
  assert.is(await http.sizeOf?.(source.url('/film'), signal), null);
  await source.close();
});

test('a size query is rejected for the same reasons as a download', async () => {
  const source = await startHttpSource(({ url }, response) => {
    if (url !== '/silent') response.writeHead(Number(url?.slice(1))).end();
  });
  const found = await Promise.all(
    ['/401', '/403', '/404', '/silent'].map((path) => classOf(http.sizeOf?.(source.url(path), signal))),
  );
  assert.equal(found, [
    'InvalidUsernameOrPasswordError',
    'DownloadAccessDeniedError',
    'FileNotFoundError',
    'DownloadTimeoutError',
  ]);
  await source.close();
});

test('an aborted signal ends a size query', async () => {
  const source = await startHttpSource(() => {});
  const stopping = new AbortController();
  const query = http.sizeOf?.(source.url('/film'), stopping.signal);
  stopping.abort('cancelled');
  assert.is(await classOf(query), 'cancelled');
  await source.close();
});

test('the size of a local file is that of the file that would be read', async () => {
  const folder = tempFolder();
  const path = join(folder, 'film.mp4');
  await writeFile(path, 'film');
  const file = createFileTransport([folder]);
  assert.is(await file.sizeOf?.(pathToFileURL(path).href, signal), 4);
  assert.is(
    await classOf(file.sizeOf?.(pathToFileURL(join(folder, 'none')).href, signal)),
    'FileNotFoundError',
  );
  assert.is(
    await classOf(file.sizeOf?.(pathToFileURL('/etc/hostname').href, signal)),
    'DownloadAccessDeniedError',
  );
});

test.run();
