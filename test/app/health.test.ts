import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { createHealthCheck } from '../../daemon/app/health.js';
import { tempFolder } from '../helpers/temp.js';

test('a daemon without an ffmpeg accepts jobs only while a worker is connected', async () => {
  let hasFfmpeg = false;
  const health = createHealthCheck({
    dataFolder: tempFolder(),
    minFreeBytes: 0,
    hasFfmpeg: () => hasFfmpeg,
    isDraining: () => false,
  });
  const [reason = '', ...others] = await health.reasons();
  assert.match(reason, /No ffmpeg/);
  assert.equal(others, []);
  hasFfmpeg = true;
  assert.equal(await health.reasons(), []);
  const results = await health.results();
  assert.equal(
    results.filter(({ ok }) => !ok),
    [],
  );
});

test.run();
