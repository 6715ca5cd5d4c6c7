import { once } from 'node:events';
import { connect } from 'node:net';
import { gzipSync } from 'node:zlib';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type BodyServer, startBodyServer } from './body-server.js';

const test = suite<{ server: BodyServer }>('body');

test.before(async (context) => {
  context.server = await startBodyServer();
});
test.after(({ server }) => server.close());

const mebibyte = 1024 * 1024;
const value = { input: 'http://example.com/größe-日本.mp4' };
const json = JSON.stringify(value);
const xml = `<api-request><input>${value.input}</input></api-request>`;
const as = (type: string): Record<string, string> => ({ 'Content-Type': type });
const utf16 = (text: string): Buffer => Buffer.from(text, 'utf16le');
const utf16be = (text: string): Buffer => utf16(text).swap16();
const latin1 = (text: string): Buffer => Buffer.from(text, 'latin1');
const bytes = (...list: readonly number[]): Buffer => Buffer.from(list);
const marked = (mark: Buffer, text: Buffer): Buffer => Buffer.concat([mark, text]);
const western = { input: 'http://example.com/größe.mp4' };
const westernXml = `<api-request><input>${western.input}</input></api-request>`;

const labels: readonly (readonly [string, string, number])[] = [
  ['application/json', json, 200],
  ['application/json', xml, 400],
  ['application/json', '{"input":', 400],
  ['application/vnd.api+json; charset=utf-8', json, 200],
  ['text/json', '<', 400],
  ['application/xml', xml, 200],
  ['text/xml; charset=UTF-8', xml, 200],
  ['application/soap+xml', xml, 200],
  ['APPLICATION/XML', xml, 200],
  ['application/xml', json, 200],
  ['application/xml', '{"input":', 400],
  ['application/xml', '<api-request>', 400],
  ['text/xml', 'input=a', 400],
  ['application/x-www-form-urlencoded', json, 200],
  ['application/x-www-form-urlencoded', xml, 200],
  ['application/x-www-form-urlencoded', `\n ${xml}`, 200],
  ['application/x-www-form-urlencoded', 'input=a', 415],
  ['application/x-www-form-urlencoded', '<api-request>', 415],
  ['application/x-www-form-urlencoded', '{bad', 400],
  ['text/plain', json, 200],
  ['text/plain', xml, 200],
  ['text/plain', '<request/>', 400],
  ['text/plain', 'input: a', 415],
  ['nonsense', 'input: a', 415],
  ['', json, 200],
  ['', xml, 200],
  ['', 'input: a', 400],
  ['', '<input', 400],
];

for (const [type, body, status] of labels) {
  const name = type === '' ? 'without a label' : `labelled ${type}`;
  test(`${body.slice(0, 14).trim()} ${name} is ${status}`, async ({ server }) => {
    const answer = await server.send(body, type === '' ? {} : as(type));
    assert.is(answer.status, status, answer.error);
    if (status === 200) assert.equal(answer.value, value);
    else assert.match(answer.error ?? '', /^[A-Z].{20,}\.$/s);
  });
}

test('an empty body is no body, regardless of its content type', async ({ server }) => {
  for (const type of ['application/json', 'application/xml', 'text/plain']) {
    for (const body of ['', ' \n', '\uFEFF']) {
      assert.equal(await server.send(body, as(type)), { status: 200 });
    }
  }
  assert.equal(await server.send(''), { status: 200 });
});

test('a JSON syntax error is reported with its position and without the text around it', async ({
  server,
}) => {
  const samples: readonly (readonly [string, string])[] = [
    ['{"a": 1,\n  "b": 2,}', 'line 2, column 10: Expected double-quoted property name'],
    ['{"input": secret-word}', "Unexpected token 's'"],
    ['{"input": "s3://key:secret-word@bucket/a" "b"}', "line 1, column 43: Expected ',' or '}'"],
    ['{"input": "a', 'Unterminated string'],
    ['{"input": ', 'Unexpected end of JSON input'],
  ];
  for (const [body, mistake] of samples) {
    const { status, error = '' } = await server.send(body, as('application/json'));
    assert.is(status, 400);
    assert.match(error, mistake);
    assert.not.match(error, /ecret/);
  }
});

