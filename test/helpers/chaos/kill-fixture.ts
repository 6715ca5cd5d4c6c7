import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { JobNotificationBody } from '../../../src/shared/records/notifications.js';
import { film, makeMedia } from '../media.js';
import { type HttpSource, startHttpSource } from '../servers/http-source.js';
import { type RunningS3rver, s3rverKeys, startS3rver } from '../servers/s3rver.js';
import { startWebhookEndpoint, type WebhookEndpoint } from '../servers/webhook-endpoint.js';
import { tempFolder } from '../temp.js';

/** A notification as the receiver saw it. */
export interface SeenNotification {
  readonly id: string;
  readonly tag: string;
  readonly state: string;
  /** The daemon's generation that sent it. */
  readonly generation: number;
  /** Whether it was answered with success. */
  readonly isAccepted: boolean;
}

/** The servers and folders around the daemon of the kill suite, which survive its kills. */
export interface KillFixture {
  readonly dataFolder: string;
  /** Folder of `file:` destinations. */
  readonly deliveryFolder: string;
  /** Folder of the objects of the bucket `films`. */
  readonly bucketFolder: string;
  readonly env: NodeJS.ProcessEnv;
  readonly source: HttpSource;
  readonly webhooks: WebhookEndpoint;
  readonly notifications: SeenNotification[];
  readonly shortFilm: Buffer;
  close(): Promise<void>;
}

/** The slow film is sent in parts, with this time between them or with that of `?pause=MS`. */
const dripCount = 20;
const dripPauseMs = 60;
/** Each such notification is rejected once. */
const rejectedShare = 15;

/** Starts the servers. `generation` returns the number of the running daemon. */
export async function startKillFixture(generation: () => number): Promise<KillFixture> {
  const folder = tempFolder();
  const deliveryFolder = join(folder, 'delivered');
  mkdirSync(deliveryFolder);
  const paths = { short: join(folder, 'short.mp4'), long: join(folder, 'long.mp4') };
  await makeMedia(paths.short, film('64x48', 1));
  await makeMedia(paths.long, film('320x240', 2));
  const files = { short: readFileSync(paths.short), long: readFileSync(paths.long) };
  const source = await startHttpSource((request, response) => {
    const [, name = ''] = /^\/(\w+)\.mp4/.exec(request.url ?? '') ?? [];
    if (name === 'missing') return response.writeHead(404).end();
    const bytes = name === 'long' ? files.long : files.short;
    response.writeHead(200, { 'Content-Length': bytes.length, 'Content-Type': 'video/mp4' });
    if (name !== 'slow') return response.end(bytes);
    const pauseMs = Number(/\?pause=(\d+)$/.exec(request.url ?? '')?.[1] ?? dripPauseMs);
    return void (async () => {
      const size = Math.ceil(bytes.length / dripCount);
      for (let at = 0; at < bytes.length && !response.destroyed; at += size) {
        response.write(bytes.subarray(at, at + size));
        await pause(pauseMs);
      }
      response.end();
    })();
  });
  const notifications: SeenNotification[] = [];
  const rejected = new Set<string>();
  const webhooks = await startWebhookEndpoint((response, { body, headers }, count) => {
    const { job } = JSON.parse(body) as JobNotificationBody;
    const id = String(headers['webhook-id']);
    const isAccepted = count % rejectedShare !== 0 || rejected.has(id);
    if (!isAccepted) rejected.add(id);
    response.writeHead(isAccepted ? 204 : 503).end();
    const { pass_through: tag, state } = job;
    notifications.push({ id, tag: tag ?? '', state, generation: generation(), isAccepted });
  });
  const bucket: RunningS3rver = await startS3rver(['films']);
  return {
    dataFolder: join(folder, 'data'),
    deliveryFolder,
    bucketFolder: join(bucket.folder, 'films'),
    env: {
      AWS_ENDPOINT_URL_S3: bucket.endpoint,
      AWS_ACCESS_KEY_ID: s3rverKeys.id,
      AWS_SECRET_ACCESS_KEY: s3rverKeys.secret,
    },
    source,
    webhooks,
    notifications,
    shortFilm: files.short,
    async close() {
      await Promise.all([source.close(), webhooks.close(), bucket.close()]);
    },
  };
}
