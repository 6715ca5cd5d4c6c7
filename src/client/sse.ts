/** One message of a server-sent event stream. */
export interface SseMessage {
  /** Its lines, joined. */
  readonly data: string;
  /** The id that a client comes back with; empty where the stream has given none. */
  readonly id: string;
  /** `message` where the stream names none. */
  readonly event: string;
}

/** How far a stream has been read. */
export interface SseState {
  /** What came of a line that is not whole yet. */
  readonly line: string;
  /** The last character was a carriage return: a line feed after it ends no further line. */
  readonly isAfterReturn: boolean;
  readonly hasStarted: boolean;
  readonly data: readonly string[];
  readonly event: string;
  readonly id: string;
  /** Milliseconds to wait before coming back to a stream that broke; null where the stream does not tell. */
  readonly retryMs: number | null;
}

/** A stream of which nothing was read. */
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
 * Reads on in a server-sent event stream (the format of the HTML standard): `text` may begin and end anywhere. What stands behind the
 * last empty line is no message yet.
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
    // All else is a comment, whose name is empty, or a field of a later day.
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
