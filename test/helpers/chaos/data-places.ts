import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  mkdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { dirname } from 'node:path';

/** What a damage puts in the place of a file or folder. */
export type DamageKind =
  | 'empty'
  | 'cut short'
  | 'garbage'
  | 'other JSON'
  | 'a folder'
  | 'a link to nothing'
  | 'a loop of links'
  | 'a fifo'
  | 'a huge file'
  | 'a file without permission';

/** Larger than the longest text of Node.js. */
const hugeBytes = 3 * 2 ** 30;

/** Each damage, done to a path. */
export const damages: Readonly<Record<DamageKind, (path: string) => void>> = {
  empty: (path) => replaced(path, () => writeFileSync(path, '')),
  'cut short'(path) {
    const bytes = contentOf(path);
    replaced(path, () => writeFileSync(path, bytes.subarray(0, bytes.length / 2)));
  },
  garbage: (path) =>
    replaced(path, () => writeFileSync(path, Buffer.from([0, 255, 254, 10, 123, 34, 0, 200]))),
  'other JSON': (path) => replaced(path, () => writeFileSync(path, '[{"id": "7", "jobs": null}]')),
  'a folder': (path) =>
    replaced(path, () => {
      mkdirSync(path);
      writeFileSync(`${path}/stranger`, '');
    }),
  'a link to nothing': (path) => replaced(path, () => symlinkSync(`${path}-missing/file`, path)),
  'a loop of links': (path) => replaced(path, () => symlinkSync(path, path)),
  'a fifo': (path) => replaced(path, () => execFileSync('mkfifo', [path])),
  'a huge file': (path) =>
    replaced(path, () => {
      writeFileSync(path, '');
      truncateSync(path, hugeBytes);
    }),
  'a file without permission': (path) =>
    replaced(path, () => {
      writeFileSync(path, '{}');
      chmodSync(path, 0);
    }),
};

/** Names of files that others put into a data folder. */
export const foreignNames = [
  'stranger',
  'two\nlines',
  '9999999999.json',
  '.hidden',
  '-rf',
  'ünï.json',
  '1.json~',
] as const;

/** The places of a data folder that may be damaged, relative to it. JOB, DONE, TOKEN, UPLOAD and ENTRY are names of the test's own files. */
export const dataPlaces = [
  'accounts.json',
  'accounts.lock',
  'credentials.json',
  'credentials-key',
  'key-uses.json',
  'owner-key',
  'daemon.json',
  'sequence.json',
  'lock',
  'lock+',
  'known_hosts',
  'damaged',
  'jobs',
  'jobs/index',
  'jobs/changes.json',
  'jobs/journal',
  'jobs/journal/1',
  'jobs/active',
  'jobs/active/JOB.json',
  'jobs/done',
  'jobs/done/0',
  'jobs/done/0/DONE.json',
  'jobs/done/0/removed.json',
  'hosted',
  'hosted/.unfinished',
  'hosted/TOKEN',
  'uploads',
  'uploads/.unfinished',
  'uploads/.records',
  'uploads/UPLOAD',
  'uploads/.records/UPLOAD.json',
  'leftovers',
  'leftovers/ENTRY.json',
  'scratch',
  'scratch/JOB',
  'scratch/JOB/deliveries',
] as const;

function replaced(path: string, make: () => void): void {
  rmSync(path, { recursive: true, force: true });
  mkdirSync(dirname(path), { recursive: true });
  make();
}

function contentOf(path: string): Buffer {
  try {
    return readFileSync(path);
  } catch {
    return Buffer.from('{"half');
  }
}
