import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { ErrorsRecord } from '../../src/shared/records.js';
import { runCli } from '../cli/run-cli.js';
import { startTestDaemon } from '../helpers/daemon.js';
import { killDaemons, processKey, startDaemonProcess } from '../helpers/daemon-process.js';
import { tempFolder } from '../helpers/temp.js';

test.after(killDaemons);

test('a key that exceeds --rate-limit must wait, others do not', async () => {
  const daemon = await startTestDaemon({ jobs: 0, rateLimit: 5 });
  try {
    for (let count = 0; count < 5; count += 1) assert.is((await daemon.request('/v2/jobs')).status, 200);
    const rejected = await daemon.request('/v2/jobs', { method: 'POST', body: '{}' });
    assert.is(rejected.status, 429);
    const seconds = Number(rejected.headers.get('retry-after'));
    assert.ok(Number.isInteger(seconds) && seconds >= 1 && seconds <= 12, String(seconds));
    assert.is(((await rejected.json()) as ErrorsRecord).errors.length, 1);
    assert.is((await daemon.request('/v2/jobs.xml')).status, 429);
    assert.is((await daemon.request('/v2/jobs/1/cancel', { method: 'PUT' })).status, 429);

    // Clients without a valid key are counted by address.
    for (let count = 0; count < 5; count += 1) {
      assert.is((await fetch(`${daemon.url}/v2/jobs?api_key=wrong-${count}`)).status, 401);
    }
    assert.is((await fetch(`${daemon.url}/v2/jobs`)).status, 429);
    for (const path of ['/', '/health', '/version', '/openapi.json']) {
      assert.is((await fetch(`${daemon.url}${path}`)).status, 200, path);
    }
    assert.is((await fetch(`${daemon.url}/hosted/0123456789abcdef/a.mp4`)).status, 404);
  } finally {
    await daemon.stop();
  }
});

test('a daemon without --rate-limit accepts any number of requests', async () => {
  const daemon = await startTestDaemon({ jobs: 0 });
  try {
    const answers = await Promise.all(Array.from({ length: 200 }, () => daemon.request('/v2/jobs')));
    assert.equal([...new Set(answers.map(({ status }) => status))], [200]);
  } finally {
    await daemon.stop();
  }
});

test('venc daemon reads the limit from its flag', async () => {
  const daemon = await startDaemonProcess(join(tempFolder(), 'data'), ['--jobs', '0', '--rate-limit', '1']);
  const list = () => fetch(`${daemon.url}/v2/jobs`, { headers: { 'Service-Api-Key': processKey } });
  assert.is((await list()).status, 200);
  assert.is((await list()).status, 429);
  assert.is(await daemon.end('SIGTERM'), 0);
});

for (const word of ['0', '-1', '1.5', 'many', '1000001']) {
  test(`--rate-limit ${word} is rejected`, async () => {
    const { code, stderr } = await runCli(['daemon', '--rate-limit', word]);
    assert.is(code, 2);
    assert.match(stderr, /--rate-limit/);
  });
}

test.run();
