import {
  GetObjectCommand,
  ListMultipartUploadsCommand,
  ListObjectsV2Command,
  PutObjectCommand,
  S3Client,
} from '@aws-sdk/client-s3';
import { createSsrfGuard } from '../../../daemon/net/ssrf-guard.js';
import { noCleanupJournal } from '../../../daemon/transfer/cleanup-journal.js';
import { createS3Transport, hostsOf } from '../../../daemon/transports/s3/s3-transport.js';
import type { ServiceKeys, StorageService } from '../../../daemon/transports/services.js';
import type { Transport } from '../../../daemon/transports/transport.js';
import type { ErrorCase } from '../../contracts/transport/common-error-cases.js';
import { secret, type TransportHarness } from '../../contracts/transport/transport-harness.js';
import { startHttpSource } from '../../helpers/servers/http-source.js';

/** A running storage with a bucket named `films`. */
export interface BucketFixture {
  readonly transport: Transport;
  readonly service: StorageService & { readonly endpoint: string; readonly keys: ServiceKeys };
  readonly scheme?: string;
  readonly create?: typeof createS3Transport;
  /** The program that serves it. */
  readonly against: string;
  /** Whether it verifies the secrets of signatures, and not only the names of keys. */
  readonly checksSecrets: boolean;
  /** Whether it lists open multipart uploads. */
  readonly listsUploads?: boolean;
  readonly close: () => Promise<void>;
}

/** The unmodified SDK, to verify the contents of the storage. */
export function clientFor({ endpoint, region, keys }: BucketFixture['service']): S3Client {
  return new S3Client({
    endpoint,
    region,
    forcePathStyle: true,
    credentials: { accessKeyId: keys.id, secretAccessKey: keys.secret },
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
  });
}

/** A transport to the storage at an endpoint, with short timeouts. */
export function transportTo(
  service: StorageService,
  stallTimeoutMs = 2_000,
  create = createS3Transport,
): Transport {
  const guard = createSsrfGuard({ allowPrivateNetwork: false, exemptHosts: hostsOf(service) });
  return create({ guard, stallTimeoutMs, retryDelayMs: 1, service, cleanupJournal: noCleanupJournal });
}

/** Error responses by the name of the bucket. */
const errorRewordings: Readonly<Record<string, readonly [status: number, code: string]>> = {
  denied: [403, 'AccessDenied'],
  full: [507, 'InsufficientStorage'],
  early: [403, 'RequestTimeTooSkewed'],
  busy: [503, 'SlowDown'],
};

/** A server that rejects everything, with the response for the bucket, and never responds for `silent`. */
async function startRejectingServer(keys: ServiceKeys, create: typeof createS3Transport, scheme: string) {
  const source = await startHttpSource((request, response) => {
    const bucket = /^\/([^/?]*)/.exec(request.url ?? '')?.[1] ?? '';
    const [status, code] = errorRewordings[bucket] ?? [200, ''];
    if (bucket === 'silent') return;
    request.resume().once('end', () => {
      const body = `<?xml version="1.0" encoding="UTF-8"?><Error><Code>${code}</Code><Message>no</Message></Error>`;
      response.writeHead(status, { 'content-type': 'application/xml' }).end(body);
    });
  });
  const transport = transportTo(
    { endpoint: source.url('').replace(/\/$/, ''), region: 'us-east-1', keys },
    250,
    create,
  );
  const to = (bucket: string) => ({ transport, url: async () => `${scheme}://${bucket}/a.mp4` });
  return { to, close: source.close };
}

/** The harness of the contract for a storage. */
export async function bucketHarness(stage: BucketFixture): Promise<TransportHarness> {
  const { transport, service, scheme = 's3', create = createS3Transport } = stage;
  const client = clientFor(service);
  const urlOf = (name: string) => `${scheme}://films/${name.split('/').map(encodeURIComponent).join('/')}`;
  const get = async (name: string): Promise<Buffer | null> => {
    try {
      const { Body } = await client.send(new GetObjectCommand({ Bucket: 'films', Key: name }));
      return Buffer.from((await Body?.transformToByteArray()) ?? []);
    } catch {
      return null;
    }
  };
  const list = async (): Promise<readonly string[]> => {
    const { Contents = [] } = await client.send(new ListObjectsV2Command({ Bucket: 'films' }));
    const uploads =
      stage.listsUploads === true
        ? ((await client.send(new ListMultipartUploadsCommand({ Bucket: 'films' }))).Uploads ?? [])
        : [];
    return [...Contents.map(({ Key }) => `${Key}`), ...uploads.map(({ UploadId }) => `open: ${UploadId}`)];
  };
  const keys = `${encodeURIComponent(service.keys.id)}:${secret}`;
  const unknownKey = async () => `${scheme}://nobody:${secret}@films/plain.mp4`;
  const wrongSecret = stage.checksSecrets ? async () => `${scheme}://${keys}@films/plain.mp4` : unknownKey;
  const rejectingServer = await startRejectingServer(service.keys, create, scheme);
  const elsewhere = (endpoint: string) => ({
    transport: transportTo({ ...service, endpoint }, 2_000, create),
    url: async () => `${scheme}://films/plain.mp4`,
  });
  const unreachable = {
    'a refused connection': elsewhere('http://127.0.0.1:1'),
    'a host that does not exist': elsewhere('http://nowhere.invalid'),
    'a metadata service': elsewhere('http://169.254.169.254'),
    'a server that stalls': rejectingServer.to('silent'),
  } as const;
  const both: readonly ErrorCase[] = [
    {
      what: 'an unknown access key',
      errorClass: 'InvalidUsernameOrPasswordError',
      url: unknownKey,
    },
    {
      what: 'a missing bucket',
      errorClass: 'FileNotFoundError',
      url: async () => `${scheme}://no-such-bucket/plain.mp4`,
    },
  ];
  return {
    transport,
    against: stage.against,
    download: {
      async offer(name, bytes) {
        await client.send(new PutObjectCommand({ Bucket: 'films', Key: name, Body: bytes }));
        return urlOf(name);
      },
      common: {
        'a wrong password': wrongSecret,
        'a missing file': async () => urlOf('nothing.mp4'),
        'a file without permission': rejectingServer.to('denied'),
        ...unreachable,
      },
      errorCases: [
        ...both,
        { what: 'a clock that is wrong', errorClass: 'DownloadFailureError', ...rejectingServer.to('early') },
        { what: 'a server that is busy', errorClass: 'DownloadFailureError', ...rejectingServer.to('busy') },
      ],
    },
    upload: {
      urlOf,
      read: get,
      list,
      hasFolders: true,
      common: {
        'a wrong password': wrongSecret,
        'a destination without permission': rejectingServer.to('denied'),
        'a full destination': rejectingServer.to('full'),
        ...unreachable,
      },
      errorCases: both,
    },
    async close() {
      await rejectingServer.close();
      client.destroy();
      await stage.close();
    },
  };
}
