import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { runCli } from '../run-cli.js';
import { bodies, creates, type SubmitContext, withService } from './submit-service.js';

const test = suite<SubmitContext>('venc submit');
withService(test);

const xml = `<?xml version="1.0"?><api-request><input>http://h/a.mov</input>
  <outputs type="array"><output><width>640</width><label>a</label></output></outputs></api-request>`;

test('an XML request is read from a file or stdin, and flags override it', async ({ venc, folder, seen }) => {
  const path = join(folder, 'request.xml');
  writeFileSync(path, xml);
  for (const [words, stdin] of [
    [[path, '--width', '320'], undefined],
    [['-', '--xml', '--width', '320'], xml],
    [['-', '--width', '320'], xml],
  ] as const) {
    const result = await venc(words, stdin);
    assert.equal([result.code, result.stderr], [0, ''], words.join(' '));
    assert.equal(bodies(seen).at(-1), { input: 'http://h/a.mov', outputs: [{ label: 'a', width: 320 }] });
  }
});

test('an invalid XML request is rejected with the position, and nothing is sent', async ({ venc, seen }) => {
  for (const [words, stdin, expectedText] of [
    [['-', '--xml'], '<api-request>\n<input></api-request>', /on stdin is not valid XML: line 2, column/],
    [['-', '--xml'], '{"input": "http://h/a.mov"}', /not valid XML/],
    [['-', '--xml'], '<job/>', /the root must be api-request/],
    [['http://h/a.mov', '--xml'], '', /--xml needs a request/],
  ] as const) {
    const result = await venc(words, stdin);
    assert.equal([result.code, result.stdout], [2, ''], result.stderr);
    assert.match(result.stderr, expectedText);
  }
  assert.is(seen.length, 0);
});

test('an invalid JSON request is rejected with the position, and its text is not repeated', async ({
  venc,
  seen,
}) => {
  for (const [stdin, expectedText] of [
    [
      '{\n  "input": "s3://secret"\n  "test": true}',
      /not a JSON object: syntax error at line 3, column 3\.$/m,
    ],
    ['{"input": "s3://secret",}', /not a JSON object: syntax error at column 25\.$/m],
    ['"secret"', /not a JSON object\.$/m],
    ['secret', /not a JSON object\.$/m],
    ['', /The request on stdin is empty\.$/m],
  ] as const) {
    const { code, stderr } = await venc(['-'], stdin);
    assert.is(code, 2);
    assert.match(stderr, expectedText);
    assert.not.match(stderr, 'secret');
  }
  assert.is(seen.length, 0);
});

test('an unknown field is reported with a suggestion, and the job is submitted', async ({ venc }) => {
  const request = {
    input: 'http://h/a.mov',
    widht: 3,
    speed: 1,
    outputs: [{ widht: 640, region: 'us', watermark: [{ url: 'http://h/l.png', hight: 3 }] }],
  };
  const result = await venc(['-'], JSON.stringify(request));
  assert.equal([result.code, /^\d+\n$/.test(result.stdout)], [0, true]);
  assert.equal(result.stderr.trimEnd().split('\n'), [
    'venc: warning: widht: is not known and was ignored; did you mean width, which belongs in outputs?',
    'venc: warning: speed: is not known and was ignored; speed belongs in outputs',
    'venc: warning: outputs[0].widht: is not known and was ignored; did you mean width?',
    'venc: warning: outputs[0].region: is not known and was ignored; region belongs in the job',
    'venc: warning: outputs[0].watermark[0].hight: is not known and was ignored; did you mean height?',
  ]);
  const typed = await venc(['http://h/a.mov', '--output', 'widht=2']);
  assert.match(typed.stderr, /has no setting widht\.\nvenc: hint: did you mean width\?/);
});

test('conflicting flags are rejected', async ({ venc, seen }) => {
  const { code, stderr } = await venc(['http://h/a.mov', '--json', '--wait', '--download', 'films']);
  assert.is(code, 2);
  assert.match(stderr, /--json cannot be combined with --download/);
  assert.is(seen.length, 0);
});

