import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { createFileTransport } from '../../../daemon/transports/file/file-transport.js';
import { noNetwork, notApplicable } from '../../contracts/transport/common-error-cases.js';
import { transportContract } from '../../contracts/transport.js';
import { tempFolder } from '../../helpers/temp.js';

const outside = tempFolder();
const root = tempFolder();
writeFileSync(join(outside, 'private.mp4'), 'not yours');
symlinkSync(join(outside, 'private.mp4'), join(root, 'way-out.mp4'));
symlinkSync(outside, join(root, 'way-out'));
mkdirSync(join(root, 'folder'));
mkdirSync(join(root, 'out'));
execFileSync('mkfifo', [join(root, 'pipe')]);

const urlOf = (...names: readonly string[]) => {
  const path = names.map((name) => name.split('/').map(encodeURIComponent).join('/')).join('/');
  return `${pathToFileURL(root).href}/${path}`;
};
const at = (url: string) => async () => url;

transportContract('file', {
  transport: createFileTransport([root]),
  against: 'this disk',
  download: {
    async offer(name, bytes) {
      writeFileSync(join(root, name), bytes);
      return urlOf(name);
    },
    common: {
      ...noNetwork,
      'a missing file': at(urlOf('no-such.mp4')),
      'a file without permission': at('file:///etc/hostname'),
    },
    errorCases: [
      { what: 'a file as a folder', errorClass: 'FileNotFoundError', url: at(urlOf('plain.mp4/x')) },
      { what: 'a folder', errorClass: 'DownloadFailureError', url: at(urlOf('folder')) },
      { what: 'a pipe', errorClass: 'DownloadFailureError', url: at(urlOf('pipe')) },
      {
        what: 'dots that lead outside',
        errorClass: 'DownloadAccessDeniedError',
        url: at(urlOf('%2e%2e/x').replaceAll('%252e', '%2e')),
      },
      {
        what: 'a link that leads outside',
        errorClass: 'DownloadAccessDeniedError',
        url: at(urlOf('way-out.mp4')),
      },
      {
        what: 'a linked folder outside',
        errorClass: 'DownloadAccessDeniedError',
        url: at(urlOf('way-out/private.mp4')),
      },
    ],
  },
  upload: {
    urlOf: (name) => urlOf('out', name),
    read: (name) => readFile(join(root, 'out', name)).catch(() => null),
    list: () => readdir(join(root, 'out'), { recursive: true }),
    hasFolders: true,
    common: {
      ...noNetwork,
      'a destination without permission': at(`${pathToFileURL(outside).href}/x.mp4`),
      'a full destination': notApplicable('transfer/disk-errors.test.ts tests a full disk'),
    },
    errorCases: [
      {
        what: 'a linked folder outside',
        errorClass: 'UploadAccessDeniedError',
        url: at(urlOf('way-out/x.mp4')),
      },
      {
        what: 'a new folder in a linked one',
        errorClass: 'UploadAccessDeniedError',
        url: at(urlOf('way-out/new/x.mp4')),
      },
      { what: 'a folder in its place', errorClass: 'UploadFailureError', url: at(urlOf('folder')) },
      { what: 'a pipe in its place', errorClass: 'UploadFailureError', url: at(urlOf('pipe')) },
      {
        what: 'a file as a folder',
        errorClass: 'UploadFailureError',
        url: at(urlOf('way-out.mp4/x').replace('way-out.mp4', 'pipe')),
      },
    ],
  },
});

const own = tempFolder();
transportContract('file anywhere', {
  transport: createFileTransport('anywhere'),
  against: 'this disk',
  download: {
    async offer(name, bytes) {
      writeFileSync(join(own, name), bytes);
      return `${pathToFileURL(own).href}/${encodeURIComponent(name)}`;
    },
    common: {
      ...noNetwork,
      'a missing file': at('file:///no/such/file'),
      'a file without permission': notApplicable('tests may be run by root, who reads everything'),
    },
    errorCases: [{ what: 'a device', errorClass: 'DownloadFailureError', url: at('file:///dev/null') }],
  },
  upload: {
    urlOf: (name) => `${pathToFileURL(own).href}/to/${name.split('/').map(encodeURIComponent).join('/')}`,
    read: async (name) => {
      try {
        return readFileSync(join(own, 'to', name));
      } catch {
        return null;
      }
    },
    list: () => readdir(join(own, 'to'), { recursive: true }),
    hasFolders: true,
    common: {
      ...noNetwork,
      'a destination without permission': notApplicable('tests may be run by root, who writes everywhere'),
      'a full destination': notApplicable('transfer/disk-errors.test.ts tests a full disk'),
    },
    errorCases: [{ what: 'a device', errorClass: 'UploadFailureError', url: at('file:///dev/null') }],
  },
});
