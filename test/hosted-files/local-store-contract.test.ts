import { utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { hostedFileStoreContract } from '../contracts/hosted-file-store.js';
import { contentsOf } from '../contracts/transport/evidence.js';
import { createHostedFilesHarness } from '../helpers/hosted-files-harness.js';
import { tempFolder } from '../helpers/temp.js';

hostedFileStoreContract('a folder', async () => {
  const folder = tempFolder();
  return {
    open: (options) => createHostedFilesHarness(options, folder).store,
    files: async () =>
      contentsOf(folder).filter((path) => path.includes('/') && !path.startsWith('.records/')),
    async age({ token, name }, ms) {
      const time = new Date(Date.now() - ms);
      await utimes(join(folder, token, name), time, time);
    },
  };
});
