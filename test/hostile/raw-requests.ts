/** What a hostile request may lead to. */
export interface RawCase {
  readonly name: string;
  /** Sent as Latin-1. */
  readonly text: string;
  /** Status of each answer, in order. */
  readonly statuses: readonly number[];
  /** Whether the daemon closes the connection. */
  readonly isClosed: boolean;
}

/** Requests whose end or target two servers could read differently. `smuggled` is a request that must never be answered or executed. */
export function ambiguousRequests(key: string, smuggled: string): readonly RawCase[] {
  const head = `Host: a\r\nService-Api-Key: ${key}\r\n`;
  const post = (...fields: readonly string[]) =>
    `POST /v2/jobs HTTP/1.1\r\n${head}${fields.map((field) => `${field}\r\n`).join('')}\r\n`;
  const chunks = `0\r\n\r\n${smuggled}`;
  const rejected = (name: string, text: string): RawCase => ({ name, text, statuses: [400], isClosed: true });
  const length = smuggled.length;
  return [
    rejected(
      'a length and chunks',
      post(`Content-Length: ${length + 5}`, 'Transfer-Encoding: chunked') + chunks,
    ),
    rejected('chunks and a length', post('Transfer-Encoding: chunked', 'Content-Length: 5') + chunks),
    rejected('two codings', post('Transfer-Encoding: chunked', 'Transfer-Encoding: identity') + chunks),
    rejected(
      'two codings, chunked last',
      post('Transfer-Encoding: identity', 'Transfer-Encoding: chunked') + chunks,
    ),
    rejected('an unknown coding', post('Transfer-Encoding: xchunked') + chunks),
    rejected('chunked before another coding', post('Transfer-Encoding: chunked, identity') + chunks),
    rejected('chunked after another coding', post('Transfer-Encoding: identity, chunked') + chunks),
    rejected('compressed chunks', post('Transfer-Encoding: gzip, chunked') + chunks),
    rejected('chunked twice', post('Transfer-Encoding: chunked, chunked') + chunks),
    rejected('a blank before the colon', post('Transfer-Encoding : chunked') + chunks),
    rejected('a blank before the name', post(' Transfer-Encoding: chunked') + chunks),
    rejected('a vertical tab before the value', post('Transfer-Encoding: \u000bchunked') + chunks),
    rejected('a zero in the name', post('Transfer\0-Encoding: chunked') + chunks),
    rejected('a coding on the next line', post('Transfer-Encoding:\r\n chunked') + chunks),
    rejected('a coding in quotes', post('Transfer-Encoding: "chunked"') + chunks),
    rejected('two lengths', post('Content-Length: 0', `Content-Length: ${length}`) + smuggled),
    rejected('two equal lengths', post('Content-Length: 0', 'Content-Length: 0') + smuggled),
    rejected('a list of lengths', post('Content-Length: 0, 0') + smuggled),
    rejected('a length with a sign', post('Content-Length: +0') + smuggled),
    rejected('a negative length', post('Content-Length: -1') + smuggled),
    rejected('a length in hexadecimal', post('Content-Length: 0x0') + smuggled),
    rejected('a length with decimals', post('Content-Length: 0.0') + smuggled),
    rejected('a length above 64 bits', post('Content-Length: 99999999999999999999') + smuggled),
    rejected('a length with a blank within', post('Content-Length: 0 0') + smuggled),
    rejected('lines that end in LF', `${post('X: y').replaceAll('\r\n', '\n')}${smuggled}`),
    rejected('one line that ends in LF', post('X: y\nContent-Length: 0') + smuggled),
    rejected('lines that end in CR', post('X: y\rContent-Length: 0') + smuggled),
    rejected('a zero in a value', post('X: a\0b') + smuggled),
    rejected('a header over two lines', post('X: b\r\n c') + smuggled),
    rejected('a line without a colon', post('nonsense') + smuggled),
    rejected('a header without a name', post(': x') + smuggled),
    rejected('a blank in a name', post('A B: x') + smuggled),
    rejected('two hosts', post('Host: b') + smuggled),
    rejected('a negative chunk', `${post('Transfer-Encoding: chunked')}-1\r\n\r\n${chunks}`),
    rejected(
      'a chunk above 64 bits',
      `${post('Transfer-Encoding: chunked')}fffffffffffffffff\r\na\r\n${chunks}`,
    ),
    rejected('a chunk without its line end', `${post('Transfer-Encoding: chunked')}1\r\naXX${chunks}`),
    rejected('a chunk extension with LF', `${post('Transfer-Encoding: chunked')}1;a\n\r\na\r\n${chunks}`),
    rejected('a chunk size with a sign', `${post('Transfer-Encoding: chunked')}+1\r\na\r\n${chunks}`),
    rejected('a chunk size in 0x', `${post('Transfer-Encoding: chunked')}0x1\r\na\r\n${chunks}`),
    rejected('HTTP/0.9', `GET /version\r\n\r\n${smuggled}`),
    rejected('HTTP/1.2', `GET /version HTTP/1.2\r\nHost: a\r\n\r\n${smuggled}`),
    rejected('HTTP/2.0', `GET /version HTTP/2.0\r\nHost: a\r\n\r\n${smuggled}`),
    rejected('the preface of HTTP/2', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'),
    rejected('HTTP/11', `GET /version HTTP/11\r\nHost: a\r\n\r\n${smuggled}`),
    rejected('http/1.1', `GET /version http/1.1\r\nHost: a\r\n\r\n${smuggled}`),
    rejected('a method in lower case', `get /version HTTP/1.1\r\nHost: a\r\n\r\n${smuggled}`),
    rejected('an unknown method', `FOO /version HTTP/1.1\r\nHost: a\r\n\r\n${smuggled}`),
    rejected('a method with a quote', `G"T /version HTTP/1.1\r\nHost: a\r\n\r\n${smuggled}`),
    rejected('a path without a slash', `GET version HTTP/1.1\r\nHost: a\r\n\r\n${smuggled}`),
    {
      name: 'a tunnel',
      text: `CONNECT 127.0.0.1:22 HTTP/1.1\r\n${head}\r\n${smuggled}`,
      statuses: [405],
      isClosed: true,
    },
    {
      name: 'chunks in HTTP/1.0',
      text: post('Transfer-Encoding: chunked').replace('HTTP/1.1', 'HTTP/1.0') + chunks,
      statuses: [400],
      isClosed: true,
    },
    {
      name: 'an unknown expectation',
      text: post('Expect: 200-ok', 'Content-Length: 0') + smuggled,
      statuses: [417],
      isClosed: true,
    },
    {
      name: 'a head of 64 KiB',
      text: `GET /version HTTP/1.1\r\nHost: a\r\nX: ${'y'.repeat(65_536)}\r\n\r\n${smuggled}`,
      statuses: [431],
      isClosed: true,
    },
    {
      name: 'ten thousand headers',
      text: `GET /version HTTP/1.1\r\nHost: a\r\n${'a: b\r\n'.repeat(10_000)}\r\n${smuggled}`,
      statuses: [431],
      isClosed: true,
    },
  ];
}

/** Requests with one clear end, which are answered once each, and never as another protocol. */
export function unusualRequests(key: string): readonly RawCase[] {
  const head = `Host: a\r\nService-Api-Key: ${key}\r\n`;
  const get = (target: string, ...fields: readonly string[]) =>
    `GET ${target} HTTP/1.1\r\n${fields.some((field) => field.startsWith('Host')) ? '' : head}${fields.map((field) => `${field}\r\n`).join('')}\r\n`;
  const answered = (name: string, text: string, status: number): RawCase => ({
    name,
    text,
    statuses: [status],
    isClosed: false,
  });
  const closed = (name: string, text: string): RawCase => ({ name, text, statuses: [200], isClosed: true });
  const hidden = 'DELETE /v2/jobs/1 HTTP/1.1\r\n\r\n';
  return [
    answered(
      'a request within the body of a GET',
      `${get('/v2/jobs', `Content-Length: ${hidden.length}`)}${hidden}`,
      200,
    ),
    answered('an address with another host', get('http://other.example/version'), 200),
    closed('an upgrade to WebSocket', get('/v2/jobs', 'Connection: close, Upgrade', 'Upgrade: websocket')),
    closed(
      'an upgrade to HTTP/2',
      get('/version', 'Connection: close, Upgrade, HTTP2-Settings', 'Upgrade: h2c'),
    ),
    answered('two blanks in the first line', get('/version').replaceAll(/ (?=\/|HTTP)/g, '  '), 200),
    answered('TRACE', get('/version').replace('GET', 'TRACE'), 405),
    answered('an empty host', get('/version', 'Host:'), 400),
    answered('a host with a path', get('/version', 'Host: a/../b'), 400),
    answered('a host with a user', get('/version', 'Host: a@b'), 400),
    answered('a host with a port above all', get('/version', 'Host: a:99999'), 400),
    answered('a path that leaves the root', get('/../../../../etc/passwd'), 404),
    answered('a path with %2e%2e', get('/hosted/%2e%2e/%2e%2e/etc/passwd'), 404),
    answered('a path with a zero', get('/v2/jobs/1%00'), 404),
    answered('a path that is not valid UTF-8', get('/hosted/%ff%fe/a'), 404),
    answered('a path with an invalid escape', get('/hosted/%zz/a'), 404),
    answered('two keys, one of which is wrong', get('/v2/jobs', 'Service-Api-Key: x'), 401),
  ];
}
