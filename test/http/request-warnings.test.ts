import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as assert from 'uvu/assert';
import type { CreatedRecord, ErrorsRecord, JobRecord } from '../../src/shared/records.js';
import { runInProcess } from '../cli/run-here.js';
import { daemonSuite, type TestDaemon } from '../helpers/daemon.js';
import { tempFolder } from '../helpers/temp.js';

const test = daemonSuite('warnings about a request', { jobs: 0 });

const request = {
  input: 'http://127.0.0.1:9/nothing.mp4',
  outputs: [{ widht: 640, vp6_profile: 'vp6-e', label: 'a' }],
};
const warnings = [
  { field: 'outputs[0].widht', message: 'is not known and was ignored; did you mean width?' },
  { field: 'outputs[0].vp6_profile', message: 'has no effect here: it is an option of the codec vp6' },
];

async function create(
  daemon: TestDaemon,
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
): Promise<CreatedRecord> {
  const response = await daemon.request('/v2/jobs', { method: 'POST', body: JSON.stringify(body), headers });
  assert.is(response.status, 201);
  return (await response.json()) as CreatedRecord;
}

test('a create returns them, and the details of the job keep them', async ({ daemon }) => {
  const created = await create(daemon, request);
  assert.equal(created.warnings, warnings);
  const { job } = await daemon.read<{ job: JobRecord }>(`/v2/jobs/${created.id}`);
  assert.equal(job.warnings, warnings);
  const [listed] = await daemon.read<readonly { job: JobRecord }[]>('/v2/jobs');
  assert.is(listed?.job.warnings, undefined);
});

test('they are absent if there are none', async ({ daemon }) => {
  const created = await create(daemon, { input: request.input });
  assert.not.ok('warnings' in created);
  const { job } = await daemon.read<{ job: JobRecord }>(`/v2/jobs/${created.id}`);
  assert.not.ok('warnings' in job);
});

test('a mock returns them, and so does a repeated create', async ({ daemon }) => {
  assert.equal((await create(daemon, { ...request, mock: true })).warnings, warnings);
  const first = await create(daemon, request, { 'Idempotency-Key': 'one' });
  assert.equal(await create(daemon, request, { 'Idempotency-Key': 'one' }), first);
  assert.equal(first.warnings, warnings);
});

test('strict rejects unknown names, all at once, and keeps a warning about a setting without effect', async ({
  daemon,
}) => {
  const body = { ...request, strict: true, colour: 1 };
  const response = await daemon.request('/v2/jobs', { method: 'POST', body: JSON.stringify(body) });
  assert.is(response.status, 422);
  const { errors } = (await response.json()) as ErrorsRecord;
  assert.equal(errors.length, 2);
  assert.match(errors[0] ?? '', /^colour is not known/);
  assert.match(errors[1] ?? '', /^outputs\[0\]\.widht is not known; did you mean width/);
  const { widht: _, ...output } = request.outputs[0] ?? {};
  const created = await create(daemon, { ...request, strict: true, outputs: [output] });
  assert.equal(created.warnings, warnings.slice(1));
});

test('a setting that is not supported is rejected by name, with the reason', async ({ daemon }) => {
  const output = { drm: { method: 'x' }, cue_points: [{ name: 'a' }], encryption_password: 'hunter2' };
  const response = await daemon.request('/v2/jobs', {
    method: 'POST',
    body: JSON.stringify({ input: request.input, live_stream: true, outputs: [output] }),
  });
  assert.is(response.status, 422);
  const { errors } = (await response.json()) as ErrorsRecord;
  assert.equal(
    errors.map((text) => text.split(' ')[0]),
    ['live_stream', 'outputs[0].encryption_password', 'outputs[0].cue_points', 'outputs[0].drm'],
  );
  assert.not.match(errors.join(), 'hunter2');
});

test('submit prints them with the flags as typed, and those about a request file with its fields', async ({
  daemon,
}) => {
  const folder = tempFolder();
  const content = { $schema: 's', input: request.input, outputs: [{ size: '8x8', width: 32 }] };
  writeFileSync(join(folder, 'request.json'), JSON.stringify(content));
  const env = { VENC_URL: daemon.url, VENC_API_KEY: daemon.key };
  const flags = ['--size', '64x48', '--width', '32', '--audio-bitrate', '56'];
  const outputs = ['--output', 'vp6_profile=vp6-e', '--output', 'label=b,size=8x8,width=32'];
  const corrected = '--audio-bitrate was corrected to 64: bitrates are multiples of 16';
  for (const [args, expected] of [
    [
      [request.input, ...flags],
      ['--size has no effect with --width', corrected],
    ],
    [
      [request.input, ...outputs],
      [
        '--output 2: size has no effect with width',
        '--output 1: vp6_profile has no effect here: it is an option of the codec vp6',
      ],
    ],
    [
      [join(folder, 'request.json'), '--audio-bitrate', '56'],
      ['outputs[0].size: has no effect with width', corrected],
    ],
  ] as const) {
    const { code, stderr } = await runInProcess(['submit', ...args], { env });
    assert.is(code, 0, stderr);
    const printed = stderr.split('\n').filter((line) => line.includes('warning: '));
    assert.equal(
      printed,
      expected.map((text) => `venc: warning: ${text}`),
    );
  }
});

test.run();
