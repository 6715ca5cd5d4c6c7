import { readdir } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { startCli } from '../cli/run-cli.js';
import { film, makeMedia } from '../helpers/media.js';
import { tempFolder } from '../helpers/temp.js';
import { waitUntil } from '../helpers/wait-until.js';

test('Ctrl-C ends an upload to a bucket that does not answer within 3 seconds', async () => {
  const folder = tempFolder();
  await makeMedia(join(folder, 'in.mp4'), film('160x120', 1));
  const requests: string[] = [];
  const silent = createServer((request) => {
    requests.push(request.method ?? '');
    request.resume();
  }).listen(0, '127.0.0.1');
  await new Promise((resolve) => silent.once('listening', resolve));
  const { port } = silent.address() as AddressInfo;
  const env = {
    AWS_ENDPOINT_URL_S3: `http://127.0.0.1:${port}`,
    AWS_ACCESS_KEY_ID: 'id',
    AWS_SECRET_ACCESS_KEY: 'secret',
    TMPDIR: folder,
  };
  const run = startCli(['run', 'in.mp4', '-o', 's3://bucket/out.mp4'], { cwd: folder, env });
  await waitUntil('the upload has begun', () => requests.includes('PUT'));
  const startedAt = performance.now();
  run.child.kill('SIGINT');
  const { code } = await run.ended;
  const seconds = (performance.now() - startedAt) / 1000;
  silent.closeAllConnections();
  silent.close();
  assert.is(code, 130);
  assert.ok(seconds < 3, `${seconds} s`);
  assert.equal(await readdir(folder), ['in.mp4']);
});

test.run();
