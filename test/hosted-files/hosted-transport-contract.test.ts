import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { fileRefUrl } from '../../daemon/hosted-files/file-ref.js';
import {
  createHostedTransport,
  createUploadTransport,
} from '../../daemon/transports/hosted/hosted-transport.js';
import { noNetwork, notApplicable } from '../contracts/transport/common-error-cases.js';
import { contentsOf } from '../contracts/transport/evidence.js';
import { transportContract } from '../contracts/transport.js';
import { createHostedFilesHarness } from '../helpers/hosted-files-harness.js';

const uploads = createHostedFilesHarness().store;
transportContract('upload', {
  transport: createUploadTransport(uploads),
  against: 'this disk',
  download: {
    async offer(name, bytes) {
      const { signal } = new AbortController();
      const chunks = bytes.byteLength === 0 ? [] : [bytes];
      return fileRefUrl('upload', await uploads.receive(Readable.from(chunks), name, 'default', signal));
    },
    common: {
      ...noNetwork,
      'a missing file': async () => 'upload://abcdef/a.mp4',
      'a file without permission': notApplicable('a token is the permission'),
    },
    errorCases: [
      { what: 'a way up', errorClass: 'FileNotFoundError', url: async () => 'upload://abcdef/..%2Fa.mp4' },
    ],
    isOneStep: true,
  },
});

const hosted = createHostedFilesHarness();
transportContract('hosted', {
  transport: createHostedTransport(hosted.store),
  against: 'this disk',
  upload: {
    urlOf: (name) => fileRefUrl('hosted', { token: 'token1', name }),
    async read(name) {
      const file = await hosted.store.find({ token: 'token1', name });
      return file.state === 'there' ? readFile(join(hosted.folder, 'token1', name)) : null;
    },
    list: async () => contentsOf(hosted.folder),
    common: {
      ...noNetwork,
      'a destination without permission': notApplicable('the daemon itself chooses the place'),
      'a full destination': notApplicable('transfer/map-disk-error.test.ts tests a full disk'),
    },
    errorCases: [
      {
        what: 'an invalid name',
        errorClass: 'UploadFailureError',
        url: async () => 'hosted://token1/a%2Fb.mp4',
      },
    ],
  },
});
