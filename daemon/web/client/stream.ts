import type { JobChangesRecord } from '../../../src/shared/records.js';
import { messagesOf, refresh, root, say, sayConnection, send, unreachable } from './call.js';

/** Milliseconds until the next attempt after the stream broke off. */
const retryMs = 2000;
/** The stream says something at least this often; after twice the time it is taken for dead. In milliseconds. */
const heartbeatMs = 15_000;

/** The daemon answers at once. Later than this, a proxy keeps its events back, and the page reads in this interval. */
const readMs = 5000;

const noEvents = `${unreachable} If it stays so, a proxy may keep back its events: turn off its buffering of text/event-stream.`;
const keptBack =
  'A proxy keeps back the events of the daemon: turn off its buffering of text/event-stream. Until then, this page is read again every 5 s.';
const gone = 'This job was removed.';

/**
 * Follows the jobs of the account, and the log of one job, while the document is visible. One stream serves the whole
 * document. After it broke off, it continues behind the last message. While a proxy keeps it back, `readAgain` is called
 * every few seconds; it rejects if the daemon does not answer.
 */
export function follow(
  parameters: Readonly<Record<string, string>>,
  apply: (message: JobChangesRecord) => void,
  readAgain: () => Promise<unknown>,
): void {
  let controller: AbortController | null = null;
  let lastId = '';
  const run = async (signal: AbortSignal) => {
    while (!signal.aborted) {
      const waitMs = await readStream(signal).catch(() => {
        if (!signal.aborted) sayConnection(isRead ? keptBack : noEvents);
        return retryMs;
      });
      if (waitMs === null || signal.aborted) return;
      await new Promise((resolve) => setTimeout(resolve, waitMs));
    }
  };
  /** Whether the last attempt to read again succeeded. */
  let isRead = false;
  let reading: ReturnType<typeof setInterval> | null = null;
  let probing: AbortController | null = null;
  /** Reads again as long as nothing is received. */
  const beginReading = (signal: AbortSignal) => {
    endReading();
    const ended = new AbortController();
    probing = ended;
    let isBusy = false;
    const once = async () => {
      if (isBusy) return;
      isBusy = true;
      isRead = await refresh(async () => {
        // A dead connection never answers: this request ends with the next event, and no other one begins.
        await send('GET', 'queue', undefined, ended.signal);
        await readAgain();
      });
      isBusy = false;
      if (reading !== null && !signal.aborted) sayConnection(isRead ? keptBack : noEvents);
    };
    reading = setInterval(() => void once(), readMs);
  };
  const endReading = () => {
    if (reading !== null) clearInterval(reading);
    probing?.abort();
    [reading, probing] = [null, null];
    isRead = false;
  };
  /** Resolves at the end of the stream to the time until the next attempt, or to null if there is none. */
  const readStream = async (signal: AbortSignal): Promise<number | null> => {
    const silence = new AbortController();
    let timer = setTimeout(() => silence.abort(), 2 * heartbeatMs);
    if (reading === null) beginReading(signal);
    const query = new URLSearchParams(parameters);
    const response = await fetch(`${root}api/events?${query}`, {
      headers: { 'X-Venc': '1', ...(lastId === '' ? {} : { 'Last-Event-ID': lastId }) },
      signal: AbortSignal.any([signal, silence.signal]),
    });
    if (response.status === 401) location.reload();
    if (!response.ok || response.body === null) {
      clearTimeout(timer);
      endReading();
      if (response.status >= 500) sayConnection(noEvents);
      else if (response.status === 404) say(gone);
      else sayConnection((messagesOf(await response.text()) ?? []).join(' '));
      const seconds = Number(response.headers.get('Retry-After') ?? retryMs / 1000);
      return response.status === 404 || response.status === 401 ? null : Math.max(retryMs, seconds * 1000);
    }
    const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
    let text = '';
    for (let hasBegun = false; ; hasBegun = true) {
      const { done, value } = await reader.read();
      clearTimeout(timer);
      if (done) {
        if (!hasBegun) sayConnection(isRead ? keptBack : noEvents);
        return hasBegun ? 0 : retryMs;
      }
      // Not before: a proxy that keeps back events passes on the head of the answer.
      endReading();
      sayConnection('');
      timer = setTimeout(() => silence.abort(), 2 * heartbeatMs);
      text += value;
      const events = text.split('\n\n');
      text = events.pop() ?? '';
      for (const event of events) handle(event);
    }
  };
  const handle = (event: string) => {
    for (const line of event.split('\n')) {
      if (line.startsWith('id: ')) lastId = line.slice('id: '.length);
      if (line.startsWith('data: ')) apply(JSON.parse(line.slice('data: '.length)) as JobChangesRecord);
    }
  };
  const restart = () => {
    controller?.abort();
    controller = null;
    endReading();
    if (document.hidden) return;
    controller = new AbortController();
    void run(controller.signal);
  };
  document.addEventListener('visibilitychange', restart);
  // A connection of the former network says nothing more. A daemon on this machine answers without a network.
  for (const event of ['online', 'offline']) addEventListener(event, restart);
  restart();
}
