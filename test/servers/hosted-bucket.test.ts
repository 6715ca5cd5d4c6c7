import { CreateBucketCommand } from '@aws-sdk/client-s3';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { checkBucket } from '../../daemon/transports/hosted/bucket-availability.js';
import { createBucketFileStore } from '../../daemon/transports/hosted/open-bucket-files.js';
import { finishedFile, refTo } from '../contracts/hosted-file-store/store-context.js';
import { hostedFileStoreContract } from '../contracts/hosted-file-store.js';
import { failureOf, transferOf } from '../contracts/transport/evidence.js';
import { bucketStoreOptions, openFolderOf } from '../helpers/bucket-files-harness.js';
import { skipSuite } from '../helpers/servers/program.js';
import { startSwift, swiftPrograms } from '../helpers/servers/swift.js';
import { clientFor } from '../transports/s3/s3-harness.js';

const programs = swiftPrograms();
if ('missing' in programs) skipSuite('hosted files in a bucket of Swift', programs);
else {
  const swift = await startSwift(programs);
  const service = {
    endpoint: swift.s3Endpoint,
    region: 'us-east-1',
    keys: { id: swift.user, secret: swift.key },
  };
  const client = clientFor(service);
  for (const Bucket of ['films', 'many']) await client.send(new CreateBucketCommand({ Bucket }));

  const test = suite('hosted files in a bucket of Swift');

  test('a folder with more files than one listing has is removed as a whole', async () => {
    const folder = openFolderOf('s3://many/venc', service, 20_000);
    const store = createBucketFileStore({ ...bucketStoreOptions(folder), kind: 'hosted' });
    const names = Array.from({ length: 1_100 }, (_, index) => `a-${index}.ts`);
    for (const name of names) await swift.ask('PUT', `many/venc/hosted/token/${name}`, { body: name });
    await store.put(finishedFile('other'), refTo('token2'), transferOf());
    assert.is((await store.find(refTo('token', 'a-1099.ts'))).state, 'there');
    await store.removeAll('token');
    assert.equal(await swift.list('many'), ['venc/hosted/token2/a.mp4']);
    store.close();
    folder.close();
  });

  const { user, key } = swift.readOnly;
  const rejected = [
    ['a missing bucket', 's3://nowhere/venc', service.keys, /--hosted: there is no bucket nowhere at 127/],
    ['a wrong secret', 's3://films/venc', { id: swift.user, secret: 'hunter2' }, /did not accept the keys/],
    ['keys without rights', 's3://films/venc', { id: user, secret: key }, /denies access .*s3:\w+/],
  ] as const;
  for (const [what, url, keys, sentence] of rejected) {
    test(`${what} is an error at the start that names the flag`, async () => {
      const folder = openFolderOf(url, { ...service, keys }, 20_000);
      const failure = await failureOf(checkBucket(folder, 'check'));
      assert.is(failure.errorClass, 'UsageError');
      assert.match(failure.message, sentence);
      folder.close();
    });
  }
  test.run();

  let count = 0;
  hostedFileStoreContract(
    'a bucket of Swift',
    async () => {
      count += 1;
      const prefix = `daemons-${count}`;
      return {
        open(options) {
          const folder = openFolderOf(`s3://films/${prefix}`, service, 20_000);
          const store = createBucketFileStore({
            ...bucketStoreOptions(folder),
            ...options,
            kind: 'uploads',
          });
          return {
            ...store,
            close() {
              store.close();
              folder.close();
            },
          };
        },
        files: async () =>
          (await swift.list('films'))
            .filter((name) => name.startsWith(`${prefix}/`))
            .map((name) => name.slice(`${prefix}/uploads/`.length))
            .filter((path) => !/^\.(?:expired|records)\//.test(path)),
      };
    },
    {
      async end() {
        client.destroy();
        await swift.end();
      },
    },
  );
}
