import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { checkClock, clockAhead } from '../../src/cli/doctor/check-clock.js';
import { checkNode } from '../../src/cli/doctor/check-node.js';
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

test('doctor tells which schemes have keys, without the keys, and which lack half of them', async () => {
  const env = {
    AWS_ACCESS_KEY_ID: 'id-of-a-test',
    AWS_SECRET_ACCESS_KEY: 'secret-of-a-test',
    VENC_SWIFT_USER: 'user-of-a-test',
  };
  const result = await runCli(['doctor'], { env });
  assert.match(result.stdout, /ok {2}transports: the environment has keys for s3\n/);
  assert.match(
    result.stdout,
    /note {2}transports: VENC_SWIFT_USER is set without VENC_SWIFT_KEY.*\n +set VENC_SWIFT_KEY too/,
  );
  assert.not.match(result.stdout, /of-a-test/);
});

test('clocks that differ by a few seconds agree, and more is told with its direction', () => {
  const now = new Date('2026-01-01T00:10:00Z');
  assert.is(clockAhead('Thu, 01 Jan 2026 00:09:58 GMT', now), 2);
  assert.is(clockAhead(undefined, now), null);
  assert.is(clockAhead('soon', now), null);
  assert.equal(
    [2, 600, -600].map((ahead) => checkClock(ahead).map(({ level, message }) => [level, message])),
    [
      [['good', 'agrees with that of the service']],
      [['note', '600 seconds ahead of that of the service']],
      [['note', '600 seconds behind that of the service']],
    ],
  );
});

test('an old Node is missing, and the oldest that will do is not', () => {
  const levels = ['v20.18.1', 'v20.18.0', 'v18.20.4', 'v22.0.0'].map((version) => checkNode(version).level);
  assert.equal(levels, ['good', 'missing', 'missing', 'good']);
});

test('doctor ends with 1 and says what to do when something is missing', async () => {
  const result = await runCli(['doctor', '--ffmpeg', '/no/such/ffmpeg']);
  assert.is(result.code, 1);
  assert.match(result.stdout, /MISSING {2}ffmpeg: .*\n +install ffmpeg/);
  assert.match(result.stdout, /note {2}service: No daemon is running.*\n +start one with: venc daemon/);
});

test.run();
