import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { createAccount } from '../../daemon/admin/accounts.js';
import { openFolderSetup } from '../../daemon/admin/open-setup.js';
import { findingsOfWorkers } from '../../src/cli/doctor/check-service.js';
import { workersTable } from '../../src/cli/output/workers-table.js';
import type { WorkerRecord } from '../../src/shared/records.js';
import { displayWidth } from '../../src/shared/text/display-width.js';
import { productVersion } from '../../src/shared/version.js';
import { matchesGolden } from '../helpers/golden.js';
import { joinRequest, type ServedContext, serveContext } from '../helpers/served-context.js';
import { startFakeService } from '../helpers/servers/fake-service.js';
import { completionsOf, runInProcess } from './run-here.js';

interface Context {
  served: ServedContext;
  env: Record<string, string>;
}

const test = suite<Context>('venc workers');

test.before.each(async (context) => {
  context.served = await serveContext();
  context.env = { VENC_URL: context.served.url, VENC_API_KEY: context.served.key };
});
test.after.each(({ served }) => served.close());

test('without workers it says how to add one', async ({ env }) => {
  const { code, stdout, stderr } = await runInProcess(['workers'], { env });
  assert.equal([code, stdout], [0, '']);
  assert.match(stderr, /^venc: no workers\nvenc: hint: .*venc keys create --worker.*venc worker --join URL/);
  const json = await runInProcess(['workers', '--json'], { env });
  assert.equal([json.code, json.stdout, json.stderr], [0, '[]\n', '']);
});

test('lists workers as a table, as JSON and by fields', async ({ env, served }) => {
  const { workers } = served.appContext;
  await workers.join(joinRequest({ labels: ['gpu', 'big'] }));
  await workers.join(joinRequest({ name: 'attic', jobs: 1 }));
  await workers.setDraining('attic', true);
  const table = await runInProcess(['workers'], { env, width: 120 });
  const [head, attic, box] = table.stdout.split('\n');
  assert.match(head ?? '', /^NAME +STATE +JOBS +LAST SEEN +SPEED +LABELS +VERSION +FFMPEG$/);
  assert.match(attic ?? '', /^attic +drained +0\/1 +\d+s ago +- +\d/);
  assert.match(box ?? '', /^box +idle +0\/2 +\d+s ago +- +gpu, big +\d\S+ +7\.0$/);
  const fields = await runInProcess(['workers', '--jsonl', '--fields', 'name,labels,draining'], { env });
  assert.is(
    fields.stdout,
    '{"name":"attic","labels":[],"draining":true}\n{"name":"box","labels":["gpu","big"],"draining":false}\n',
  );
  const wrong = await runInProcess(['workers', '--fields', 'nmae'], { env });
  assert.is(wrong.code, 2);
});

test('pauses a worker, and resume ends pause and drain', async ({ env, served }) => {
  await served.appContext.workers.join(joinRequest());
  const paused = await runInProcess(['workers', 'pause', 'box'], { env });
  assert.equal([paused.code, paused.stdout], [0, '']);
  assert.match(paused.stderr, 'worker box takes no jobs until it is resumed');
  assert.match((await runInProcess(['workers'], { env })).stdout, /box +paused/);
  await runInProcess(['workers', 'drain', 'box'], { env });
  await runInProcess(['workers', 'resume', 'box'], { env });
  const [box] = served.appContext.workers.list();
  assert.equal([box?.isPaused, box?.isDraining], [false, false]);
  assert.is((await runInProcess(['workers', 'pause', 'bxo'], { env })).code, 5);
});

test('drains and resumes a worker, and suggests names and commands', async ({ env, served }) => {
  await served.appContext.workers.join(joinRequest());
  const drained = await runInProcess(['workers', 'drain', 'box'], { env });
  assert.equal([drained.code, drained.stdout], [0, '']);
  assert.match(drained.stderr, 'worker box takes no further jobs and ends after those that it runs');
  assert.is(served.appContext.workers.list()[0]?.isDraining, true);
  const resumed = await runInProcess(['workers', 'resume', 'box'], { env });
  assert.match(resumed.stderr, 'worker box takes jobs again');
  assert.is(served.appContext.workers.list()[0]?.isDraining, false);
  const unknown = await runInProcess(['workers', 'drain', 'bxo'], { env });
  assert.is(unknown.code, 5);
  assert.match(
    unknown.stderr,
    /There is no worker with the name bxo; did you mean box\?\nvenc: hint: venc workers lists/,
  );
  const typo = await runInProcess(['workers', 'drian', 'box'], { env });
  assert.is(typo.code, 2);
  assert.match(typo.stderr, /unknown command 'drian'\nvenc: hint: did you mean drain\?/);
});

