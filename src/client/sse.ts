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
  readonly isBegun: boolean;
  readonly data: readonly string[];
  readonly event: string;
  readonly id: string;
  /** Milliseconds to wait before coming back to a stream that broke; null where the stream does not tell. */
  readonly retryMs: number | null;
}

/** A stream of which nothing was read. */
export const sseStart: SseState = {
  line: '',
  isAfterReturn: false,
  isBegun: false,
  data: [],
  event: '',
  id: '',
  retryMs: null,
};

/**
 * Reads on in a server-sent event stream (the format of the HTML standard): `text` may begin and end anywhere. What stands behind the
 * last empty line is no message yet.
 */
export function readSse(
  before: SseState,
  text: string,
): { readonly state: SseState; readonly messages: readonly SseMessage[] } {
  if (text === '') return { state: before, messages: [] };
  const unmarked = before.isBegun ? text : text.replace(/^\uFEFF/, '');
  const own = before.isAfterReturn ? unmarked.replace(/^\n/, '') : unmarked;
  const pieces = `${before.line}${own}`.split(/\r\n|\n|\r/);
  const messages: SseMessage[] = [];
  let state: SseState = { ...before, isBegun: true, isAfterReturn: text.endsWith('\r') };
  for (const line of pieces.slice(0, -1)) {
    if (line !== '') {
      state = withField(state, line);
      continue;
    }
    const { data, event, id } = state;
    if (data.length > 0)
      messages.push({ data: data.join('\n'), id, event: event === '' ? 'message' : event });
    state = { ...state, data: [], event: '' };
  }
  return { state: { ...state, line: pieces.at(-1) ?? '' }, messages };
}

function withField(state: SseState, line: string): SseState {
  const colon = line.indexOf(':');
  const name = colon === -1 ? line : line.slice(0, colon);
  const value = colon === -1 ? '' : line.slice(colon + (line[colon + 1] === ' ' ? 2 : 1));
  switch (name) {
    case 'data':
      return { ...state, data: [...state.data, value] };
    case 'event':
      return { ...state, event: value };
    case 'id':
      return value.includes('\0') ? state : { ...state, id: value };
    case 'retry':
      return /^[0-9]+$/.test(value) ? { ...state, retryMs: Number(value) } : state;
    default:
      // A comment, whose name is empty, or a field of a later day.
      return state;
  }
}