const creating = ['http://h/a.mov'] as const;
const withKey = [...creating, '--idempotency-key', 'once'] as const;
const tries: readonly (readonly [string, readonly string[], string, number | 'cut', number, number])[] = [
  ['a broken create is not repeated without a key', creating, 'venc', 'cut', 1, 3],
  ['a 503 on a create is not repeated without a key', creating, 'venc', 503, 1, 3],
  ['a 429 on a create is not repeated without a key', creating, 'venc', 429, 1, 3],
  [
    'a broken create is not repeated if the service is not known to support its key',
    withKey,
    'other',
    'cut',
    1,
    3,
  ],
  ['a broken create is repeated with a key that the service supports', withKey, 'venc', 'cut', 2, 0],
  ['a 503 is repeated with a key that the service supports', withKey, 'venc', 503, 2, 0],
  ['a rejection is not repeated with a key', withKey, 'venc', 422, 1, 2],
];

for (const [what, words, name, failure, count, code] of tries) {
  test(what, async (context) => {
    context.name = name;
    context.failures = [failure];
    const result = await context.venc(words);
    assert.equal([result.code, creates(context.seen).length], [code, count], result.stderr);
    for (const { headers } of creates(context.seen)) {
      assert.is(headers['idempotency-key'], words === withKey ? 'once' : undefined);
    }
  });
}

test('a local watermark is uploaded once and replaced by its address; in a request file it must be a URL', async ({
  venc,
  folder,
  seen,
}) => {
  const logo = join(folder, 'my logo.png');
  writeFileSync(logo, 'an image');
  const words = ['http://h/a.mov', '--watermark', `url=${logo},x=5`, '--output', `watermark="url=${logo}"`];
  const result = await venc([...words, '--output', 'width=64'], '');
  assert.is(result.code, 0, result.stderr);
  assert.equal(
    seen.map(({ method, path }) => [method, path]),
    [
      // Whether an upload can be continued.
      ['GET', '/version'],
      ['PUT', '/v2/uploads/my%20logo.png'],
      ['POST', '/v2/jobs'],
    ],
  );
  const url = 'upload://t/my%20logo.png';
  assert.equal(bodies(seen)[0]?.outputs, [
    { watermark: [{ url }] },
    { watermark: [{ url, x: '5' }], width: 64 },
  ]);
  const missing = await venc(['http://h/a.mov', '--watermark', 'url=nowhere.png']);
  assert.equal([missing.code, missing.stdout], [2, '']);
  assert.match(missing.stderr, /nowhere\.png cannot be read: there is no such file/);
  const request = { input: 'http://h/a.mov', outputs: { watermark: { url: logo } } };
  await venc(['-'], JSON.stringify(request));
  assert.equal(bodies(seen).at(-1), request);
});

test('a caption file in the current folder that a request names is uploaded, and no other file', async ({
  env,
  folder,
  seen,
}) => {
  const write = (name: string, text: string) => writeFileSync(join(folder, name), text);
  write('de.srt', 'Guten Tag');
  const requestOf = (url: string) =>
    JSON.stringify({ input: 'http://h/a.mov', outputs: [{ caption_url: { url } }] });
  write('one.json', requestOf('de.srt'));
  write('two.json', requestOf('./de.srt'));
  const captionUrls = () =>
    bodies(seen).map(({ outputs }) => (outputs as { caption_url: { url: string } }[])[0]?.caption_url.url);
  for (const files of [['one.json'], ['one.json', 'two.json']]) {
    seen.length = 0;
    const result = await runCli(['submit', ...files], { cwd: folder, env });
    assert.is(result.code, 0, result.stderr);
    assert.equal(captionUrls(), Array(files.length).fill('upload://t/de.srt'));
    assert.is(seen.filter(({ method }) => method === 'PUT').length, files.length);
  }
  seen.length = 0;
  for (const url of [join(folder, 'de.srt'), '../de.srt', 'sub/../../de.srt'])
    await runCli(['submit', '-'], { cwd: folder, env, stdin: requestOf(url) });
  assert.equal(captionUrls(), [join(folder, 'de.srt'), '../de.srt', 'sub/../../de.srt']);
});

test.run();
