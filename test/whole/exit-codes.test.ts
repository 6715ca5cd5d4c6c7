import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type CliResult, runCli, startCli } from '../cli/run-cli.js';
import { startControllableService } from '../helpers/servers/controllable-service.js';
import { type FakeService, startFakeService } from '../helpers/servers/fake-service.js';

const test = suite<{
  service: FakeService;
  env: Record<string, string>;
  results: ReadonlyMap<string, CliResult>;
}>('exit codes');

test.before(async (context) => {
  context.service = await startFakeService();
  context.env = { VENC_URL: context.service.url, VENC_API_KEY: context.service.key };
  context.service.states(1002, ['failed']);
  context.service.states(1003, ['processing']);
  context.results = await runSideBySide(
    cases.map(([words]) => words),
    context.env,
  );
});
test.after(({ service }) => service.close());

/** Arguments, the exit code, and the expected stderr. */
const cases: readonly (readonly [string, number, RegExp])[] = [
  ['show 1001', 0, /^$/],
  ['wait 1001', 0, /^$/],
  ['wait 1001 1002', 1, /job 1002 failed\n.*FileNotFoundError/],
  ['wait 1002 1001 --any', 1, /failed/],
  ['show 999', 5, /^venc: There is no job 999 here\.\nvenc: hint: /],
  ['input 999', 5, /no input 999/],
  ['wait 1001 999', 5, /no job 999/],
  ['show abc', 2, /"abc" is not an id/],
  ['show 0', 2, /not an id/],
  ['show', 2, /missing required argument 'id'/],
  ['lst', 2, /unknown command 'lst'\nvenc: hint: did you mean list\?/],
  ['help lst', 2, /unknown command 'lst'\nvenc: hint: did you mean list\?/],
  ['--verison', 2, /^venc: unknown option '--verison'\nvenc: hint: did you mean --version\?\n$/],
  ['--data= list', 2, /--data takes <folder>/],
  [
    'daemon --port 0 --host 192.0.2.1',
    2,
    /Cannot listen on 192\.0\.2\.1 port 0: this machine has no such address\./,
  ],
  ['daemon --port 0 --files-root /no/such/folder', 2, /--files-root needs an existing folder/],
  ['list --jsno', 2, /unknown option '--jsno'\nvenc: hint: did you mean --json\?/],
  ['list --per-page many', 2, /--per-page takes a whole number of at least 1, not "many"/],
  ['list --json --jsonl', 2, /'--jsonl' cannot be used with option '--json'/],
  ['list --all --page 2', 2, /'--all' cannot be used with option '--page/],
  ['list --state done', 2, /--state takes pending, waiting/],
  ['list --fields id,nothing', 2, /There is no field "nothing"/],
  ['wait 1003 --timeout soon', 2, /--timeout takes a time such as/],
  ['wait 1003 --timeout 0.1s', 7, /Job 1003 is still running\.\nvenc: hint: to wait again: venc wait 1003/],
  ['wait 1001 --timeout 0', 0, /^$/],
  ['wait 1002 1001 --timeout 0', 1, /failed/],
  ['wait 1003 1001 --timeout 0', 7, /The job is not finished.*\. The jobs are still running\./],
  ['wait 1003 1001 --timeout 0 --any', 0, /^$/],
  ['wait 999 --timeout 0', 5, /no job 999/],
  ['cancel 1001', 6, /409/],
  ['cancel 1001 999 1003', 6, /1001.*\n[\s\S]*999[\s\S]*job 1003 is cancelled/],
  ['cancel 1003 1001 --all', 2, /needs either ids, --state or --all/],
  ['cancel --all', 2, /--yes/],
  ['cancel --state failed --yes', 2, /--state takes waiting or processing, not "failed"/],
  ['resubmit 1002', 6, /403.*\nvenc: hint: submit it as a new job/],
  ['submit http://example.com/reject-me.mov', 2, /422/],
  ['submit nowhere.mov', 2, /nowhere\.mov cannot be read: there is no such file/],
  ['submit http://example.com/a.mov --timeout 5', 2, /--timeout needs --wait/],
  ['submit http://example.com/a.mov --vidio-codec vp8', 2, /did you mean --video-codec/],
  ['watch 1001 --progress tty', 2, /needs a terminal/],
];

/** Independent commands run a few at a time, because much of a start is waiting for the disk. */
async function runSideBySide(
  lines: readonly string[],
  env: Readonly<Record<string, string>>,
): Promise<ReadonlyMap<string, CliResult>> {
  const results = new Map<string, CliResult>();
  const open = [...lines];
  const work = async () => {
    for (let line = open.shift(); line !== undefined; line = open.shift()) {
      results.set(line, await runCli(line.split(' '), { env }));
    }
  };
  await Promise.all([work(), work(), work(), work()]);
  return results;
}

for (const [words, code, expectedText] of cases) {
  test(`venc ${words} exits with ${code}`, ({ results }) => {
    const result = results.get(words);
    if (result === undefined) return assert.unreachable('it was not run');
    assert.is(result.code, code, result.stderr);
    assert.match(result.stderr, expectedText);
    assert.not(result.stderr.includes('    at '), 'no stack without --debug');
    assert.not(result.stderr.includes('\u001b'), 'no control characters of the service');
  });
}

test('a rejected key exits with 4, and so does a missing one', async ({ service }) => {
  const wrong = await runCli(['list'], { env: { VENC_URL: service.url, VENC_API_KEY: 'no-such-key' } });
  const none = await runCli(['list'], { env: { VENC_URL: service.url } });
  assert.equal([wrong.code, none.code], [4, 4]);
  assert.match(none.stderr, /no key for it/);
  assert.not(`${wrong.stdout}${wrong.stderr}`.includes('no-such-key'));
});

test('an unreachable service exits with 3, and so does a missing daemon', async () => {
  const rejected = await runCli(['list'], { env: { VENC_URL: 'http://127.0.0.1:1', VENC_API_KEY: 'k' } });
  const none = await runCli(['list']);
  assert.equal([rejected.code, none.code], [3, 3]);
  assert.match(rejected.stderr, /could not be reached: the connection was refused/);
  assert.match(none.stderr, /No daemon is running.*\nvenc: hint: start the daemon with: venc daemon/);
});

test('a server error is retried, and exits with 3 if it persists', async ({ service, env }) => {
  service.failNext(503, 2);
  assert.is((await runCli(['show', '1001'], { env })).code, 0);
  service.failNext(500, 3);
  const result = await runCli(['show', '1001'], { env });
  assert.is(result.code, 3);
  assert.match(result.stderr, /answered 500/);
});

test('a create is never retried', async ({ service, env }) => {
  service.failNext(503, 1);
  const before = service.seen.length;
  assert.is((await runCli(['submit', 'http://example.com/a.mov'], { env })).code, 3);
  assert.is(service.seen.length, before + 1);
});

test('Ctrl-C in wait and watch exits with 130, and prints that the job continues and how to return to it', async ({
  env,
  service,
}) => {
  for (const [command, hint] of [
    ['wait', 'to wait again: venc wait 1003'],
    ['watch', 'to watch again: venc watch 1003'],
  ] as const) {
    const before = service.seen.length;
    const run = startCli([command, '1003'], { env });
    while (service.seen.length === before) await new Promise((resolve) => setImmediate(resolve));
    run.child.kill('SIGINT');
    const result = await run.ended;
    assert.is(result.code, 130);
    assert.is(result.stderr, `venc: Interrupted. Job 1003 is still running.\nvenc: hint: ${hint}\n`);
  }
});

test('Ctrl-C while the service is unreachable does not claim that the jobs are still running', async () => {
  const service = await startControllableService(7);
  service.open();
  const env = { VENC_URL: service.url, VENC_API_KEY: 'k' };
  try {
    for (const command of ['wait', 'watch']) {
      service.fail(false);
      const before = service.asked();
      const run = startCli([command, '7'], { env });
      while (service.asked() < before + 3) await new Promise((resolve) => setTimeout(resolve, 10));
      service.fail(true);
      await run.expectedText('Trying again until it answers.');
      run.child.kill('SIGINT');
      const result = await run.ended;
      assert.is(result.code, 130, result.stderr);
      assert.match(result.stderr, /could not be reached; the state of job 7 is unknown\.\nvenc: hint: to w/);
      assert.not.match(result.stderr, 'still running');
    }
  } finally {
    await service.close();
  }
});

test('venc without arguments shows its help on stderr and exits with 2', async () => {
  const result = await runCli([]);
  assert.equal([result.code, result.stdout], [2, '']);
  assert.match(result.stderr, /^Usage: venc/);
});

test.run();
