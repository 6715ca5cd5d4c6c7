import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { startFakeService } from '../helpers/servers/fake-service.js';
import { tempFolder } from '../helpers/temp.js';
import { runCli } from './run-cli.js';

test('doctor finds all that is needed, holds no key, and makes nothing', async () => {
  const service = await startFakeService();
  const data = join(tempFolder(), 'data');
  const env = { VENC_URL: service.url, VENC_API_KEY: service.key, VENC_DATA: data };
  const result = await runCli(['doctor', '--json'], { env }).finally(() => service.close());
  assert.is(result.code, 0, result.stdout);
  const found = JSON.parse(result.stdout);
  assert.equal(
    [found.ok, found.data_folder.is_writable, found.service.is_reachable, found.service.is_key_good],
    [true, true, true, true],
  );
  assert.ok(found.encoders.includes('aac'));
  assert.not(result.stdout.includes(service.key));
  assert.not(existsSync(data));
});

test('doctor ends with 1 and says what to do when something is missing', async () => {
  const result = await runCli(['doctor', '--ffmpeg', '/no/such/ffmpeg']);
  assert.is(result.code, 1);
  assert.match(result.stdout, /MISSING {2}ffmpeg: .*\n +install ffmpeg/);
  assert.match(result.stdout, /note {2}service: No daemon is running.*\n +start one with: venc daemon/);
});

test.run();
