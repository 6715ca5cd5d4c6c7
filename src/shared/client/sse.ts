/** One message of a server-sent event stream. */
export interface SseMessage {
  /** The data lines, joined by line feeds. */
  readonly data: string;
  /** The last event id, from which a client resumes; empty if the stream has sent none. */
  readonly id: string;
  /** `message` by default. */
  readonly event: string;
}

/** The parser's state. */
export interface SseState {
  /** The beginning of an incomplete line. */
  readonly line: string;
  /** The last character was a carriage return: a line feed after it does not end another line. */
  readonly isAfterReturn: boolean;
  readonly hasStarted: boolean;
  readonly data: readonly string[];
  readonly event: string;
  readonly id: string;
  /** Milliseconds to wait before reconnecting; null if the stream has not sent it. */
  readonly retryMs: number | null;
}

/** The state before the first chunk. */
export const initialSseState: SseState = {
  line: '',
  isAfterReturn: false,
  hasStarted: false,
  data: [],
  event: '',
  id: '',
  retryMs: null,
};

/**
 * Parses the next chunk of a server-sent event stream, in the format of the HTML standard. `text` may begin and end
 * anywhere. Data after the last empty line is kept in the state.
 *
 * Not eventsource-parser: version 4 needs Node 22. Version 3 forgets the last event id after a message without one,
 * drops a first event that begins with a byte order mark, and holds an event back whose last line ends with a carriage
 * return.
 */
export function parseSse(
  before: SseState,
  text: string,
): { readonly state: SseState; readonly messages: readonly SseMessage[] } {
  if (text === '') return { state: before, messages: [] };
  const withoutBom = before.hasStarted ? text : text.replace(/^\uFEFF/, '');
  const input = before.isAfterReturn ? withoutBom.replace(/^\n/, '') : withoutBom;
  const lines = `${before.line}${input}`.split(/\r\n|\n|\r/);
  const messages: SseMessage[] = [];
  let { data, event, id, retryMs } = before;
  for (const line of lines.slice(0, -1)) {
    if (line === '') {
      if (data.length > 0)
        messages.push({ data: data.join('\n'), id, event: event === '' ? 'message' : event });
      data = [];
      event = '';
      continue;
    }
    const [name, value] = fieldOf(line);
    if (name === 'data') data = [...data, value];
    else if (name === 'event') event = value;
    else if (name === 'id' && !value.includes('\0')) id = value;
    else if (name === 'retry' && /^[0-9]+$/.test(value)) retryMs = Number(value);
    // Everything else is a comment, whose name is empty, or an unknown field.
  }
  const line = lines.at(-1) ?? '';
  return {
    state: { line, isAfterReturn: text.endsWith('\r'), hasStarted: true, data, event, id, retryMs },
    messages,
  };
}

function fieldOf(line: string): readonly [name: string, value: string] {
  const colon = line.indexOf(':');
  if (colon === -1) return [line, ''];
  return [line.slice(0, colon), line.slice(colon + (line[colon + 1] === ' ' ? 2 : 1))];
}