const encodings: readonly (readonly [string, Buffer, string, unknown])[] = [
  ['UTF-8 with its mark', marked(bytes(0xef, 0xbb, 0xbf), Buffer.from(json)), 'application/json', value],
  ['XML in UTF-8 with its mark', marked(bytes(0xef, 0xbb, 0xbf), Buffer.from(xml)), 'text/xml', value],
  ['UTF-16LE with its mark', marked(bytes(0xff, 0xfe), utf16(json)), 'application/json', value],
  ['UTF-16BE with its mark', marked(bytes(0xfe, 0xff), utf16be(json)), 'application/json', value],
  ['XML in UTF-16LE with its mark', marked(bytes(0xff, 0xfe), utf16(xml)), 'application/xml', value],
  ['XML in UTF-16BE with its mark', marked(bytes(0xfe, 0xff), utf16be(xml)), 'application/xml', value],
  [
    'a byte order mark that contradicts the charset',
    marked(bytes(0xff, 0xfe), utf16(json)),
    'text/json; charset=utf-8',
    value,
  ],
  ['UTF-16 that only the charset identifies', utf16(json), 'application/json; charset=UTF-16', value],
  ['UTF-16BE that only the charset identifies', utf16be(json), 'text/json; charset="utf-16be"', value],
  ['ISO-8859-1', latin1(JSON.stringify(western)), 'application/json; charset=ISO-8859-1', western],
  ['windows-1252', bytes(0x22, 0x80, 0x22), 'text/plain; x=y; Charset = windows-1252', '€'],
  ['Shift_JIS', bytes(0x22, 0x93, 0xfa, 0x22), 'application/json;charset=shift_jis', '日'],
  ['us-ascii', Buffer.from('"a"'), 'application/json; charset=us-ascii', 'a'],
  ['XML in the encoding of its charset', latin1(westernXml), 'text/xml; charset=latin1', western],
  [
    'XML in the encoding of its declaration',
    latin1(`<?xml version="1.0" encoding="ISO-8859-1"?>${westernXml}`),
    'application/xml',
    western,
  ],
  [
    'XML in the encoding of its declaration, in single quotes and without a charset',
    latin1(`<?xml version='1.0' encoding='iso-8859-15' standalone='yes'?>${westernXml}`),
    '',
    western,
  ],
  [
    'XML whose charset takes precedence over its declaration',
    Buffer.from(`<?xml version="1.0" encoding="ISO-8859-1"?>${xml}`),
    'application/xml; charset=utf-8',
    value,
  ],
  [
    'XML in UTF-16 that says so',
    marked(bytes(0xff, 0xfe), utf16(`<?xml version="1.0" encoding="UTF-16"?>${xml}`)),
    'application/xml',
    value,
  ],
];

for (const [name, body, type, expected] of encodings) {
  test(`text is read in its encoding: ${name}`, async ({ server }) => {
    const answer = await server.send(body, type === '' ? {} : as(type));
    assert.equal(answer, { status: 200, value: expected });
  });
}

const wrongEncodings: readonly (readonly [string, Buffer, string, number])[] = [
  ['bytes that are not UTF-8', bytes(0x22, 0xe9, 0x22), 'application/json', 400],
  ['bytes that are not UTF-8 in XML', latin1(westernXml), 'application/xml', 400],
  ['a character cut in two', bytes(0x22, 0xe2, 0x82), 'application/json', 400],
  ['half a surrogate pair in UTF-8', bytes(0x22, 0xed, 0xa0, 0x80, 0x22), 'application/json', 400],
  ['an odd byte of UTF-16', marked(bytes(0xff, 0xfe), utf16('{}').subarray(1)), 'application/json', 400],
  ['UTF-16LE that nothing identifies', utf16(xml), 'application/xml', 400],
  ['UTF-16BE that nothing identifies', utf16be(json), 'application/json', 400],
  [
    'UTF-16BE under the name UTF-16, without its mark',
    utf16be(json),
    'application/json; charset=utf-16',
    400,
  ],
  ['UTF-8 under the name UTF-16', Buffer.from('{"a":10}'), 'application/json; charset=utf-16', 400],
  ['ASCII with more than ASCII', bytes(0x22, 0xe9, 0x22), 'application/json; charset=us-ascii', 400],
  ['an unknown charset', Buffer.from('{}'), 'application/json; charset=klingon', 415],
  ['an unsupported charset', Buffer.from('{}'), 'application/json; charset=iso-2022-kr', 415],
  [
    'an unknown encoding in the declaration',
    Buffer.from('<?xml version="1.0" encoding="klingon"?><a/>'),
    '',
    415,
  ],
  [
    'an impossible encoding in the declaration',
    Buffer.from(`<?xml version="1.0" encoding="UTF-16"?>${xml}`),
    'application/xml',
    400,
  ],
];

