import { readFile } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { createHostedTransport } from '../../daemon/transports/hosted.js';
import { shelfUrl } from '../../daemon/transports/shelf-place.js';
import { createUploadTransport } from '../../daemon/transports/upload.js';
import { contentsOf } from '../contracts/transport/evidence.js';
import { transportContract } from '../contracts/transport.js';
import { shelfRoom } from '../helpers/shelf-room.js';

const uploads = shelfRoom().shelf;
transportContract('upload', {
  transport: createUploadTransport(uploads),
  download: {
    async offer(name, bytes) {
      const { signal } = new AbortController();
      const pieces = bytes.byteLength === 0 ? [] : [bytes];
      return shelfUrl('upload', await uploads.receive(Readable.from(pieces), name, 'default', signal));
    },
    troubles: [
      { what: 'an unknown token', errorClass: 'FileNotFoundError', url: async () => 'upload://abcdef/a.mp4' },
      { what: 'a way up', errorClass: 'FileNotFoundError', url: async () => 'upload://abcdef/..%2Fa.mp4' },
    ],
    isOneStep: true,
  },
});

const hosted = shelfRoom();
transportContract('hosted', {
  transport: createHostedTransport(hosted.shelf),
  upload: {
    urlOf: (name) => shelfUrl('hosted', { token: 'token1', name }),
    async read(name) {
      const file = await hosted.shelf.find({ token: 'token1', name });
      return file.state === 'there' ? readFile(file.path) : null;
    },
    list: async () => contentsOf(hosted.folder),
    troubles: [
      {
        what: 'a name that is none',
        errorClass: 'UploadFailureError',
        url: async () => 'hosted://token1/a%2Fb.mp4',
      },
    ],
  },
});
