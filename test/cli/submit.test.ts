import { writeFileSync } from 'node:fs';
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { tempFolder } from '../helpers/temp.js';
import type { CliResult } from './run-cli.js';
import { runHere } from './run-here.js';

interface Seen {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

interface Context {
  server: Server;
  folder: string;
  seen: Seen[];
  /** What the next creates are answered with, before they are taken: a status, or `cut` for a broken connection. */
  troubles: (number | 'cut')[];
  /** The name that `/version` tells. */
  name: string;
  venc: (words: readonly string[], stdin?: string) => Promise<CliResult>;
}

const test = suite<Context>('venc submit');

test.before(async (context) => {
  context.folder = tempFolder();
  context.server = createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request) body += String(chunk);
    const { method = '', url: path = '', headers } = request;
    context.seen.push({ method, path: path.replace(/\?.*/, ''), headers, body });
    response.setHeader('Content-Type', 'application/json');
    if (path.startsWith('/version'))
      return response.end(JSON.stringify({ name: context.name, version: '1' }));
    if (method === 'PUT')
      return response.end(JSON.stringify({ url: `upload://t/${path.split('/').at(-1)}` }));
    const trouble = context.troubles.shift();
    if (trouble === 'cut') return response.destroy();
    if (trouble === 429) response.setHeader('Retry-After', '1');
    if (trouble !== undefined) return response.writeHead(trouble).end('{"errors": ["not so"]}');
    if (body.includes('"mock"')) return response.writeHead(201).end('{"id": null, "outputs": []}');
    return response
      .writeHead(201)
      .end(JSON.stringify({ id: String(100 + creates(context.seen).length), outputs: [] }));
  });
  await new Promise<void>((resolve) => context.server.listen(0, '127.0.0.1', resolve));
  // A server that listens at a port has an address of this kind.
  const { port } = context.server.address() as AddressInfo;
  const env = { VENC_URL: `http://127.0.0.1:${port}`, VENC_API_KEY: 'k' };
  context.venc = (words, stdin) =>
    runHere(['submit', ...words], { env, ...(stdin === undefined ? {} : { stdin }) });
});
test.after(({ server }) => void server.close());
test.before.each((context) => {
  context.seen = [];
  context.troubles = [];
  context.name = 'venc';
});

function creates(seen: readonly Seen[]): readonly Seen[] {
  return seen.filter(({ method }) => method === 'POST');
}

function bodies(seen: readonly Seen[]): readonly Record<string, unknown>[] {
  return creates(seen).map(({ body }) => JSON.parse(body));
}

const xml = `<?xml version="1.0"?><api-request><input>http://h/a.mov</input>
  <outputs type="array"><output><width>640</width><label>a</label></output></outputs></api-request>`;

