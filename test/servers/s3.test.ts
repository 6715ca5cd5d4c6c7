import { randomBytes } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  CreateBucketCommand,
  CreateMultipartUploadCommand,
  GetObjectAclCommand,
  HeadObjectCommand,
  ListMultipartUploadsCommand,
} from '@aws-sdk/client-s3';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { FileAccess } from '../../daemon/jobs/file-access.js';
import { openCleanupJournal } from '../../daemon/transfer/cleanup-journal.js';
import {
  factsOf,
  failureOf,
  rejectionOf,
  scratchFolder,
  transferOf,
} from '../contracts/transport/evidence.js';
import { transportContract } from '../contracts/transport.js';
import { skipSuite } from '../helpers/servers/program.js';
import { startSwift, swiftPrograms } from '../helpers/servers/swift.js';
import { bucketHarness, clientFor, transportTo } from '../transports/s3/s3-harness.js';

const programs = swiftPrograms();
if ('missing' in programs) skipSuite('s3 against Swift', programs);
else {
  const swift = await startSwift(programs);
  const service = {
    endpoint: swift.s3Endpoint,
    region: 'us-east-1',
    keys: { id: swift.user, secret: swift.key },
  };
  const transport = transportTo(service, 20_000);
  const client = clientFor(service);
  await client.send(new CreateBucketCommand({ Bucket: 'films' }));
  await client.send(new CreateBucketCommand({ Bucket: 'large' }));

  const large = randomBytes(37 * 1024 * 1024 + 11);
  const path = join(scratchFolder(), 'out');
  writeFileSync(path, large);
  const openUploads = async () =>
    ((await client.send(new ListMultipartUploadsCommand({ Bucket: 'large' }))).Uploads ?? []).length;
  const grantsOf = async (key: string) => {
    const { Grants = [] } = await client.send(new GetObjectAclCommand({ Bucket: 'large', Key: key }));
    return Grants.map(({ Grantee, Permission }) => `${Grantee?.URI ?? Grantee?.ID} ${Permission}`).sort();
  };
  const upload = (key: string, access?: FileAccess) => {
    if (transport.upload === undefined) throw new TypeError('the transport supports uploads');
    return transport.upload(path, `s3://large/${key}`, transferOf(access === undefined ? {} : { access }));
  };

  const test = suite('s3 with large files, against Swift');

  test('a file of many parts is uploaded and downloaded unchanged, with its size and checksum measured', async () => {
    assert.equal(await upload('large.mp4'), factsOf(large));
    const into = join(scratchFolder(), 'in');
    assert.equal(await transport.download?.('s3://large/large.mp4', into, transferOf()), factsOf(large));
    assert.ok(readFileSync(into).equals(large));
    assert.is(
      await transport.sizeOf?.('s3://large/large.mp4', new AbortController().signal),
      large.byteLength,
    );
    const { ContentType } = await client.send(new HeadObjectCommand({ Bucket: 'large', Key: 'large.mp4' }));
    assert.is(ContentType, 'video/mp4');
    assert.is(await openUploads(), 0);
    await transport.remove?.('s3://large/large.mp4');
  });

  const everybody = 'http://acs.amazonaws.com/groups/global/AllUsers';
  test('a public object can be read by everyone', async () => {
    await upload('public.mp4', { isPublic: true, grants: [] });
    assert.ok((await grantsOf('public.mp4')).includes(`${everybody} READ`));
  });

  test('grants by id and by group are stored by the server, and the owner keeps full control', async () => {
    const grants = [
      { grantee: 'test:reader', permissions: ['READ'] },
      { grantee: 'test:other', permissions: ['FULL_CONTROL', 'WRITE'] },
      { grantee: everybody, permissions: ['READ'] },
    ] as const;
    await upload('granted.mp4', { isPublic: false, grants });
    assert.equal(await grantsOf('granted.mp4'), [
      `${everybody} READ`,
      'test:other FULL_CONTROL',
      'test:reader READ',
      'test:tester FULL_CONTROL',
    ]);
  });

  test('a grant that the server rejects fails the upload and leaves nothing', async () => {
    const grants = [{ grantee: 'someone@example.com', permissions: ['READ'] }] as const;
    const failure = await failureOf(upload('rejected.mp4', { isPublic: false, grants }));
    assert.match(failure.errorClass, /^Upload/);
    assert.is(await openUploads(), 0);
    assert.equal((await swift.list('large')).includes('rejected.mp4'), false);
  });

  test('a multipart upload that is cancelled leaves nothing on the server', async () => {
    const before = await swift.list('large');
    const controller = new AbortController();
    // The first report comes with the first bytes of a part, so the upload has begun.
    const onProgress = () => controller.abort('cancelled');
    const transfer = transferOf({ signal: controller.signal, onProgress });
    const work = transport.upload?.(path, 's3://large/stopped.mp4', transfer) ?? Promise.resolve();
    assert.is(await rejectionOf(work), 'cancelled');
    assert.equal(await swift.list('large'), before);
    assert.is(await openUploads(), 0);
  });

  test('an orphaned multipart upload of a killed program can be aborted, and aborted again', async () => {
    const begin = new CreateMultipartUploadCommand({ Bucket: 'large', Key: 'killed.mp4' });
    const { UploadId = '' } = await client.send(begin);
    const journal = openCleanupJournal(join(scratchFolder(), 'leftovers'));
    await journal.add({ url: 's3://large/killed.mp4', name: UploadId });
    assert.is(await openUploads(), 1);
    for (const _ of ['once', 'again'])
      for (const { orphan } of await journal.entries()) await transport.removeOrphan?.(orphan);
    assert.is(await openUploads(), 0);
  });

  test('keys without permissions are reported as such', async () => {
    const { user, key } = swift.readOnly;
    const url = `s3://${encodeURIComponent(user)}:${key}@large/a.mp4`;
    assert.is(
      (await failureOf(transport.upload?.(path, url, transferOf()) ?? Promise.resolve())).errorClass,
      'UploadAccessDeniedError',
    );
  });

  const harness = await bucketHarness({
    transport,
    service,
    against: 'Swift s3api 2.30',
    checksSecrets: true,
    listsUploads: true,
    async close() {
      client.destroy();
      await swift.end();
    },
  });
  test.run();
  // Its last suite stops the servers.
  transportContract('s3 against Swift', harness);
}
