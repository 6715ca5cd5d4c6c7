import { type ClientRequest, get, type IncomingMessage } from 'node:http';
import { initialSseState, parseSse, type SseMessage } from '../../src/shared/client/sse.js';
import type { JobChangesRecord } from '../../src/shared/records.js';
import { waitUntil } from './wait-until.js';

/** A client of `GET /v2/events`, parsed as it arrives. */
export class EventListener {
  readonly messages: SseMessage[] = [];
  /** When each message arrived, in milliseconds of `performance.now()`. */
  readonly times: number[] = [];
  readonly request: ClientRequest;
  hasEnded = false;
  response: IncomingMessage | null = null;
  #state = initialSseState;

  constructor(
    { url, key }: { readonly url: string; readonly key: string },
    { query = '', lastEventId }: { readonly query?: string; readonly lastEventId?: string } = {},
  ) {
    const last = lastEventId === undefined ? {} : { 'Last-Event-ID': lastEventId };
    const headers = { 'Service-Api-Key': key, ...last };
    this.request = get(`${url}/v2/events${query}`, { agent: false, headers });
    this.request.on('error', () => {});
    this.request.on('response', (response) => {
      this.response = response;
      response.setEncoding('utf8').on('data', (text: string) => this.#dispatch(text));
      response.on('close', () => {
        this.hasEnded = true;
      });
      response.on('error', () => {});
    });
  }

  get records(): readonly JobChangesRecord[] {
    return this.messages.map(({ data }) => JSON.parse(data) as JobChangesRecord);
  }

  /** The id of the last message. */
  get lastEventId(): string {
    return this.messages.at(-1)?.id ?? '';
  }

  /** Resolves to the first record. */
  async first(): Promise<JobChangesRecord> {
    return this.until('the first event', () => true);
  }

  /** Resolves to the first record that meets a condition, as soon as it has arrived. */
  async until(
    what: string,
    condition: (record: JobChangesRecord) => boolean | undefined,
  ): Promise<JobChangesRecord> {
    let found: JobChangesRecord | undefined;
    await waitUntil(what, () => {
      found = this.records.find((record) => condition(record) === true);
      return found !== undefined;
    });
    if (found === undefined) throw new Error(what);
    return found;
  }

  /** Resolves once a job is in a state. */
  untilState(id: number, state: string): Promise<JobChangesRecord> {
    return this.until(`job ${id} is ${state}`, ({ jobs }) =>
      jobs.some((job) => job.id === id && job.state === state),
    );
  }

  close(): void {
    this.request.destroy();
  }

  #dispatch(text: string): void {
    const read = parseSse(this.#state, text);
    this.#state = read.state;
    for (const message of read.messages) {
      this.messages.push(message);
      this.times.push(performance.now());
    }
  }
}
