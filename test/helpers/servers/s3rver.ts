import { createHash, randomBytes } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { mkdir, rename, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import { dirname, join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { tempFolder } from '../temp.js';

/** A light server of S3's kind. */
export interface RunningS3rver {
  /** Its address, as a daemon's configuration has it. */
  readonly endpoint: string;
  readonly port: number;
  /** The folder that it keeps its objects in. */
  readonly folder: string;
  close(): Promise<void>;
}

/** The only keys that it knows. */
export const s3rverKeys = { id: 'S3RVER', secret: 'S3RVER' } as const;

/** As much of it as is used here: it comes without types. */
interface S3rver {
  run(): Promise<AddressInfo>;
  readonly httpServer: { closeAllConnections(): void };
  close(): Promise<void>;
}

/** One object on its way in. */
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

/** As the service does it: an object is there when it is whole. By itself this server writes it under its name, and answers before all is written. */
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
  // It puts suffixes behind the names of its files, for which the longest names leave no room.
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
