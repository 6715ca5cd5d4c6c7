import * as assert from 'uvu/assert';
import type { JobRecord } from '../../src/shared/records.js';
import { runInProcess } from '../cli/run-here.js';
import { daemonSuite, type TestDaemon } from '../helpers/daemon.js';

const test = daemonSuite<{ daemon: TestDaemon; env: Record<string, string> }>(
  'priority and labels of jobs',
  {},
  async (context) => {
    context.env = { VENC_URL: context.daemon.url, VENC_API_KEY: context.daemon.key };
  },
);

const input = 'http://example.com/a.mp4';

async function create(daemon: TestDaemon, body: string): Promise<JobRecord> {
  const response = await daemon.request('/v2/jobs.json', { method: 'POST', body });
  const { id } = (await response.json()) as { id: string };
  return jobOf(daemon, id);
}

async function jobOf(daemon: TestDaemon, id: string): Promise<JobRecord> {
  const details = (await (await daemon.request(`/v2/jobs/${id}.json`)).json()) as { job: JobRecord };
  return details.job;
}

test('job details have priority and labels, and the list has not', async ({ daemon }) => {
  const outputs = [{ requires: 'av1' }];
  const job = await create(
    daemon,
    JSON.stringify({ input, priority: 5, requires: ['GPU', 'gpu', 'b'], outputs }),
  );
  assert.equal([job.priority, job.requires], [5, ['gpu', 'b']]);
  assert.equal(job.output_media_files[0]?.requires, ['av1']);
  const list = (await (await daemon.request('/v2/jobs.json')).json()) as readonly { job: JobRecord }[];
  const listed = list.find((one) => one.job.id === job.id);
  assert.ok(listed);
  assert.equal(['priority' in listed.job, 'requires' in listed.job], [false, false]);
  assert.not('requires' in (listed.job.output_media_files[0] ?? {}));
});

test('job details have neither if the request has the defaults', async ({ daemon }) => {
  const job = await create(daemon, JSON.stringify({ input, priority: 0, requires: [] }));
  assert.equal(['priority' in job, 'requires' in job], [false, false]);
});

test('XML has the fields in requests and responses', async ({ daemon }) => {
  for (const requires of [
    '<requires type="array"><require>gpu</require><require>b</require></requires>',
    '<requires>gpu</requires><requires>b</requires>',
  ]) {
    const job = await create(
      daemon,
      `<api-request><input>${input}</input><priority type="integer">-2</priority>${requires}</api-request>`,
    );
    assert.equal([job.priority, job.requires], [-2, ['gpu', 'b']]);
    const xml = await (await daemon.request(`/v2/jobs/${job.id}.xml`)).text();
    assert.match(xml, /<priority type="integer">-2<\/priority>/);
    assert.match(
      xml,
      /<requires type="array">\s*<require>gpu<\/require>\s*<require>b<\/require>\s*<\/requires>/,
    );
  }
});

test('submit has flags for both, and show prints them', async ({ daemon, env }) => {
  const submitted = await runInProcess(
    [
      'submit',
      input,
      '--priority',
      '-7',
      '--requires',
      'gpu',
      '--requires',
      'Zone-2',
      '--output',
      'requires=av1',
    ],
    { env },
  );
  assert.is(submitted.code, 0, submitted.stderr);
  const id = submitted.stdout.trim();
  const job = await jobOf(daemon, id);
  assert.equal([job.priority, job.requires], [-7, ['gpu', 'zone-2']]);
  const shown = await runInProcess(['show', id], { env });
  assert.match(shown.stdout, /\n {2}priority +-7\n {2}requires +gpu, zone-2\n/);
  assert.match(shown.stdout, /\n {2}requires +av1\n/);
  const rejected = await runInProcess(['submit', input, '--priority', '11'], { env });
  assert.is(rejected.code, 2, rejected.stderr);
  assert.match(rejected.stderr, /--priority must be a whole number from -10 to 10/);
});

test.run();
