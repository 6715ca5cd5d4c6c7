import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { runCli } from '../run-cli.js';
import { bodies, creates, type SubmitContext, withService } from './submit-service.js';

const test = suite<SubmitContext>('venc submit of several inputs');
withService(test);

/** Runs the shipped program in the folder of the test. */
const submit = ({ folder: cwd, env }: SubmitContext, words: readonly string[], stdin = '') =>
  runCli(['submit', ...words], { cwd, env, stdin });

test.before(({ folder }) => {
  writeFileSync(join(folder, 'a.mov'), 'a film');
  writeFileSync(join(folder, 'b.mov'), 'another film');
  writeFileSync(join(folder, 'logo.png'), 'an image');
  writeFileSync(join(folder, 'request.json'), '{"input": "http://h/r.mov", "tset": 1}');
});

test('each input is a job, in order; an error is reported by name, and sets the exit code', async (context) => {
  const words = ['a.mov', 'nowhere.mov', 'http://h/c.mov', 'request.json', '-', 'b.mov', '--width', '320'];
  context.failures = [];
  const { code, stdout, stderr } = await submit(context, words, '{"input": "http://h/stdin.mov"}');
  assert.equal([code, stdout], [2, '101\n102\n103\n104\n105\n'], stderr);
  assert.match(stderr, /^venc: nowhere\.mov cannot be read: there is no such file/m);
  assert.match(stderr, /^venc: request\.json: warning: tset: is not known/m);
  assert.equal(
    bodies(context.seen).map(({ input }) => input),
    ['upload://t/a.mov', 'http://h/c.mov', 'http://h/r.mov', 'http://h/stdin.mov', 'upload://t/b.mov'],
  );
  assert.ok(bodies(context.seen).every(({ outputs }) => JSON.stringify(outputs) === '[{"width":320}]'));
});

test('the path of an uploaded file is sent to a daemon as the name of the input, and to no other service', async (context) => {
  const long = 'x'.repeat(250);
  const folder = join(context.folder, long, long, long, long, long);
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'c\n.mov'), 'a film');
  const path = `${[long, long, long, long, long].join('/')}/c\n.mov`;
  const { code, stderr } = await submit(context, ['a.mov', 'http://h/c.mov', path]);
  assert.is(code, 0, stderr);
  const names = bodies(context.seen).map(({ input_name: name }) => name);
  assert.equal(names.slice(0, 2), [join(context.folder, 'a.mov'), undefined]);
  assert.match(String(names[2]), /^…x.*\/c\\x0a\.mov$/, 'the end, with its control characters escaped');
  assert.is([...String(names[2])].length, 1024);
  context.seen = [];
  context.name = 'another';
  assert.is((await submit(context, ['a.mov', 'b.mov'])).code, 0);
  assert.ok(bodies(context.seen).every((body) => !('input_name' in body)));
});

test('an error of the service names its input; one that would be the same for all inputs ends the command', async (context) => {
  context.failures = [422];
  const words = ['http://h/1.mov', 'http://h/2.mov', 'http://h/3.mov', '--idempotency-key', 'day', '--json'];
  const rejected = await submit(context, words);
  assert.is(rejected.code, 2);
  assert.match(rejected.stderr, /^venc: http:\/\/h\/1\.mov: not so$/m);
  const lines = rejected.stdout.trimEnd().split('\n');
  assert.equal(
    lines.map((line) => JSON.parse(line).id),
    ['102', '103'],
  );
  assert.equal(
    creates(context.seen).map(({ headers }) => headers['idempotency-key']),
    ['day-1', 'day-2', 'day-3'],
  );
  context.seen = [];
  context.failures = [401];
  const stopped = await submit(context, words.slice(0, 3));
  assert.equal([stopped.code, stopped.stdout, creates(context.seen).length], [4, '', 1]);
  assert.match(stopped.stderr, /^venc: the inputs after http:\/\/h\/1\.mov were not submitted$/m);
});

test('uploads have one progress display, and a watermark is uploaded once', async (context) => {
  const words = ['a.mov', 'b.mov', '--watermark', 'url=logo.png', '--progress', 'json'];
  const { code, stdout, stderr } = await submit(context, words);
  assert.equal([code, stdout], [0, '101\n102\n'], stderr);
  const records = stderr.trimEnd().split('\n');
  const shown = records.map((line) => JSON.parse(line));
  assert.ok(shown.every(({ event, total_bytes }) => event === '3 uploads' && total_bytes === 26, stderr));
  assert.equal([shown.at(-1).file, shown.at(-1).percent], ['b.mov', 100]);
  assert.equal(
    context.seen.filter(({ method }) => method === 'PUT').map(({ path }) => path),
    ['/v2/uploads/logo.png', '/v2/uploads/a.mov', '/v2/uploads/b.mov'],
  );
});

test('names that inputs would share, and invalid flags, are reported once and before an upload', async (context) => {
  writeFileSync(
    join(context.folder, 'same.json'),
    '{"input": "http://h/r.mov", "outputs": {"base_url": "s3://b/out/", "filename": "a.mp4"}}',
  );
  writeFileSync(
    join(context.folder, 'url.json'),
    '{"input": "http://h/s.mov", "outputs": {"url": "s3://b/out/a.mp4"}}',
  );
  for (const [words, expectedText] of [
    [
      ['a.mov', 'b.mov', '--filename', 'x.mp4'],
      /^venc: --filename names one file, but there are several inputs/,
    ],
    [['a.mov', 'b.mov', '--output', 'url=s3://b/x.mp4'], /^venc: --url names one file/],
    [
      ['same.json', 'url.json', 'a.mov'],
      /^venc: url\.json and same\.json have an output with the same destination\. Nothing/,
    ],
    [['a.mov', 'b.mov', '--secondary-url', 's3://b/x.mp4'], /^venc: --secondary-url names one file/],
    [['-', '-'], /^venc: Only one input can be "-"/],
    [['a.mov', 'b.mov', '--quality', '9'], /^venc: --quality must be a whole number from 1 to 5/],
    [['-', 'a.mov', '--ndjson'], /--ndjson reads requests from stdin/],
  ] as const) {
    const { code, stdout, stderr } = await submit(context, words, '{"input": "http://h/a.mov"}');
    assert.equal([code, stdout], [2, ''], stderr);
    assert.match(stderr, expectedText);
    assert.is(stderr.match(/^venc: (?!hint)/gm)?.length, 1, stderr);
  }
  assert.is(context.seen.length, 0);
  const one = await submit(context, ['a.mov', '--filename', 'x.mp4']);
  assert.equal([one.code, one.stdout], [0, '101\n'], one.stderr);
});

test('in a pipe the next commands are not printed', async (context) => {
  const { stderr } = await submit(context, ['http://h/1.mov', 'http://h/2.mov']);
  assert.is(stderr, '');
});

test.run();
