import { Webhook } from 'standardwebhooks';
import { apply } from '../../daemon/jobs/changes.js';
import { draftJob } from '../../daemon/jobs/draft.js';
import type { Job } from '../../daemon/jobs/job.js';
import type { Change } from '../../daemon/jobs/legal-changes.js';
import { createSsrfGuard } from '../../daemon/net/ssrf-guard.js';
import type { JobStore } from '../../daemon/store/job-store.js';
import {
  createNotificationDeliverer,
  type NotificationDeliverer,
  type NotificationDelivererOptions,
} from '../../daemon/webhooks/notification-deliverer.js';
import { createWebhookClient } from '../../daemon/webhooks/webhook-client.js';
import type { OutputSettings } from '../../src/shared/settings/index.js';
import { createJsonStoreHarness, type JsonStoreHarness } from '../helpers/json-store-harness.js';
import { sampleFile, sampleMedia } from '../helpers/sample-job.js';
import {
  type ReceivedRequest,
  startWebhookEndpoint,
  type WebhookAnswer,
  type WebhookEndpoint,
} from '../helpers/servers/webhook-endpoint.js';

type Notifications = OutputSettings['notifications'];

/** The secret of all signatures. */
export const secret = `whsec_${Buffer.from('a secret of twenty-four.').toString('base64')}`;

/** A store on its own disk, and deliverers for it. */
export interface NotificationHarness {
  readonly store: JobStore;
  readonly failures: JsonStoreHarness['failures'];
  readonly logLines: readonly string[];
  /** Every wait for the next notification so far, in milliseconds. Waits are instant: they advance the clock. */
  readonly waits: readonly number[];
  /** Starts delivery. */
  open(
    options?: Partial<NotificationDelivererOptions> & { readonly timeoutMs?: number },
  ): NotificationDeliverer;
  /** Stores a job, claims it and has its input inspected; `endpoints` are the targets of its outputs, in order. */
  start(notifications: Notifications, endpoints: readonly Notifications[]): Promise<Job>;
  /** Applies a change to a job. */
  change(id: number, ...changes: readonly Change[]): Promise<Job>;
  /** Closes the deliverers and the store. */
  close(): Promise<void>;
}

/** Creates a harness. The clock starts at the real time because signatures are checked against it. */
export async function createNotificationHarness(): Promise<NotificationHarness> {
  const harness = await createJsonStoreHarness();
  const store = await harness.open();
  const logLines: string[] = [];
  const waits: number[] = [];
  const open: NotificationDeliverer[] = [];
  const clock = { ms: Date.now() };
  const now = () => new Date(clock.ms);
  const change = async (id: number, ...changes: readonly Change[]): Promise<Job> => {
    let job = await store.get(id);
    for (const one of changes) job = await store.update(id, (stored) => apply(stored, one, now()));
    if (job === null) throw new TypeError(`there is no job ${id}`);
    return job;
  };
  return {
    store,
    failures: harness.failures,
    logLines,
    waits,
    open({ timeoutMs = 30_000, ...options } = {}) {
      const deliverer = createNotificationDeliverer({
        store,
        secretOf: (accountId) => (accountId === 'acme' ? secret : null),
        webhookClient: createWebhookClient({
          guard: createSsrfGuard({ allowPrivateNetwork: true }),
          timeoutMs,
        }),
        sendMail: null,
        now,
        log: (level, message) => logLines.push(`${level} ${message}`),
        alarm: (delayMs, wake) => {
          const leap = setImmediate(() => {
            waits.push(delayMs);
            clock.ms += delayMs;
            wake();
          });
          return () => clearImmediate(leap);
        },
        ...options,
      });
      deliverer.start();
      open.push(deliverer);
      return deliverer;
    },
    async start(notifications, endpoints) {
      const draft = draftJob({
        accountId: 'acme',
        request: {
          input: 'http://me:hunter2@example.com/in.mp4',
          outputs: [],
          ...(notifications && { notifications }),
        },
        test: false,
        outputs: endpoints.map((one, index) => ({
          settings: one === undefined ? {} : { notifications: one },
          outputDestination: { destination: `hosted://t/${index}.mp4`, url: `http://localhost/${index}.mp4` },
        })),
        now: now(),
      });
      const { id } = await store.create(draft);
      return change(
        id,
        { type: 'claimed', token: 'token' },
        { type: 'inspected', media: sampleMedia, file: sampleFile },
      );
    },
    change,
    async close() {
      for (const deliverer of open) await deliverer.close();
      await store.close();
    },
  };
}

/** Runs a test with its own harness and endpoint. */
export async function withHarness(
  work: (harness: NotificationHarness, endpoint: WebhookEndpoint) => Promise<void>,
  answer?: WebhookAnswer,
): Promise<void> {
  const harness = await createNotificationHarness();
  const endpoint = await startWebhookEndpoint(answer);
  try {
    await work(harness, endpoint);
  } finally {
    await harness.close();
    await endpoint.close();
  }
}

/** Whether every due notification is delivered or has failed for good. */
export async function noneIsPending({ store }: NotificationHarness): Promise<boolean> {
  return (await store.listWithNotifications()).length === 0;
}

/** The changes of an output that finishes. */
export function finishing(id: number): readonly Change[] {
  return [
    { type: 'output-started', id },
    { type: 'output-finished', id, media: sampleMedia, file: sampleFile },
  ];
}

/** The body of a notification with a valid signature; throws if the signature is invalid. */
export function verified({ headers, body }: ReceivedRequest): unknown {
  return new Webhook(secret).verify(body, {
    'webhook-id': String(headers['webhook-id']),
    'webhook-timestamp': String(headers['webhook-timestamp']),
    'webhook-signature': String(headers['webhook-signature']),
  });
}
