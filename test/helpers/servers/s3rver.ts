import { createHash, randomBytes } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { mkdir, rename, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import { dirname, join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { tempFolder } from '../temp.js';

/** A lightweight S3 server. */
export interface RunningS3rver {
  /** Its URL, as in a daemon's configuration. */
  readonly endpoint: string;
  readonly port: number;
  /** The folder of its objects. */
  readonly folder: string;
  close(): Promise<void>;
}

/** The only keys that it accepts. */
export const s3rverKeys = { id: 'S3RVER', secret: 'S3RVER' } as const;

/** The parts of its API that are used here. It has no types. */
interface S3rver {
  run(): Promise<AddressInfo>;
  readonly httpServer: { closeAllConnections(): void };
  close(): Promise<void>;
}

/** An object that is being uploaded. */
interface Incoming {
  readonly bucket: string;
  readonly key: string;
  readonly content: Readable | Buffer;
  readonly metadata: unknown;
}

interface Store {
  readonly rootDirectory: string;
  getResourcePath(bucket: string, key: string, resource: string): string;
  putMetadata(bucket: string, key: string, metadata: unknown, md5: string): Promise<void>;
  putObject(object: Incoming): Promise<{ readonly size: number; readonly md5: string }>;
}

interface StoreClass {
  encodeKeyPath: (key: string) => string;
  readonly prototype: Store;
}

/** Stores an object like S3: it appears when complete. s3rver itself writes to the final name and responds before the write ends. */
async function putWhole(this: Store, { bucket, key, content, metadata }: Incoming) {
  const path = this.getResourcePath(bucket, key, 'object');
  const part = join(this.rootDirectory, `.part-${randomBytes(6).toString('hex')}`);
  const hash = createHash('md5');
  let size = 0;
  const summed = async function* (chunks: AsyncIterable<Buffer>) {
    for await (const chunk of chunks) {
      hash.update(chunk);
      size += chunk.byteLength;
      yield chunk;
    }
  };
  try {
    const from = Buffer.isBuffer(content) ? Readable.from([content]) : content;
    await pipeline(from, summed, createWriteStream(part));
    await mkdir(dirname(path), { recursive: true });
    await rename(part, path);
  } catch (error) {
    await rm(part, { force: true });
    throw error;
  }
  const md5 = hash.digest('hex');
  await this.putMetadata(bucket, key, metadata, md5);
  return { size, md5 };
}

/** Starts `s3rver` in this process, on a free loopback port, with some buckets. */
export async function startS3rver(buckets: readonly string[], folder = tempFolder()): Promise<RunningS3rver> {
  const require = createRequire(import.meta.url);
  const Server = require('s3rver') as new (options: object) => S3rver;
  const Store = require('s3rver/lib/stores/filesystem') as StoreClass;
  // It appends suffixes to file names, which would make the longest names too long.
  Store.encodeKeyPath = (key) =>
    key
      .split('/')
      .map((name) => (Buffer.byteLength(name) > 200 ? createHash('md5').update(name).digest('hex') : name))
      .join('/');
  Store.prototype.putObject = putWhole;
  const server = new Server({
    address: '127.0.0.1',
    port: 0,
    silent: true,
    directory: folder,
    vhostBuckets: false,
    configureBuckets: buckets.map((name) => ({ name, configs: [] })),
  });
  const { port } = await server.run();
  return {
    endpoint: `http://127.0.0.1:${port}`,
    port,
    folder,
    async close() {
      server.httpServer.closeAllConnections();
      await server.close();
    },
  };
}
