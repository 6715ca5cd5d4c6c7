import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type DaemonProcess, processKey, startDaemonProcess } from '../helpers/daemon-process.js';
import { checkNothingIgnored, checkXmlEquivalent } from '../helpers/fuzz/check-equivalents.js';
import { checkUnknownName, checkWrongValue, correct } from '../helpers/fuzz/check-rejection.js';
import { checkStoredJob } from '../helpers/fuzz/check-stored-job.js';
import { type Choices, createChoices } from '../helpers/fuzz/choices.js';
import { FuzzClient } from '../helpers/fuzz/fuzz-client.js';
import { generateDamagedBody, generateRouteRequest } from '../helpers/fuzz/generate-raw-request.js';
import { type Fields, generateRequest } from '../helpers/fuzz/generate-request.js';
import { keptRequests } from '../helpers/fuzz/kept-cases.js';
import { withUnknownName, withWrongValue } from '../helpers/fuzz/mutate-request.js';
import { namedPath } from '../helpers/fuzz/named-fields.js';
import { checkPlans } from '../helpers/fuzz/plan-request.js';
import { megabytes, watchMemory } from '../helpers/fuzz/process-memory.js';
import { createSuiteReport } from '../helpers/fuzz/suite-report.js';
import { testFfmpeg } from '../helpers/media.js';
import { suiteOptions } from '../helpers/suite-options.js';
import { tempFolder } from '../helpers/temp.js';

/*
 * Requests that are generated from the settings tables, near the edges of their values, to a daemon that runs no job. Most are sent with
 * `mock`, which validates like any other create and stores nothing. A part of those that are accepted is stored, read back and removed.
 */

const test = suite<{ daemon: DaemonProcess }>('generated requests');
const { seed, isLong } = suiteOptions();
const iterations = isLong ? 60_000 : 1200;
const workerCount = 8;
/** Accepted requests that mistakes are added to. */
const poolSize = 500;
/** The daemon keeps nothing of a request that it rejects, or of a job that is removed. */
const maxDaemonBytes = 400e6;
const maxFindings = 20;

test.before(async (context) => {
  context.daemon = await startDaemonProcess(tempFolder(), ['--jobs=0', '--min-free=0']);
});
test.after(async ({ daemon }) => {
  await daemon.end('SIGTERM');
});

for (const [index, { body, fields }] of keptRequests.entries()) {
  test(`kept request ${index + 1} is rejected with the fields that were sent`, async ({ daemon }) => {
    const client = new FuzzClient(daemon.url, processKey, createSuiteReport('kept requests'));
    const answer = await client.create(body);
    assert.equal(answer.ok ? [] : answer.errors.map(namedPath), fields);
  });
}

test('each generated request is accepted, or rejected with the fields that are wrong, and nothing is ignored in silence', async ({
  daemon,
}) => {
  const ffmpeg = await testFfmpeg();
  const report = createSuiteReport('fuzz requests');
  const memory = watchMemory(daemon.pid);
  const client = new FuzzClient(daemon.url, processKey, report);
  const accepted: Fields[] = [];

  const generate = async (choices: Choices) => {
    const body = generateRequest(choices);
    const answer = await client.create(body);
    report.count(answer.ok ? 'accepted' : 'rejected');
    const valid = answer.ok ? body : await correct(client, body, answer.errors);
    accepted.push(valid);
    if (accepted.length > poolSize) accepted.shift();
    if (answer.ok)
      checkNothingIgnored(
        body,
        (answer.created.warnings ?? []).map(({ field }) => field),
      );
    if (choices.chance(0.3))
      report.count((await checkPlans(valid, ffmpeg, choices)) > 0 ? 'plan-rejected' : 'planned');
    if (choices.chance(0.3) && (await checkXmlEquivalent(client, body))) report.count('xml');
    if (choices.chance(0.05)) {
      await checkStoredJob(client, valid, choices.pick(['/v2/jobs', '/jobs']));
      report.count('stored');
    }
  };
  const mutate = async (choices: Choices) => {
    const valid = choices.pick(accepted);
    const wrong = choices.chance(0.7) ? withWrongValue(valid, choices) : null;
    const unknown = wrong === null ? withUnknownName(valid, choices) : null;
    if (wrong !== null) await checkWrongValue(client, wrong);
    if (unknown !== null) await checkUnknownName(client, unknown);
  };
  const sendRaw = async (choices: Choices) => {
    const { path, init } = choices.chance(0.5)
      ? generateRouteRequest(choices)
      : generateDamagedBody(JSON.stringify({ ...choices.pick(accepted), mock: true }), choices);
    await client.send(path, init);
  };
  const worker = async (choices: Choices) => {
    for (let done = 0; done < iterations / workerCount && report.findingCount() < maxFindings; done += 1) {
      const kind = choices.number();
      try {
        if (kind < 0.45 || accepted.length === 0) await generate(choices);
        else await (kind < 0.85 ? mutate : sendRaw)(choices);
      } catch (error) {
        report.find(error);
      }
    }
  };
  // Each worker has its own choices, so that they do not depend on the order of answers; those of the pool still do.
  await Promise.all(
    Array.from({ length: workerCount }, (_, index) => worker(createChoices(seed * workerCount + index))),
  );
  const { daemonBytes } = memory.peak();
  memory.stop();
  report.close({ 'daemon memory': megabytes(daemonBytes) });
  assert.is(report.findingCount(), 0, 'there are findings');
  assert.ok(daemonBytes < maxDaemonBytes, `the daemon used ${megabytes(daemonBytes)}`);
});

test.run();
