import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { productVersion } from '../../src/shared/version.js';
import { type FakeService, startFakeService } from '../helpers/servers/fake-service.js';
import { runCli, startCli } from './run-cli.js';

const test = suite<{ service: FakeService; env: Record<string, string> }>('output of commands');

test.before(async (context) => {
  context.service = await startFakeService();
  context.env = { VENC_URL: context.service.url, VENC_API_KEY: context.service.key };
  context.service.states(1002, ['failed']);
});
test.after(({ service }) => service.close());

test('--version prints only the version', async () => {
  const result = await runCli(['--version']);
  assert.equal([result.code, result.stdout, result.stderr], [0, `${productVersion}\n`, '']);
});

test('list --json is an array of plain job objects as the service sent them', async ({ env }) => {
  const jobs = JSON.parse((await runCli(['list', '--json'], { env })).stdout);
  assert.equal(
    jobs.map((job: { id: string; made_by: string }) => [job.id, job.made_by]),
    [1003, 1002, 1001].map((id) => [String(id), 'somebody else']),
  );
});

test('list --jsonl prints one object per line, with the requested fields', async ({ env }) => {
  const result = await runCli(['list', '--jsonl', '--fields', 'id,output_media_files.state'], { env });
  assert.is(result.stdout.split('\n')[0], '{"id":"1003","output_media_files":[{"state":"finished"}]}');
});

test('an empty list is [] in JSON', async ({ env }) => {
  const result = await runCli(['list', '--json', '--state', 'cancelled'], { env });
  assert.is(result.stdout, '[]\n');
});

test('show --json is one plain job object, and progress is computed if the service has no such route', async ({
  env,
}) => {
  const shown = JSON.parse((await runCli(['show', '1001', '--json'], { env })).stdout);
  assert.equal([shown.id, shown.made_by], ['1001', 'somebody else']);
  const progress = JSON.parse((await runCli(['progress', '1001', '--json'], { env })).stdout);
  assert.equal([progress.state, progress.progress, progress.outputs.length], ['finished', 100, 1]);
  const output = JSON.parse((await runCli(['progress', '21001', '--output', '--json'], { env })).stdout);
  assert.is(output.progress, '41.5');
});

test('show prints the errors with advice, and escapes control characters', async ({ env }) => {
  const { stdout } = await runCli(['show', '1002'], { env });
  assert.match(stdout, 'FileNotFoundError: There is no \\x1b[31msuch\\x1b[0m file.');
  assert.match(stdout, /advice +Correct the URL/);
  assert.not(stdout.includes('\u001b'));
});

test('submit prints only the id; its key is in the header and never in the query', async ({
  env,
  service,
}) => {
  const words = ['submit', 'http://example.com/a.mov', '--width', '640', '--test', '--label', 'a b'];
  const result = await runCli(words, { env });
  assert.equal([result.code, result.stdout], [0, '1001\n']);
  const seen = service.seen.at(-1);
  assert.equal([seen?.method, seen?.path, seen?.query.size, seen?.key], ['POST', '/v2/jobs', 0, service.key]);
  assert.equal(JSON.parse(seen?.body ?? ''), {
    input: 'http://example.com/a.mov',
    test: 1,
    outputs: [{ label: 'a b', width: 640 }],
  });
});

test('a GET of a remote service has the key only in the header', async ({ env, service }) => {
  await runCli(['list'], { env });
  const seen = service.seen.at(-1);
  assert.equal([seen?.path, seen?.query.get('api_key'), seen?.key], ['/v2/jobs.json', null, service.key]);
});

test('submit - reads a request from stdin, and flags override it', async ({ env, service }) => {
  const stdin = '{"input": "http://u:pw@example.com/a.mov", "outputs": [{"width": 1, "label": "x"}]}';
  const result = await runCli(['submit', '-', '--json', '--width', '64'], { env, stdin });
  assert.equal(JSON.parse(result.stdout), { id: '1001', outputs: [{ id: '21001' }] });
  assert.equal(JSON.parse(service.seen.at(-1)?.body ?? '').outputs, [{ label: 'x', width: 64 }]);
});

