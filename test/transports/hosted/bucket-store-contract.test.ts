import { utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { createBucketFileStore } from '../../../daemon/transports/hosted/open-bucket-files.js';
import { hostedFileStoreContract } from '../../contracts/hosted-file-store.js';
import { bucketStoreOptions, keysIn, openBucketFolder } from '../../helpers/bucket-files-harness.js';
import { startS3rver } from '../../helpers/servers/s3rver.js';

const { endpoint, folder: serverFolder, close } = await startS3rver(['films']);
let count = 0;

// The store of hosted files has the same code, without records of owners.
const kind = 'uploads';
hostedFileStoreContract(
  'a bucket of s3rver',
  async () => {
    count += 1;
    const prefix = `media/venc ${count}`;
    return {
      open(options) {
        const folder = openBucketFolder(`s3://films/${encodeURI(prefix)}/`, endpoint);
        const store = createBucketFileStore({ ...bucketStoreOptions(folder), ...options, kind });
        return {
          ...store,
          close() {
            store.close();
            folder.close();
          },
        };
      },
      files: async () =>
        (await keysIn(endpoint, 'films'))
          .filter((key) => key.startsWith(`${prefix}/`))
          .map((key) => key.slice(`${prefix}/${kind}/`.length))
          .filter((path) => !/^\.(?:expired|records)\//.test(path)),
      async age({ token, name }, ms) {
        const time = new Date(Date.now() - ms);
        const key = `${prefix}/${kind}/${token}/${name}`;
        await utimes(join(serverFolder, 'films', `${key}._S3rver_object`), time, time);
      },
    };
  },
  { end: close },
);
