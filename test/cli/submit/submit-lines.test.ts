import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { bodies, creates, type SubmitContext, withService } from './submit-service.js';

const test = suite<SubmitContext>('venc submit --ndjson');
withService(test);

test('each line is a job; an invalid one is reported by its number, and the others are submitted', async (context) => {
  const { venc, seen } = context;
  const lines = [
    '{"input": "http://h/1.mov", "outputs": {"label": "\u2028"}}',
    '{"input": ',
    '',
    '["http://h/4.mov"]',
    '{"input": "http://h/5.mov", "tset": 1}\r',
    '{"input": "http://h/6.mov"}',
  ];
  context.failures = [];
  const result = await venc(
    ['-', '--ndjson', '--width', '320', '--idempotency-key', 'day'],
    lines.join('\n'),
  );
  assert.equal([result.code, result.stdout], [2, '101\n102\n103\n']);
  assert.match(result.stderr, /^venc: line 2: .* not a JSON object/m);
  assert.match(result.stderr, /^venc: line 4: .* not a JSON object/m);
  assert.match(result.stderr, /^venc: line 5: warning: tset: is not known/m);
  assert.equal(
    creates(seen).map(({ headers }) => headers['idempotency-key']),
    ['day-1', 'day-5', 'day-6'],
  );
  assert.equal(bodies(seen)[0], { input: 'http://h/1.mov', outputs: [{ label: '\u2028', width: 320 }] });
});

test('the exit code is that of the first failed line; an unreachable service or a rejected key ends the command', async (context) => {
  const { venc, seen } = context;
  const lines = [1, 2, 3].map((n) => JSON.stringify({ input: `http://h/${n}.mov` })).join('\n');
  context.failures = [422];
  const rejected = await venc(['-', '--ndjson', '--json'], lines);
  assert.is(rejected.code, 2);
  assert.match(rejected.stderr, /^venc: line 1: not so$/m);
  assert.equal(
    rejected.stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line).id),
    ['102', '103'],
  );
  context.seen = [];
  context.failures = [401];
  const stopped = await venc(['-', '--ndjson'], lines);
  assert.equal([stopped.code, stopped.stdout, creates(context.seen).length], [4, '', 1]);
  assert.match(stopped.stderr, /the lines after line 1 were not submitted/);
  assert.is(creates(seen).length, 3);
});

test('a line waits as long as a busy service asks, and makes one job', async (context) => {
  context.failures = [429, 429, 429, 'cut'];
  const { code, stdout, stderr } = await context.venc(['-', '--ndjson'], '{"input": "http://h/1.mov"}');
  assert.equal([code, stdout], [0, '105\n'], stderr);
  assert.match(stderr, /^venc: line 1: the service asks to wait for 1 s$/m);
  const keys = new Set(creates(context.seen).map(({ headers }) => headers['idempotency-key']));
  assert.equal([creates(context.seen).length, keys.size, keys.has(undefined)], [5, 1, false]);
});

test('if the service may not support keys, a busy service fails its line, and the next one waits', async (context) => {
  context.name = 'other';
  context.failures = [429];
  const lines = '{"input": "http://h/1.mov"}\n{"input": "http://h/2.mov"}';
  const startedAt = performance.now();
  const { code, stdout, stderr } = await context.venc(['-', '--ndjson'], lines);
  assert.equal([code, stdout], [3, '102\n'], stderr);
  assert.match(stderr, /^venc: line 1: not so$/m);
  assert.ok(performance.now() - startedAt > 900, 'it waited');
  assert.equal(
    bodies(context.seen).map(({ input }) => input),
    ['http://h/1.mov', 'http://h/2.mov'],
  );
});

test('a line with mock makes no job, and a message says so', async ({ venc }) => {
  const { code, stdout, stderr } = await venc(['-', '--ndjson'], '{"input": "http://h/1.mov", "mock": true}');
  assert.equal([code, stdout, stderr], [0, '', 'venc: line 1: the request is valid; nothing was queued\n']);
});

test('arguments that conflict with --ndjson are rejected once', async ({ venc, seen }) => {
  for (const [words, expectedText] of [
    [['a.mov', '--ndjson'], /reads requests from stdin/],
    [['-', '--ndjson', '--xml'], /cannot be used with/],
    [['-', '--ndjson', '--output', 'widht=1'], /^venc: --output has no setting/],
    [['http://h/a.mov', '--idempotency-key', 'a b'], /--idempotency-key must be/],
  ] as const) {
    const result = await venc(words, '{}\n{}\n');
    assert.equal([result.code, result.stdout], [2, '']);
    assert.match(result.stderr, expectedText);
  }
  assert.is(seen.length, 0);
});

test.run();
