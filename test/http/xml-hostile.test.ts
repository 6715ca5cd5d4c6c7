import { gzipSync } from 'node:zlib';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type BodyServer, startBodyServer } from './body-server.js';
import { request } from './xml-request.js';

const test = suite<{ server: BodyServer }>('hostile XML');

test.before(async (context) => {
  context.server = await startBodyServer();
});
test.after(({ server }) => server.close());

const mebibyte = 1024 * 1024;
const input = '<input>http://example.com/a</input>';
const label = { 'Content-Type': 'application/xml' };
const lol = Array.from(
  { length: 9 },
  (_, index) => `<!ENTITY lol${index + 1} "${`&lol${index};`.repeat(10)}">`,
).join('');
const shell = request(input, '<pass_through></pass_through>');
/** A text that makes a request of the given size in bytes. */
const filler = (size: number): string => 'x'.repeat(size - shell.length);
const padded = (size: number): string => request(input, `<pass_through>${filler(size)}</pass_through>`);

/** Rejected XML, with the expected error message. */
const rejected: readonly (readonly [string, string | Buffer, number, RegExp])[] = [
  [
    'a billion laughs',
    `<!DOCTYPE l [<!ENTITY lol0 "lol">${lol}]><api-request>&lol9;</api-request>`,
    400,
    /line 1, column \d+: a DOCTYPE/,
  ],
  [
    'a file of the machine',
    '<!DOCTYPE a [<!ENTITY e SYSTEM "file:///etc/passwd">]>\n<api-request><input>&e;</input></api-request>',
    400,
    /a DOCTYPE is not supported/,
  ],
  [
    'an external file',
    '<!DOCTYPE a SYSTEM "http://127.0.0.1:9/a.dtd"><api-request/>',
    400,
    /a DOCTYPE is not supported/,
  ],
  ['a DOCTYPE without more', '<!DOCTYPE api-request>\n<api-request/>', 400, /a DOCTYPE is not supported/],
  [
    'parameter entities',
    '<!DOCTYPE a [<!ENTITY % p SYSTEM "http://127.0.0.1:9/">%p;]><api-request/>',
    400,
    /a DOCTYPE is not supported/,
  ],
  ['a DOCTYPE without end', `<!DOCTYPE a [${'<!ENTITY a "b">'.repeat(50_000)}`, 400, /not valid XML/],
  [
    'a DOCTYPE amid the request',
    '<api-request><!DOCTYPE a></api-request>',
    400,
    /not valid XML: line 1, column 22/,
  ],
  ['an unknown entity', request('\n<label>&nbsp;</label>'), 400, /line 3, column 13: undefined entity/],
  ['entities named like properties', request('<label>&constructor;</label>'), 400, /undefined entity/],
  ['an entity without end', request('<label>&amp</label>'), 400, /not valid XML/],
  ['100,000 levels', `<api-request>${'<a>'.repeat(100_000)}`, 400, /elements are nested more than 32 deep/],
  [
    '33 levels',
    `${'<api-request>'.repeat(33)}${'</api-request>'.repeat(33)}`,
    400,
    /line 1, column 417: elements are nested more/,
  ],
  [
    '100,000 attributes',
    `<api-request ${Array.from({ length: 80_000 }, (_, index) => `a${index}=""`).join(' ')}/>`,
    400,
    /more than 32 attributes/,
  ],
  [
    'a million elements',
    `<api-request>${'<a/>'.repeat(mebibyte / 4 - 10)}</api-request>`,
    400,
    /more than 50000 elements/,
  ],
  ['attributes twice', request('<test nil="true" nil="false">1</test>'), 400, /duplicate attribute: nil/],
  [
    'a truncated text',
    request(input, '<outputs type="array"><out').slice(0, -14),
    400,
    /not valid XML: line 2/,
  ],
  ['an element without end', '<api-request><input>a</input>', 400, /unclosed tag: api-request/],
  ['ends that cross', '<api-request><input></api-request></input>', 400, /unexpected close tag/],
  ['an end tag without a start', '</api-request>', 400, /not valid XML/],
  ['two roots', '<api-request/><api-request/>', 400, /only one root/],
  ['text after the root', '<api-request/>and more', 400, /text data outside of root node/],
  ['text before the root', 'and more<api-request/>', 400, /line 1, column \d+: text data outside/],
  ['blanks before the declaration', `\n${request(input)}`, 400, /an XML declaration must be at the start/],
  [
    'another root',
    '<?xml version="1.0"?>\n <request/>',
    400,
    /line 2, column 2: the root must be api-request, not request/,
  ],
  ['a root in another letter case', '<API-Request/>', 400, /the root must be api-request, not API-Request/],
  ['a root whose name contains a log line', `<${'日'.repeat(500)}/>`, 400, /not "日{64}"\.$/],
  ['a response instead of a request', '<api-response/>', 400, /the root must be api-request/],
  ['a page', '<html><body>Hello</body></html>', 400, /the root must be api-request, not html/],
  ['an element twice', request(input, '\n  ', input), 400, /line 3, column 3: input occurs more than once/],
  [
    'an element twice, in two spellings',
    request('<output><video-codec>a</video-codec>', '<video_codec>b</video_codec></output>'),
    400,
    /video_codec occurs more than once/,
  ],
  [
    'a list twice',
    request('<outputs type="array"/><outputs type="array"/>'),
    400,
    /outputs occurs more than once/,
  ],
  [
    'a list next to an entry',
    request('<outputs><output/></outputs><outputs><label>a</label></outputs>'),
    400,
    /outputs occurs more than once/,
  ],
  [
    'a header twice',
    request('<notifications><headers><A>1</A><A>2</A></headers></notifications>'),
    400,
    /A occurs more than once/,
  ],
  [
    'text next to elements',
    request('\n<output>web<label>a</label></output>'),
    400,
    /line 3, column 1: output has text next to elements/,
  ],
  ['text in the root', request('web', input), 400, /api-request has text next to elements/],
  [
    'CDATA next to elements',
    request('<output><label>a</label><![CDATA[web]]></output>'),
    400,
    /output has text next to elements/,
  ],
  ['a control character', request('<label>a\u0001</label>'), 400, /disallowed character/],
  ['a zero', request('<label>a\u0000</label>'), 400, /disallowed character/],
  ['a control character by its code', request('<label>&#1;</label>'), 400, /malformed character entity/],
  [
    'a control character in XML 1.1',
    '<?xml version="1.1"?><api-request>&#1;</api-request>',
    400,
    /malformed character entity/,
  ],
  [
    'half a surrogate pair by its code',
    request('<label>&#xD800;</label>'),
    400,
    /malformed character entity/,
  ],
  [
    'a code beyond all characters',
    request('<label>&#x110000;&#99999999999999999999;</label>'),
    400,
    /malformed character entity/,
  ],
  ['a comment without end', request('<!-- '), 400, /not valid XML/],
  ['CDATA without end', request('<![CDATA['), 400, /not valid XML/],
  ['an attribute without quotes', request('<test nil=true/>'), 400, /unquoted attribute value/],
  ['nothing but angle brackets', '<'.repeat(mebibyte), 400, /not valid XML: line 1, column 2/],
  ['a name of 1 MiB', `<${'a'.repeat(mebibyte - 1)}`, 400, /not valid XML/],
  ['a value of 1 MiB that never ends', `<a b="${'c'.repeat(mebibyte - 6)}`, 400, /not valid XML/],
  [
    'blanks of almost 1 MiB',
    request(`<input>a${' '.repeat(mebibyte - 200)}b</input>x`),
    400,
    /text next to elements/,
  ],
  [
    'bytes of another encoding',
    Buffer.from(request('<label>é</label>'), 'latin1'),
    400,
    /not valid text in the encoding UTF-8/,
  ],
  [
    'UTF-16 without its last byte',
    Buffer.from(`\uFEFF${request(input)}`, 'utf16le').subarray(0, -1),
    400,
    /utf-16le/,
  ],
  ['one byte more than 1 MiB', padded(mebibyte + 1), 413, /larger than 1048576 bytes/],
];

