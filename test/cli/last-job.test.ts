import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type FakeService, startFakeService } from '../helpers/servers/fake-service.js';
import { tempFolder } from '../helpers/temp.js';
import { runCli } from './run-cli.js';
import { runInProcess } from './run-here.js';

const test = suite<{ service: FakeService; env: Record<string, string> }>('@last and -1');

test.before.each(async (context) => {
  context.service = await startFakeService({ acceptsCommands: true });
  context.env = { VENC_URL: context.service.url, VENC_API_KEY: context.service.key };
});
test.after.each(({ service }) => service.close());

/** Arguments, and the path of the request about the job; 1003 is the newest of three. */
const cases: readonly (readonly [words: string, path: string])[] = [
  ['show @last', '/v2/jobs/1003.json'],
  ['show -1', '/v2/jobs/1003.json'],
  ['show -2', '/v2/jobs/1002.json'],
  ['progress @last', '/v2/jobs/1003.json'],
  ['progress -2 --json', '/v2/jobs/1002.json'],
  ['watch @last --progress plain', '/v2/jobs/1003.json'],
  ['wait -1', '/v2/jobs/1003.json'],
  ['download -1 --progress none', '/v2/jobs/1003.json'],
];

for (const [words, path] of cases) {
  test(`venc ${words} requests ${path}`, async ({ service, env }) => {
    const { code, stderr } = words.startsWith('download')
      ? await runCli(words.split(' '), { env, cwd: tempFolder() })
      : await runInProcess(words.split(' '), { env });
    assert.is(code, 0, stderr);
    assert.ok(
      service.seen.some((request) => request.path === path),
      service.seen.map((request) => request.path).join('\n'),
    );
  });
}

for (const words of ['cancel -1', 'cancel @last', 'resubmit @last']) {
  test(`venc ${words} acts on the newest job`, async ({ service, env }) => {
    service.states(1003, ['processing']);
    const { code, stderr } = await runInProcess(words.split(' '), { env });
    assert.is(code, 0, stderr);
    assert.match(stderr, /^venc: job 1003 is (cancelled|resubmitted)\n$/);
  });
}

test('a number beyond the first job is an error, and an invalid id is rejected before any request', async ({
  service,
  env,
}) => {
  const few = await runInProcess(['wait', '-4'], { env });
  assert.is(few.code, 5);
  assert.match(few.stderr, '-4 names no job: there are only 3 jobs.');
  service.seen.length = 0;
  const wrong = await runInProcess(['show', '@newest'], { env });
  assert.is(wrong.code, 2);
  assert.match(wrong.stderr, '@last is the newest');
  assert.is(service.seen.length, 0);
});

test('show reports the id of an input or an output as such, with its job and the command to use', async ({
  env,
}) => {
  const input = await runInProcess(['show', '11001'], { env });
  assert.is(input.code, 5);
  assert.match(input.stderr, '11001 is not a job: it is the input 11001 of job 1001.');
  assert.match(input.stderr, 'hint: venc show 1001 shows the job, venc input 11001 the input');
  const output = await runInProcess(['show', '21002'], { env });
  assert.match(output.stderr, '21002 is not a job: it is the output 21002 of job 1002.');
});

test('list --latest is only the newest job, and --state accepts several', async ({ service, env }) => {
  service.states(1001, ['failed']);
  service.states(1002, ['cancelled']);
  const idsOf = async (words: string) => {
    const { stdout, stderr } = await runInProcess([...words.split(' '), '--jsonl', '--fields', 'id'], {
      env,
    });
    assert.is(stderr, '');
    return stdout.match(/\d+/g)?.map(Number);
  };
  assert.equal(await idsOf('list --latest'), [1003]);
  assert.equal(await idsOf('list --state failed,cancelled'), [1002, 1001]);
  assert.equal(await idsOf('list --state failed --state finished'), [1003, 1001]);
  assert.equal(await idsOf('list --state failed,cancelled --latest'), [1002]);
  const wrong = await runInProcess(['list', '--state', 'failed,done'], { env });
  assert.is(wrong.code, 2);
});

test.run();
