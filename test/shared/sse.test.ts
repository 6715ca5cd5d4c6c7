import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { initialSseState, parseSse, type SseMessage, type SseState } from '../../src/shared/client/sse.js';

function readAll(chunks: readonly string[]): {
  readonly state: SseState;
  readonly messages: readonly SseMessage[];
} {
  let state = initialSseState;
  const messages: SseMessage[] = [];
  for (const chunk of chunks) {
    const read = parseSse(state, chunk);
    state = read.state;
    messages.push(...read.messages);
  }
  return { state, messages };
}

const message = (data: string, id = '', event = 'message'): SseMessage => ({ data, id, event });

const cases: readonly (readonly [string, readonly string[], readonly SseMessage[]])[] = [
  ['nothing', [''], []],
  ['one message', ['data: a\n\n'], [message('a')]],
  ['a message without the blank after the colon', ['data:a\n\n'], [message('a')]],
  ['a message whose data begins with blanks', ['data:  a\n\n'], [message(' a')]],
  ['a message with a colon in its data', ['data: {"a":1}\n\n'], [message('{"a":1}')]],
  ['several lines of data', ['data: a\ndata: b\ndata\n\n'], [message('a\nb\n')]],
  ['an incomplete message', ['data: a\n'], []],
  ['lines ended by carriage returns and line feeds', ['data: a\r\ndata: b\r\n\r\n'], [message('a\nb')]],
  ['lines ended by carriage returns', ['data: a\rdata: b\r\r'], [message('a\nb')]],
  ['line ends that are split between chunks', ['data: a\r', '\ndata: b\r', '\n\r', '\n'], [message('a\nb')]],
  ['a carriage return, and a separate line feed', ['data: a\r', 'data: b\n\n'], [message('a\nb')]],
  [
    'a text split anywhere',
    ['da', 'ta:', ' ', 'a', '\n', '\n', 'data: b', '\n\n'],
    [message('a'), message('b')],
  ],
  ['a byte order mark', ['\uFEFFdata: a\n\n'], [message('a')]],
  ['a separate byte order mark', ['\uFEFF', 'data: a\n\n'], [message('a')]],
  ['a second byte order mark, which belongs to a name', ['data: a\n\n', '\uFEFFdata: b\n\n'], [message('a')]],
  ['comments and keep-alives', [': \n\n:\n\n: data: a\n\ndata: b\n\n'], [message('b')]],
  [
    'an id, which persists',
    ['id: 1\ndata: a\n\ndata: b\n\nid\ndata: c\n\n'],
    [message('a', '1'), message('b', '1'), message('c')],
  ],
  ['an id given without data', ['id: 7\n\ndata: a\n\n'], [message('a', '7')]],
  ['an id with a null in it', ['id: a\0b\ndata: a\n\n'], [message('a')]],
  [
    'an event name, which does not persist',
    ['event: ping\ndata: a\n\ndata: b\n\n'],
    [message('a', '', 'ping'), message('b')],
  ],
  ['an event name without data', ['event: ping\n\ndata: b\n\n'], [message('b')]],
  ['unknown fields', ['colour: red\n data: x\nDATA: y\ndata: a\n\n'], [message('a')]],
  ['empty data', ['data:\n\n'], [message('')]],
  [
    'Unicode line separators, which are not line ends here',
    ['data: a\u2028b\u0085c\n\n'],
    [message('a\u2028b\u0085c')],
  ],
];

for (const [what, chunks, messages] of cases) {
  test(`${what} is parsed as the standard requires, whole and character by character`, () => {
    assert.equal(readAll(chunks).messages, messages);
    assert.equal(readAll([...chunks.join('')]).messages, messages);
  });
}

for (const [text, retryMs] of [
  ['retry: 1000\n\n', 1000],
  ['retry: 1000\nretry: 20\n', 20],
  ['retry: 1e3\n', null],
  ['retry: -1\n', null],
  ['retry\n', null],
  ['retry: 5', null],
] as const) {
  test(`${JSON.stringify(text)} sets a retry delay of ${retryMs}`, () => {
    assert.is(readAll([text]).state.retryMs, retryMs);
  });
}

test.run();