test('an XML request comes from a file or stdin, and flags win over it', async ({ venc, folder, seen }) => {
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

test('what is no XML request is refused by its place, and nothing is sent', async ({ venc, seen }) => {
  for (const [words, stdin, says] of [
    [['-', '--xml'], '<api-request>\n<input></api-request>', /on stdin is not valid XML: line 2, column/],
    [['-', '--xml'], '{"input": "http://h/a.mov"}', /not valid XML/],
    [['-', '--xml'], '<job/>', /the root must be api-request/],
    [['http://h/a.mov', '--xml'], '', /--xml goes with a request/],
  ] as const) {
    const result = await venc(words, stdin);
    assert.equal([result.code, result.stdout], [2, ''], result.stderr);
    assert.match(result.stderr, says);
  }
  assert.is(seen.length, 0);
});

test('what is no JSON request is refused by its place, and nothing of it is repeated', async ({
  venc,
  seen,
}) => {
  for (const [stdin, says] of [
    [
      '{\n  "input": "s3://secret"\n  "test": true}',
      /no JSON object: there is a slip at line 3, column 3\.$/m,
    ],
    ['{"input": "s3://secret",}', /no JSON object: there is a slip at column 25\.$/m],
    ['"secret"', /no JSON object\.$/m],
    ['secret', /no JSON object\.$/m],
    ['', /no JSON object\.$/m],
  ] as const) {
    const { code, stderr } = await venc(['-'], stdin);
    assert.is(code, 2);
    assert.match(stderr, says);
    assert.not.match(stderr, 'secret');
  }
  assert.is(seen.length, 0);
});

test('a field that nobody knows is named with what was meant, and the job is submitted', async ({ venc }) => {
  const request = {
    input: 'http://h/a.mov',
    widht: 3,
    speed: 1,
    outputs: [{ widht: 640, region: 'us', watermark: [{ url: 'http://h/l.png', hight: 3 }] }],
  };
  const result = await venc(['-'], JSON.stringify(request));
  assert.equal([result.code, /^\d+\n$/.test(result.stdout)], [0, true]);
  assert.equal(result.stderr.trimEnd().split('\n'), [
    'venc: warning: nobody knows the field widht of the request',
    'venc: hint: did you mean width, which belongs into outputs?',
    'venc: warning: nobody knows the field speed of the request',
    'venc: hint: speed belongs into outputs',
    'venc: warning: nobody knows the field outputs[0].watermark[0].hight of the request',
    'venc: hint: did you mean height?',
    'venc: warning: nobody knows the field outputs[0].widht of the request',
    'venc: hint: did you mean width?',
    'venc: warning: nobody knows the field outputs[0].region of the request',
    'venc: hint: region belongs to the job, beside outputs',
  ]);
  const typed = await venc(['http://h/a.mov', '--output', 'widht=2']);
  assert.match(typed.stderr, /has no setting widht\.\nvenc: hint: did you mean width\?/);
});

test('each line is a job; a bad one is named by its number, and the others are submitted', async (context) => {
  const { venc, seen } = context;
  const lines = [
    '{"input": "http://h/1.mov", "outputs": {"label": "\u2028"}}',
    '{"input": ',
    '',
    '["http://h/4.mov"]',
    '{"input": "http://h/5.mov", "tset": 1}\r',
    '{"input": "http://h/6.mov"}',
  ];
  context.troubles = [];
  const result = await venc(
    ['-', '--ndjson', '--width', '320', '--idempotency-key', 'day'],
    lines.join('\n'),
  );
  assert.equal([result.code, result.stdout], [2, '101\n102\n103\n']);
  assert.match(result.stderr, /^venc: line 2: .* no JSON object/m);
  assert.match(result.stderr, /^venc: line 4: .* no JSON object/m);
  assert.match(result.stderr, /^venc: line 5: warning: nobody knows the field tset/m);
  assert.equal(
    creates(seen).map(({ headers }) => headers['idempotency-key']),
    ['day-1', 'day-5', 'day-6'],
  );
  assert.equal(bodies(seen)[0], { input: 'http://h/1.mov', outputs: [{ label: '\u2028', width: 320 }] });
});

test('the first code that was bad is that of the lines; a service out of reach or a refused key ends them', async (context) => {
  const { venc, seen } = context;
  const lines = [1, 2, 3].map((n) => JSON.stringify({ input: `http://h/${n}.mov` })).join('\n');
  context.troubles = [422];
  const refused = await venc(['-', '--ndjson', '--json'], lines);
  assert.is(refused.code, 2);
  assert.match(refused.stderr, /^venc: line 1: not so$/m);
  assert.equal(
    refused.stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line).id),
    ['102', '103'],
  );
  context.seen = [];
  context.troubles = [401];
  const stopped = await venc(['-', '--ndjson'], lines);
  assert.equal([stopped.code, stopped.stdout, creates(context.seen).length], [4, '', 1]);
  assert.match(stopped.stderr, /no line after line 1 was submitted/);
  assert.is(creates(seen).length, 3);
});

