/** The way from this document to `/ui/`. */
export const root = document.body.dataset.root ?? './';
/** Whether the visitor may change anything. */
export const canChange = document.body.dataset.canChange === 'true';

/** A request that was answered with an error. Its messages are those of the daemon. */
export class AnsweredError extends Error {
  readonly status: number;
  readonly messages: readonly string[];

  constructor(status: number, messages: readonly string[]) {
    super(messages.join(' '));
    this.status = status;
    this.messages = messages;
  }
}

/** A read without an answer for this long is given up, in milliseconds: its connection may be dead. */
const readMs = 30_000;

/** Sends a request to the daemon. Resolves to its answer; rejects with `AnsweredError`, or as `fetch` does. */
export async function send(
  method: string,
  path: string,
  body?: unknown,
  signal: AbortSignal | null = null,
): Promise<Response> {
  const response = await fetch(`${root}api/${path}`, {
    ...{ method, signal: signal ?? (method === 'GET' ? AbortSignal.timeout(readMs) : null) },
    headers: { 'X-Venc': '1', Accept: 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  if (response.ok) return response;
  if (response.status === 401) location.reload();
  const text = await response.text();
  throw new AnsweredError(response.status, messagesOf(text) ?? [`The daemon answered ${response.status}.`]);
}

/** Reads an answer as JSON. */
export async function read<T>(path: string): Promise<T> {
  return (await (await send('GET', path)).json()) as T;
}

/** The errors of an answer; null if it has none. */
export function messagesOf(text: string): readonly string[] | null {
  try {
    const { errors } = JSON.parse(text) as { errors?: readonly string[] };
    return errors ?? null;
  } catch {
    return null;
  }
}

/** Why something cannot be done, as a sentence for the visitor. */
export class Reason extends Error {}

/** Does something for a button, and shows why it failed. */
export async function attempt(work: () => Promise<unknown>): Promise<boolean> {
  try {
    await work();
    say('');
    return true;
  } catch (error) {
    const isKnown = error instanceof AnsweredError || error instanceof Reason;
    say(isKnown ? error.message : 'The daemon does not answer. Try again.');
    return false;
  }
}

/** What is shown while the daemon cannot be reached. */
export const unreachable = 'The daemon does not answer. Trying again.';

/** Loads something again that nobody asked for. Resolves to whether it was loaded, and shows nothing. */
export async function refresh(work: () => Promise<unknown>): Promise<boolean> {
  try {
    await work();
    return true;
  } catch {
    return false;
  }
}

const message = document.querySelector<HTMLElement>('#connection');

const sentences = { problem: '', connection: '' };

/** Shows a sentence above the content, which screen readers read; an empty one hides it. */
export function say(text: string): void {
  show({ problem: text });
}

/** Shows what is wrong with the connection to the daemon, unless there is a problem to read. */
export function sayConnection(text: string): void {
  show({ connection: text });
}

function show(changes: Partial<typeof sentences>): void {
  Object.assign(sentences, changes);
  const text = sentences.problem || sentences.connection;
  if (message === null || message.textContent === text) return;
  message.textContent = text;
  message.hidden = text === '';
}
