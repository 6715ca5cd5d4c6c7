import type { CreatedRecord, JobProgressRecord } from '../../../src/shared/records.js';
import type { JsonClient } from './json-client.js';

/** A job that the daemon acknowledged. */
export interface AcknowledgedJob {
  readonly id: number;
  /** Its `pass_through`, which no other create has. */
  readonly mark: string;
  /** Whether its cancel was acknowledged. */
  isCancelled: boolean;
  /** Whether somebody tried to resubmit it. */
  isResubmitted: boolean;
}

/** A create whose key may be used again. */
interface KeyedCreate {
  readonly key: string;
  readonly body: object;
  readonly id: number;
}

/** The clients of a daemon, which all create, cancel, resubmit, list and follow jobs. Rejects at the first unexpected response. */
export class MixedRequests {
  readonly jobs = new Map<number, AcknowledgedJob>();
  /** Number of requests that were answered. */
  answered = 0;
  #marks = 0;
  readonly #keyed: KeyedCreate[] = [];

  /** `inputs` are the URLs of the inputs of the jobs. */
  constructor(
    private readonly client: JsonClient,
    private readonly inputs: readonly string[],
    private readonly random: () => number,
  ) {}

  /** Sends one request that is chosen at random. */
  async sendOne(): Promise<void> {
    const share = this.random();
    if (share < 0.4 || this.jobs.size === 0) await this.#create();
    else if (share < 0.5) await this.#repeat();
    else if (share < 0.62) await this.#cancel();
    else if (share < 0.7) await this.#resubmit();
    else if (share < 0.85)
      await this.client.expect(200, 'list', `/v2/jobs?page=${1 + Math.floor(this.random() * 5)}`);
    else await this.client.read<JobProgressRecord>('progress', `/v2/jobs/${this.#any().id}/progress`);
    this.answered += 1;
  }

  async #create(): Promise<void> {
    this.#marks += 1;
    const mark = String(this.#marks);
    const input = this.inputs[Math.floor(this.random() * this.inputs.length)];
    const body = { input, pass_through: mark, outputs: [{ width: 32 }] };
    const key = this.random() < 0.5 ? `key-${mark}` : null;
    // A client that got no response in time sends the same request again.
    const copies = key !== null && this.random() < 0.3 ? 2 : 1;
    const ids = await Promise.all(Array.from({ length: copies }, () => this.#post(key, body)));
    const [id = 0] = ids;
    if (ids.some((other) => other !== id)) throw new Error(`one key gave the jobs ${ids.join(' and ')}`);
    if (this.jobs.has(id)) throw new Error(`two creates gave job ${id}`);
    this.jobs.set(id, { id, mark, isCancelled: false, isResubmitted: false });
    if (key !== null) this.#keyed.push({ key, body, id });
  }

  async #post(key: string | null, body: object): Promise<number> {
    const headers = key === null ? {} : { 'Idempotency-Key': key };
    const answer = await this.client.expect(201, 'create', '/v2/jobs', { method: 'POST', headers, body });
    return Number(answer.json<CreatedRecord>().id);
  }

  /** Repeats an earlier create, or sends another one with its key. */
  async #repeat(): Promise<void> {
    const earlier = this.#keyed[Math.floor(this.random() * this.#keyed.length)];
    if (earlier === undefined) return;
    const { key, body, id } = earlier;
    if (this.random() < 0.8) {
      const again = await this.#post(key, body);
      if (again !== id) throw new Error(`the key of job ${id} gave job ${again}`);
      return;
    }
    const other = { ...body, pass_through: 'another request' };
    const headers = { 'Idempotency-Key': key };
    await this.client.expect(409, 'create', '/v2/jobs', { method: 'POST', headers, body: other });
  }

  async #cancel(): Promise<void> {
    const job = this.#any();
    const path = `/v2/jobs/${job.id}/cancel`;
    const { status } = await this.client.send('cancel', path, { method: 'PUT' });
    // A job that has ended cannot be cancelled.
    if (status === 204) job.isCancelled = true;
    else if (status !== 409) throw new Error(`PUT ${path}: ${status}`);
  }

  async #resubmit(): Promise<void> {
    const job = this.#any();
    job.isResubmitted = true;
    const path = `/v2/jobs/${job.id}/resubmit`;
    const { status } = await this.client.send('resubmit', path, { method: 'PUT' });
    // A finished job cannot be resubmitted, and none more than five times.
    if (![204, 409, 403].includes(status)) throw new Error(`PUT ${path}: ${status}`);
  }

  /** A job at random, more likely one of the newest. */
  #any(): AcknowledgedJob {
    const all = [...this.jobs.values()];
    const back = Math.floor(this.random() * (this.random() < 0.5 ? all.length : Math.min(all.length, 50)));
    const job = all[all.length - 1 - back];
    if (job === undefined) throw new Error('there is no job yet');
    return job;
  }
}
