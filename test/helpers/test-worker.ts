import { openFolderSetup } from '../../daemon/admin/open-setup.js';
import type { Job } from '../../daemon/jobs/job.js';
import type {
  ClaimAnswer,
  HeartbeatAnswer,
  JoinAnswer,
  JoinRequest,
} from '../../daemon/jobs/worker-protocol.js';
import { createWorkerKey } from '../../daemon/store/accounts/api-keys.js';
import type { TestDaemon } from './daemon.js';

/** A worker that joins as this: its ffmpeg supports nothing. */
export const sampleJoin: JoinRequest = {
  protocol: 1,
  name: 'box',
  version: '0.1.0',
  ffmpeg: '7.0',
  jobs: 1,
  labels: [],
  capabilities: { version: 7, encoders: [], filters: [], muxers: [], hasFpsMode: true },
  services: [],
};

/** A worker that speaks HTTP by hand. */
export interface TestWorker {
  readonly workerId: string;
  /** The headers with its key. */
  readonly headers: Readonly<Record<string, string>>;
  /** Sends a request below `/worker/v1`. A body that is an object is sent as JSON. */
  send(method: string, path: string, options?: WorkerSendOptions): Promise<Response>;
  /** Claims the next job. Throws if there is none. */
  claim(): Promise<TestClaim>;
  /** A claim that another daemon gave it. */
  claimOf(claim: Pick<TestClaim, 'job' | 'token'>): TestClaim;
}

interface WorkerSendOptions {
  readonly body?: object | Buffer | undefined;
  /** The token of a claim. */
  readonly claim?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
}

/** A claim of a test worker. */
export interface TestClaim {
  readonly job: Job;
  readonly token: string;
  /** Sends a request below the address of the claim, with its token. */
  send(method: string, path: string, options?: WorkerSendOptions): Promise<Response>;
  /** Sends a change with the next number, or with a given one. Throws if it is not stored. */
  change(change: object, number?: number): Promise<Job>;
  heartbeat(report?: object): Promise<HeartbeatAnswer>;
}

/** Joins a daemon as a worker, with a key of its own. */
export async function joinTestWorker(
  { dataFolder, url }: TestDaemon,
  request: Partial<JoinRequest> = {},
): Promise<TestWorker & { readonly keyId: string }> {
  const { key, id: keyId } = await createWorkerKey(openFolderSetup(dataFolder));
  return { keyId, ...(await joinAs({ url, key, request })) };
}

/** How a worker joins: with a key, and the id of a worker that has joined at another daemon. */
interface JoinSettings {
  readonly url: string;
  readonly key: string;
  readonly request?: Partial<JoinRequest>;
  readonly workerId?: string;
}

/** Joins a daemon as a worker. */
export async function joinAs({ url, key, request = {}, ...known }: JoinSettings): Promise<TestWorker> {
  const ownHeaders = { Authorization: `Bearer ${key}` };
  const send: TestWorker['send'] = (method, path, { body, claim, headers = {}, signal } = {}) =>
    fetch(`${url}/worker/v1${path}`, {
      method,
      headers: { ...ownHeaders, ...(claim === undefined ? {} : { 'Venc-Claim': claim }), ...headers },
      ...(body === undefined ? {} : { body: Buffer.isBuffer(body) ? body : JSON.stringify(body) }),
      ...(signal === undefined ? {} : { signal }),
    });
  const join = async () => {
    const joined = await send('POST', '/workers', { body: { ...sampleJoin, ...request } });
    return (await answerOf<JoinAnswer>(joined)).workerId;
  };
  const { workerId = await join() } = known;
  const claimOf: TestWorker['claimOf'] = ({ job, token }) => createClaim(job, token, workerId, send);
  return {
    workerId,
    headers: ownHeaders,
    send,
    claimOf,
    claim: async () =>
      claimOf(await answerOf<ClaimAnswer>(await send('POST', '/claims', { body: { workerId } }))),
  };
}

function createClaim(job: Job, token: string, workerId: string, sendAny: TestWorker['send']): TestClaim {
  const send: TestClaim['send'] = (method, path, options) =>
    sendAny(method, `/claims/${job.id}${path}`, { claim: token, ...options });
  let nextNumber = 1;
  return {
    job,
    token,
    send,
    async change(change, number = nextNumber) {
      nextNumber = number + 1;
      const response = await send('POST', '/changes', { body: { number, change } });
      return (await answerOf<{ job: Job }>(response)).job;
    },
    heartbeat: async (report = {}) =>
      answerOf(await send('POST', '/heartbeat', { body: { workerId, progress: [], log: [], ...report } })),
  };
}

async function answerOf<T>(response: Response): Promise<T> {
  if (response.status !== 200) throw new Error(`${response.status} ${await response.text()}`);
  return (await response.json()) as T;
}

/** The sentences of an error response. */
export async function errorsOf(response: Response): Promise<string> {
  return ((await response.json()) as { errors: readonly string[] }).errors.join('\n');
}
