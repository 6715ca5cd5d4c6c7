import { Agent, type ClientRequest, get, type IncomingMessage } from 'node:http';
import { initialSseState, parseSse, type SseMessage } from '../../../src/shared/client/sse.js';
import type { JobProgressRecord } from '../../../src/shared/records.js';
import { isFinal } from '../../../src/shared/states.js';

/**
 * How a client behaves. `steady` reads at once, `slow` reads with long pauses, `stalled` reads nothing until {@link StreamClient.drain},
 * `leaving` disconnects in the middle, `returning` disconnects and continues with `Last-Event-ID`.
 */
export type StreamKind = 'steady' | 'slow' | 'stalled' | 'leaving' | 'returning';

/** One stream to open. */
export interface StreamPlan {
  readonly jobId: number;
  readonly kind: StreamKind;
}

/** States of a job in the order in which it passes through them. */
const stateRanks: Readonly<Record<string, number>> = { pending: 0, waiting: 1, processing: 2 };
const finalRank = 3;
const slowPauseMs = 700;

/** The event stream of one job, as one client sees it. Keeps what it needs to check the order, not the events. */
export class StreamClient {
  /** Number of events. */
  events = 0;
  /** Progress of the download in the newest event that has one, and when it arrived (`Date.now()`). */
  percent = -1;
  arrivedAt = 0;
  /** All values of the progress of the download. */
  readonly percents = new Set<number>();
  /** What the stream did wrong, one sentence each. */
  readonly violations: string[] = [];
  status = 0;
  hasEnded = false;
  /** The data of the final event. */
  finalData: string | null = null;
  lastEventId = '';
  #rank = 0;
  #progress = 0;
  #inputProgress = 0;
  #request: ClientRequest | null = null;
  #response: IncomingMessage | null = null;
  #timer: NodeJS.Timeout | null = null;

  constructor(
    readonly plan: StreamPlan,
    private readonly url: string,
    private readonly key: string,
  ) {}

  /** Whether the stream still shows each change as soon as it happens. */
  get isFollowing(): boolean {
    return (this.plan.kind === 'steady' || this.plan.kind === 'returning') && !this.hasEnded;
  }

  /** Opens the stream. Resolves with the first event; for a stalled client and a reconnect, with the head of the response. */
  open(): Promise<void> {
    const isReconnect = this.lastEventId !== '';
    const headers = {
      'Service-Api-Key': this.key,
      ...(isReconnect ? { 'Last-Event-ID': this.lastEventId } : {}),
    };
    this.hasEnded = false;
    return new Promise((resolve, reject) => {
      // Without an agent of its own, thousands of requests would share one list of sockets.
      const agent = new Agent();
      const request = get(`${this.url}/v2/jobs/${this.plan.jobId}/events`, { headers, agent });
      this.#request = request;
      request.on('error', (error) => {
        if (request === this.#request) this.#violate(`the connection failed: ${error.message}`);
        reject(error);
      });
      request.on('response', (response) => {
        this.#response = response;
        this.status = response.statusCode ?? 0;
        response.on('error', () => undefined);
        response.on('close', () => this.#onClose(response));
        if (this.plan.kind === 'stalled') {
          resolve();
          return;
        }
        this.#readFrom(response, resolve);
        if (isReconnect) resolve();
        if (this.plan.kind === 'slow') this.#pauseOften(response);
      });
    });
  }

  /** Breaks the connection. */
  disconnect(): void {
    this.hasEnded = true;
    this.#stopTimer();
    const request = this.#request;
    this.#request = null;
    this.#response = null;
    request?.destroy();
  }

  /** Reads what a stalled client has left, up to the end. */
  drain(): void {
    if (this.#response !== null) this.#readFrom(this.#response, () => undefined);
  }

  #readFrom(response: IncomingMessage, onEvent: () => void): void {
    let state = initialSseState;
    response.setEncoding('utf8').on('data', (text: string) => {
      const read = parseSse(state, text);
      state = read.state;
      for (const message of read.messages) this.#receive(message);
      if (read.messages.length > 0) onEvent();
    });
  }

  #pauseOften(response: IncomingMessage): void {
    this.#timer = setInterval(() => {
      if (response.isPaused()) response.resume();
      else response.pause();
    }, slowPauseMs);
  }

  #onClose(response: IncomingMessage): void {
    if (response !== this.#response) return;
    this.#stopTimer();
    this.hasEnded = true;
    if (!response.complete) this.#violate('the stream broke off');
    else if (this.finalData === null && this.status !== 204)
      this.#violate('the stream ended without a final event');
  }

  #receive({ id, data }: SseMessage): void {
    const { state, progress, input }: JobProgressRecord = JSON.parse(data);
    const rank = isFinal(state) ? finalRank : (stateRanks[state] ?? -1);
    this.events += 1;
    if (id === '' || id === this.lastEventId) this.#violate(`event "${id}" came twice`);
    if (this.finalData !== null) this.#violate('an event came after the final one');
    if (rank < this.#rank) this.#violate(`the state went back to ${state}`);
    if (progress < this.#progress) this.#violate(`progress fell from ${this.#progress} to ${progress}`);
    if (input.progress < this.#inputProgress) this.#violate(`input went back to ${input.progress}`);
    this.#rank = rank;
    this.#progress = progress;
    this.lastEventId = id;
    this.#inputProgress = input.progress;
    const percent = input.current_event === 'downloading' ? input.current_event_progress : undefined;
    if (percent !== undefined && percent !== this.percent) {
      this.percent = percent;
      this.arrivedAt = Date.now();
      this.percents.add(percent);
    }
    if (rank === finalRank) this.finalData = data;
  }

  #violate(what: string): void {
    this.violations.push(`job ${this.plan.jobId}, ${this.plan.kind}: ${what}`);
  }

  #stopTimer(): void {
    if (this.#timer !== null) clearInterval(this.#timer);
    this.#timer = null;
  }
}