test('a line waits for as long as a busy service asks, and is made once', async (context) => {
  context.troubles = [429, 429, 429, 'cut'];
  const { code, stdout, stderr } = await context.venc(['-', '--ndjson'], '{"input": "http://h/1.mov"}');
  assert.equal([code, stdout], [0, '105\n'], stderr);
  assert.match(stderr, /^venc: line 1: the service asks to wait for 1 s$/m);
  const keys = new Set(creates(context.seen).map(({ headers }) => headers['idempotency-key']));
  assert.equal([creates(context.seen).length, keys.size, keys.has(undefined)], [5, 1, false]);
});

test('where nobody is known to honour keys a busy service costs its line, and the next one waits', async (context) => {
  context.name = 'other';
  context.troubles = [429];
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

test('a line that is only to be checked makes no job, and that is said', async ({ venc }) => {
  const { code, stdout, stderr } = await venc(['-', '--ndjson'], '{"input": "http://h/1.mov", "mock": true}');
  assert.equal([code, stdout, stderr], [0, '', 'venc: line 1: the request is valid; nothing was queued\n']);
});

test('two flags that ask for different things are refused', async ({ venc, seen }) => {
  const { code, stderr } = await venc(['http://h/a.mov', '--json', '--wait', '--download', 'films']);
  assert.is(code, 2);
  assert.match(stderr, /--json does not go with --download/);
  assert.is(seen.length, 0);
});

test('words that go not with --ndjson are refused once', async ({ venc, seen }) => {
  for (const [words, says] of [
    [['a.mov', '--ndjson'], /reads requests from stdin/],
    [['-', '--ndjson', '--xml'], /cannot be used with/],
    [['-', '--ndjson', '--output', 'widht=1'], /^venc: --output has no setting/],
    [['http://h/a.mov', '--idempotency-key', 'a b'], /--idempotency-key takes/],
  ] as const) {
    const result = await venc(words, '{}\n{}\n');
    assert.equal([result.code, result.stdout], [2, '']);
    assert.match(result.stderr, says);
  }
  assert.is(seen.length, 0);
});

const creating = ['http://h/a.mov'] as const;
const withKey = [...creating, '--idempotency-key', 'once'] as const;
const tries: readonly (readonly [string, readonly string[], string, number | 'cut', number, number])[] = [
  ['a broken create is not repeated without a key', creating, 'venc', 'cut', 1, 3],
  ['a 503 on a create is not repeated without a key', creating, 'venc', 503, 1, 3],
  ['a 429 on a create is not repeated without a key', creating, 'venc', 429, 1, 3],
  ['a broken create is not repeated where nobody is known to honour its key', withKey, 'other', 'cut', 1, 3],
  ['a broken create is repeated with a key that the service honours', withKey, 'venc', 'cut', 2, 0],
  ['a 503 is repeated with a key that the service honours', withKey, 'venc', 503, 2, 0],
  ['a refusal is not repeated with a key', withKey, 'venc', 422, 1, 2],
];

for (const [what, words, name, trouble, count, code] of tries) {
  test(what, async (context) => {
    context.name = name;
    context.troubles = [trouble];
    const result = await context.venc(words);
    assert.equal([result.code, creates(context.seen).length], [code, count], result.stderr);
    for (const { headers } of creates(context.seen)) {
      assert.is(headers['idempotency-key'], words === withKey ? 'once' : undefined);
    }
  });
}

test('a local watermark is uploaded once and named by its address; in a request it is a URL', async ({
  venc,
  folder,
  seen,
}) => {
  const logo = join(folder, 'my logo.png');
  writeFileSync(logo, 'a picture');
  const words = ['http://h/a.mov', '--watermark', `url=${logo},x=5`, '--output', `watermark="url=${logo}"`];
  const result = await venc([...words, '--output', 'width=64'], '');
  assert.is(result.code, 0, result.stderr);
  assert.equal(
    seen.map(({ method, path }) => [method, path]),
    [
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

test.run();