for (const [name, body, type, status] of wrongEncodings) {
  test(`${name} is ${status}`, async ({ server }) => {
    const answer = await server.send(body, type === '' ? {} : as(type));
    assert.is(answer.status, status, answer.error);
    assert.match(answer.error ?? '', /^[A-Z].{20,}\.$/s);
  });
}

test('an XML declaration with an impossible encoding is reported with its fix, and a charset takes precedence over it', async ({
  server,
}) => {
  const body = Buffer.from(`<?xml version="1.0" encoding="utf-16"?>${xml}`);
  const { error } = await server.send(body, as('application/xml'));
  assert.match(error ?? '', /declaration says utf-16, .* charset=utf-8/);
  assert.equal((await server.send(body, as('application/xml; charset=utf-8'))).value, value);
});

const filled = (size: number): Buffer => Buffer.from(`"${'x'.repeat(size - 2)}"`);
const noise = Buffer.from(
  `"${Array.from({ length: mebibyte - 2 }, (_, index) => ((index * index * 7919) % 10).toString()).join('')}"`,
);
const gzip = { 'Content-Encoding': 'gzip' };

const sizes: readonly (readonly [string, Buffer, Record<string, string>, number])[] = [
  ['1 MiB', filled(mebibyte), {}, 200],
  ['one byte more than 1 MiB', filled(mebibyte + 1), {}, 413],
  ['20 MiB', filled(20 * mebibyte), {}, 413],
  ['1 MiB as gzip', gzipSync(filled(mebibyte)), gzip, 200],
  ['1 MiB as gzip of level 0, which is more than 1 MiB', gzipSync(noise, { level: 0 }), gzip, 200],
  ['one byte more than 1 MiB as gzip', gzipSync(filled(mebibyte + 1)), gzip, 413],
  ['a gzip bomb', gzipSync(Buffer.alloc(100 * mebibyte)), gzip, 413],
  ['a gzip bomb of many members', Buffer.concat(Array(30).fill(gzipSync(Buffer.alloc(mebibyte)))), gzip, 413],
  ['gzip without an end of empty members', Buffer.concat(Array(90_000).fill(gzipSync(''))), gzip, 413],
  ['gzip in capitals and by its old name', gzipSync(json), { 'Content-Encoding': 'X-GZIP' }, 200],
  ['the encoding identity', Buffer.from(json), { 'Content-Encoding': 'identity' }, 200],
  ['broken gzip', gzipSync(json).fill(0, 12), gzip, 400],
  ['gzip cut short', gzipSync(json).subarray(0, -4), gzip, 400],
  ['invalid gzip', Buffer.from(json), gzip, 400],
  ['gzip of nothing', Buffer.alloc(0), gzip, 400],
  ['gzip twice', gzipSync(gzipSync(json)), { 'Content-Encoding': 'gzip, gzip' }, 415],
  ['deflate', Buffer.from(json), { 'Content-Encoding': 'deflate' }, 415],
  ['br', Buffer.from(json), { 'Content-Encoding': 'br' }, 415],
];

for (const [name, body, headers, status] of sizes) {
  test(`${name} is ${status}`, async ({ server }) => {
    const answer = await server.send(body, headers);
    assert.is(answer.status, status, answer.error);
  });
}

test('the error for a body that is too large arrives while the rest is still being sent', async ({
  server,
}) => {
  const chunks = Array<Buffer>(64).fill(Buffer.alloc(mebibyte / 4));
  assert.is((await server.send(chunks)).status, 413);
});

test('a body in many chunks is joined', async ({ server }) => {
  const chunks = [...Buffer.from(json)].map((byte) => Buffer.from([byte]));
  assert.equal((await server.send(chunks)).value, value);
});

test('a client that disconnects during its body leaves no pending read', async () => {
  const server = await startBodyServer();
  const socket = connect(server.port, '127.0.0.1');
  socket.write('POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 100\r\n\r\n{"input":');
  await once(socket, 'connect');
  socket.destroy();
  assert.equal((await server.send(json)).value, value);
  await server.close();
});

test.run();
