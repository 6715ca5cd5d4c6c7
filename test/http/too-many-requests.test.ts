import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { runInProcess } from '../cli/run-here.js';
import { startTestDaemon } from '../helpers/daemon.js';
import { fetchRejection } from '../helpers/fetch-rejection.js';

test('a key that exceeds --rate-limit must wait, others do not', async () => {
  const daemon = await startTestDaemon({ jobs: 0, rateLimit: 5 });
  const [list, post] = [`${daemon.url}/v2/jobs`, { method: 'POST', body: '{}' }];
  const withKey = (init: RequestInit = {}) => ({ ...init, headers: { 'Service-Api-Key': daemon.key } });
  try {
    for (let count = 0; count < 5; count += 1) assert.is((await daemon.request('/v2/jobs')).status, 200);
    const rejected = await daemon.request('/v2/jobs', post);
    const seconds = Number(rejected.headers.get('retry-after'));
    assert.ok(Number.isInteger(seconds) && seconds >= 1 && seconds <= 12, String(seconds));
    await fetchRejection(list, withKey(), 429);
    assert.is((await fetchRejection(list, withKey(post), 429)).length, 1);
    await fetchRejection(`${list}.xml`, withKey(), 429, 'xml');
    await fetchRejection(`${list}/1/cancel`, withKey({ method: 'PUT' }), 429);

    // Clients without a valid key are counted by address.
    for (let count = 0; count < 5; count += 1)
      await fetchRejection(`${list}?api_key=wrong-${count}`, {}, 401);
    await fetchRejection(list, {}, 429);
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

for (const word of ['0', '-1', '1.5', 'many', '1000001']) {
  test(`--rate-limit ${word} is rejected`, async () => {
    const { code, stderr } = await runInProcess(['daemon', '--rate-limit', word]);
    assert.is(code, 2);
    assert.match(stderr, /--rate-limit/);
  });
}

test.run();