test('an invalid request is rejected without repeating it', async ({ env }) => {
  const result = await runCli(['submit', '-'], { env, stdin: '{"input": "ftp://u:secretword@h/a"' });
  assert.is(result.code, 2);
  assert.not(`${result.stdout}${result.stderr}`.includes('secretword'));
});

test('submit --wait reports a failure and exits with 1', async ({ env, service }) => {
  service.states(1001, ['processing', 'failed']);
  const words = ['submit', 'http://example.com/a.mov', '--wait', '--progress', 'json'];
  const result = await runCli(words, { env });
  service.states(1001, ['finished']);
  assert.equal([result.code, result.stdout], [1, '1001\n']);
  assert.match(result.stderr, /"event":"job 1001","percent":41\.5/);
  assert.match(result.stderr, /job 1001 failed/);
});

test('watch prints one event per line, and objects with --jsonl', async ({ env, service }) => {
  service.states(1001, ['processing', 'finished']);
  const lines = (await runCli(['watch', '1001'], { env })).stdout.split('\n');
  assert.equal(lines, [
    'job 1001: processing',
    'input 11001: processing 41.5%, transcoding',
    'output 21001: processing 41.5%, transcoding',
    'job 1001: finished',
    '',
  ]);
  service.states(1001, ['processing', 'finished']);
  const objects = (await runCli(['watch', '1001', '--jsonl'], { env })).stdout.trim().split('\n');
  assert.equal(
    objects.map((line) => JSON.parse(line).type),
    ['progress', 'final'],
  );
});

test('a closed pipe ends the program without a message', async ({ env }) => {
  const run = startCli(['list', '--jsonl'], { env });
  run.child.stdout.destroy();
  const result = await run.ended;
  assert.equal([result.code, result.stderr], [0, '']);
});

test('a password in an argument is removed from the process list', async ({ env, service }) => {
  if (process.platform !== 'linux') return;
  const { readFile } = await import('node:fs/promises');
  service.states(1001, ['processing']);
  const run = startCli(['submit', 'ftp://user:hidden-word@example.com/a.mov', '--wait'], { env });
  await run.expectedText('1001');
  const words = await readFile(`/proc/${run.child.pid}/cmdline`, 'utf8');
  run.child.kill('SIGINT');
  const result = await run.ended;
  service.states(1001, ['finished']);
  assert.is(result.code, 130);
  assert.not(words.includes('hidden-word'));
  assert.not(`${result.stdout}${result.stderr}`.includes('hidden-word'));
});

for (const [answer, expectedText] of [
  ['{}', /its response has no job id/],
  ['{"id": "job-abc"}', /the id in its response, job-abc, cannot be used/],
  ['{"id": 9007199254740993}', /9007199254740993, cannot be used/],
] as const) {
  test(`the response ${answer} to a create is an error`, async () => {
    const server = createServer((_request, response) => response.end(answer));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const result = await runCli(['submit', 'http://h/a.mov'], { env: { VENC_URL: url, VENC_API_KEY: 'k' } });
    server.close();
    assert.equal([result.code, result.stdout], [3, ''], result.stderr);
    assert.match(result.stderr, expectedText);
  });
}

test('the report of files is taken from the report of all usage if the service has no other', async ({
  env,
}) => {
  const { code, stdout } = await runCli(['report', 'vod', '--json'], { env });
  assert.is(code, 0);
  assert.equal(JSON.parse(stdout).total, { encoded_minutes: '12.5', billable_minutes: '11' });
  assert.match((await runCli(['report', 'vod'], { env })).stdout, /2026-01-02 +12\.50 +11\.00/);
});

test('outputs at another host are fetched without the key, at their signed addresses', async ({
  env,
  service,
}) => {
  const { code, stdout } = await runCli(['download', '1001', '--progress', 'none'], { env });
  assert.equal([code, stdout], [0, '1001.mp4\n']);
  assert.not(service.seen.some(({ path }) => path.startsWith('/kept')));
});

test.run();
