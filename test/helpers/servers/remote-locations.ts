import { mkdirSync, writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { CreateBucketCommand, S3Client } from '@aws-sdk/client-s3';
import { listRecursively } from '../temp.js';
import type { MissingProgram } from './program.js';
import { startSshd } from './sshd.js';
import { inUrl, pathInUrl, type StorageLocation, spellings } from './storage-location.js';
import { type Swift, startSwift, swiftPrograms } from './swift.js';

/** Folders on an SFTP server; or what is missing for one. */
export async function sftpLocation(): Promise<StorageLocation | MissingProgram> {
  const server = await startSshd();
  if ('missing' in server) return server;
  const { folder, port, user, password, keyPath, version } = server;
  for (const name of ['in', 'out']) {
    mkdirSync(join(folder, name));
    server.own(join(folder, name));
  }
  const login = password === null ? inUrl(user) : `${inUrl(user)}:${inUrl(password)}`;
  return {
    scheme: 'sftp',
    against: version,
    async offer(name, bytes) {
      writeFileSync(join(folder, 'in', name), bytes);
      return `sftp://${login}@127.0.0.1:${port}/~/in/${pathInUrl(name)}`;
    },
    urlOf: (name) => `sftp://${login}@127.0.0.1:${port}/~/out/${pathInUrl(name)}`,
    read: (name) => readFile(join(folder, 'out', name)).catch(() => null),
    list: () => listRecursively(join(folder, 'out')),
    secrets: password === null ? [] : spellings(password),
    env: password === null ? { VENC_SFTP_KEY: keyPath } : {},
    end: server.close,
  };
}

/** A container and a bucket of one Swift cluster, and the cluster itself, which ends with the first; or what is missing for one. */
export async function storageLocations(): Promise<
  readonly [cf: StorageLocation, s3: StorageLocation, swift: Swift] | MissingProgram
> {
  const programs = swiftPrograms();
  if ('missing' in programs) return programs;
  const swift = await startSwift(programs);
  const env = { VENC_SWIFT_AUTH_URL: swift.authUrl, AWS_ENDPOINT_URL_S3: swift.s3Endpoint };
  const login = `${inUrl(swift.user)}:${inUrl(swift.key)}`;
  const location = async (scheme: 'cf' | 's3', against: string): Promise<StorageLocation> => {
    const [incoming, outgoing] = [`films-in-${scheme}`, `films-out-${scheme}`];
    for (const name of [incoming, outgoing])
      await (scheme === 's3' ? bucket(swift, name) : swift.ask('PUT', name));
    return {
      scheme,
      against,
      async offer(name, bytes) {
        await swift.ask('PUT', `${incoming}/${pathInUrl(name)}`, { body: bytes });
        return `${scheme}://${login}@${incoming}/${pathInUrl(name)}`;
      },
      urlOf: (name) => `${scheme}://${login}@${outgoing}/${pathInUrl(name)}`,
      read: (name) => objectOf(swift, `${outgoing}/${pathInUrl(name)}`),
      list: () => swift.list(outgoing),
      secrets: spellings(swift.key),
      env,
      end: async () => undefined,
    };
  };
  const cf = await location('cf', 'OpenStack Swift');
  return [{ ...cf, end: swift.end }, await location('s3', 's3api of OpenStack Swift'), swift];
}

/** Creates a bucket through the S3 interface, because Swift stores grants only for such buckets. */
async function bucket(swift: Swift, name: string): Promise<void> {
  const client = s3Client(swift);
  await client.send(new CreateBucketCommand({ Bucket: name }));
  client.destroy();
}

/** A client of the cluster's S3 interface. */
export function s3Client({ s3Endpoint, user, key }: Swift): S3Client {
  return new S3Client({
    endpoint: s3Endpoint,
    region: 'us-east-1',
    forcePathStyle: true,
    credentials: { accessKeyId: user, secretAccessKey: key },
  });
}

async function objectOf(swift: Swift, path: string): Promise<Buffer | null> {
  const response = await swift.ask('GET', path);
  return response.ok ? Buffer.from(await response.arrayBuffer()) : null;
}