test('completions have the names of the workers', async ({ env, served }) => {
  await served.appContext.workers.join(joinRequest());
  assert.is(await completionsOf(['workers', 'drain', ''], env), 'box\t0 of 2 jobs\n');
});

test('a key of another account and a service without workers are explained', async ({ served }) => {
  const { key } = await createAccount(openFolderSetup(served.dataFolder), 'studio');
  const service = await startFakeService();
  const other = { VENC_URL: service.url, VENC_API_KEY: service.key };
  const strangers = { VENC_URL: served.url, VENC_API_KEY: key };
  for (const words of [['workers'], ['workers', 'drain', 'box']]) {
    const stranger = await runInProcess(words, { env: strangers });
    assert.is(stranger.code, 4);
    assert.match(stranger.stderr, /only keys of the account default.*\nvenc: hint: use a full access key/);
    const lacking = await runInProcess(words, { env: other });
    assert.is(lacking.code, 5);
    assert.match(lacking.stderr, 'This service has no workers that venc can list.');
  }
  await service.close();
});

test('show has a line with the worker of the job', async ({ env, served }) => {
  const { workerId } = await served.appContext.workers.join(joinRequest());
  const submitted = await runInProcess(['submit', 'http://127.0.0.1:9/a.mp4'], { env });
  const claim = await served.appContext.remoteClaims.claim(workerId, AbortSignal.timeout(10_000));
  assert.is(String(claim?.job.id), submitted.stdout.trim());
  const { stdout } = await runInProcess(['show', '@last'], { env });
  assert.match(stdout, /\n {2}worker +box\n/);
  const fields = await runInProcess(['show', '@last', '--fields', 'worker'], { env });
  assert.match(fields.stdout, /worker +box\n/);
});

test('doctor shows the workers of the running daemon', async ({ served }) => {
  await served.appContext.workers.join(joinRequest());
  await served.appContext.workers.join(joinRequest({ name: 'attic', version: '0.0.9' }));
  const { stdout } = await runInProcess(['doctor', '--data', served.dataFolder]);
  assert.match(stdout, /ok {7}workers: 2 workers are connected, 4 jobs at a time\n/);
  assert.match(stdout, /note {5}workers: have another version than this command .*: attic \(0\.0\.9\)/);
});

const now = new Date('2026-03-01T12:00:00Z');

function workerWith(change: Partial<WorkerRecord>): WorkerRecord {
  return {
    ...{ name: 'box', version: productVersion, ffmpeg: '7.0', jobs: 2, labels: [], job_ids: [] },
    ...{ draining: false, paused: false, closed_by: null, closed_until: null, speed: null },
    joined_at: '2026-03-01T09:00:00Z',
    last_seen_at: '2026-03-01T11:59:58Z',
    ...change,
  };
}

test('doctor names the workers that have not reported for a while, five at most', () => {
  const silent = { last_seen_at: '2026-03-01T11:59:15Z' };
  const workers = [1, 2, 3, 4, 5, 6, 7].map((number) =>
    workerWith({ name: `w${number}`, jobs: 1, ...silent }),
  );
  const findings = findingsOfWorkers({ workers: [workerWith({ draining: true }), ...workers], at: now });
  assert.equal(
    findings.map(({ level, message }) => [level, message]),
    [
      ['good', '1 worker is connected, 2 jobs at a time, 1 draining'],
      ['note', 'have not reported for a while: w1 (45s), w2 (45s), w3 (45s), w4 (45s), w5 (45s) and 2 more'],
    ],
  );
  assert.equal(findingsOfWorkers({ workers: [], at: now }), []);
});

const listed = [
  workerWith({
    name: 'attic',
    version: '0.0.9',
    ffmpeg: '5.1.6-0+deb12u1',
    jobs: 1,
    draining: true,
    job_ids: [7],
  }),
  workerWith({ labels: ['gpu', 'big', 'a-label-of-some-length'], job_ids: [8, 9, 10, 11], speed: 3.449 }),
  workerWith({
    name: 'a-machine-with-a-long-name.studio.example.com',
    last_seen_at: '2026-03-01T11:55:00Z',
    ffmpeg: 'n7.1-\u001b[2J-static',
  }),
].map((worker) => ({ ...worker, version: worker.version === productVersion ? 'VERSION' : worker.version }));

for (const width of [60, 80, 140]) {
  test(`the table of workers fits ${width} columns`, () => {
    const text = workersTable(listed, { width, hasColour: false, now });
    for (const line of text.split('\n')) assert.ok(displayWidth(line) <= width, line);
    matchesGolden(`cli/workers-${width}.txt`, text);
  });
}

test.run();
