import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { createHealthCheck, maxHealthWaitMs } from '../../daemon/app/health.js';
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

test('a bucket that does not answer delays no create', async () => {
  const waits: (number | undefined)[] = [];
  const health = createHealthCheck({
    dataFolder: tempFolder(),
    minFreeBytes: 0,
    hostedProblem: async (maxWaitMs) => {
      waits.push(maxWaitMs);
      return 'The bucket cannot be reached.';
    },
    hasFfmpeg: () => true,
    isDraining: () => false,
  });
  assert.equal(await health.reasons(), []);
  assert.equal(waits, []);
  const failed = (await health.results()).filter(({ ok }) => !ok);
  assert.equal(failed, [
    { name: 'hosted_files', ok: false, isRequired: false, reason: 'The bucket cannot be reached.' },
  ]);
  assert.equal(waits, [maxHealthWaitMs]);
});

test.run();
