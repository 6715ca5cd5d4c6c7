import { createHash } from 'node:crypto';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
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

/** Starts `s3rver` in this process, on a free loopback port, with some buckets. */
export async function startS3rver(buckets: readonly string[], folder = tempFolder()): Promise<RunningS3rver> {
  const require = createRequire(import.meta.url);
  const Server = require('s3rver') as new (options: object) => S3rver;
  const Store = require('s3rver/lib/stores/filesystem') as { encodeKeyPath: (key: string) => string };
  // It puts suffixes behind the names of its files, for which the longest names leave no room.
  Store.encodeKeyPath = (key) =>
    key
      .split('/')
      .map((name) => (Buffer.byteLength(name) > 200 ? createHash('md5').update(name).digest('hex') : name))
      .join('/');
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
