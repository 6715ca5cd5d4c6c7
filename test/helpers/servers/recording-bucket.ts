import { readdirSync } from 'node:fs';
import { createServer, request as httpRequest, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { systemCode } from '../../../src/shared/util/system-code.js';
import { startS3rver } from './s3rver.js';

/** A request to upload an object, and when it came and ended. */
export interface SeenUpload {
  readonly name: string;
  readonly headers: IncomingHttpHeaders;
  readonly begin: number;
  end: number;
}

/** What becomes of uploads of objects with this name. */
interface UploadRule {
  name: string;
  /** They end with a status, are never answered, or are passed on as soon as the upload of another object has begun. */
  status: number | 'held' | { readonly after: string };
}

/** A bucket behind a proxy that records uploads. */
export interface RecordingBucket {
  readonly endpoint: string;
  /** The uploads so far, in order of their start. */
  readonly uploads: SeenUpload[];
  readonly rule: UploadRule;
  /** The names of all objects, without their folders. */
  objects(): readonly string[];
  close(): Promise<void>;
}

/** Starts a server with the bucket `films`. */
export async function startRecordingBucket(): Promise<RecordingBucket> {
  const storage = await startS3rver(['films']);
  const uploads: SeenUpload[] = [];
  const rule: UploadRule = { name: '', status: 403 };
  /** What passes on the upload that waits for another one, by the name of that. */
  const waiting = new Map<string, () => void>();
  const proxy = createServer((asked, answer) => {
    const { method, url = '', headers } = asked;
    const name = decodeURIComponent(url.replace(/\?.*/, '').split('/').at(-1) ?? '');
    const upload = { name, headers, begin: performance.now(), end: 0 };
    const passOn = () => {
      const onward = httpRequest(
        { host: '127.0.0.1', port: storage.port, method, path: url, headers },
        (answered) => {
          answer.writeHead(answered.statusCode ?? 500, answered.headers);
          answered.pipe(answer);
          answered.on('end', () => {
            upload.end = performance.now();
          });
        },
      );
      onward.on('error', () => answer.destroy());
      asked.pipe(onward);
    };
    if (method !== 'PUT') {
      passOn();
      return;
    }
    uploads.push(upload);
    waiting.get(name)?.();
    waiting.delete(name);
    const { status } = rule;
    if (name !== rule.name) passOn();
    else if (typeof status !== 'object') {
      asked.resume();
      if (status !== 'held') answer.writeHead(status).end();
    } else if (uploads.some((one) => one.name === status.after)) passOn();
    else waiting.set(status.after, passOn);
  });
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
  const objects = (): readonly string[] => {
    try {
      return readdirSync(join(storage.folder, 'films'), { recursive: true })
        .map(String)
        .filter((name) => name.endsWith('_object'))
        .map((name) => name.replace(/^.*\/|\._S3rver_object$/g, ''))
        .toSorted();
    } catch (error) {
      // A folder was removed while it was listed.
      if (systemCode(error) === 'ENOENT') return objects();
      throw error;
    }
  };
  return {
    endpoint: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`,
    uploads,
    rule,
    objects,
    async close() {
      proxy.close();
      proxy.closeAllConnections();
      await storage.close();
    },
  };
}