for (const [name, xml, status, sentence] of rejected) {
  test(`XML that is rejected with ${status}: ${name}`, async ({ server }) => {
    const { error = '', ...answer } = await server.send(xml, label);
    assert.is(answer.status, status, error);
    assert.match(error, sentence);
    assert.match(error, /^The (XML )?body.{10,}\.$/);
    assert.ok(error.length < 400, error);
  });
}

/** Unusual XML that is accepted, with its parsed value. */
const taken: readonly (readonly [string, string, unknown])[] = [
  ['1 MiB', padded(mebibyte), { input: 'http://example.com/a', pass_through: filler(mebibyte) }],
  ['1 MiB of entities', request(`<label>${'&amp;'.repeat(200_000)}</label>`), { label: '&'.repeat(200_000) }],
  [
    '1 MiB of CDATA',
    request(`<label>${'<![CDATA[x]]>'.repeat(80_000)}</label>`),
    { label: 'x'.repeat(80_000) },
  ],
  ['1 MiB of comments', request('<!-- no -->'.repeat(95_000), input), { input: 'http://example.com/a' }],
  ['1 MiB of line ends', request('\r\n'.repeat(500_000), input), { input: 'http://example.com/a' }],
  ['49,000 unknown fields', request('<a/>'.repeat(49_000)), { a: '' }],
  [
    '32 levels of these',
    request(`${'<a>'.repeat(31)}x${'</a>'.repeat(31)}`),
    JSON.parse(`${'{"a":'.repeat(31)}"x"${'}'.repeat(31)}`),
  ],
  [
    'names of properties that objects have',
    request('<__proto__><a>1</a></__proto__><toString/>'),
    JSON.parse('{"__proto__": {"a": "1"}, "toString": ""}'),
  ],
  ['line ends of all kinds', request('<label>a\r\nb\rc&#13;d</label>'), { label: 'a\nb\nc\rd' }],
];

for (const [name, xml, expected] of taken) {
  test(`XML that is accepted: ${name}`, async ({ server }) => {
    for (const [body, headers] of [
      [xml, label],
      [gzipSync(xml), { ...label, 'Content-Encoding': 'gzip' }],
    ] as const) {
      const answer = await server.send(body, headers);
      assert.is(answer.status, 200, answer.error);
      assert.is(JSON.stringify(answer.value), JSON.stringify(expected));
    }
  });
}

test.run();
