import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { deliverFile } from '../../../daemon/transports/file/deliver-file.js';
import { transferOf } from '../../contracts/transport/evidence.js';
import { createHostedFilesHarness } from '../hosted-files-harness.js';
import { areOnDifferentVolumes } from './fs-failures.js';
import type { WriteOperation } from './write-operations.js';

const content = 'a film, '.repeat(20_000);
const ref = { token: 'token', name: 'film.mp4' };
const never = new AbortController().signal;

/** A file that a run has encoded, in a scratch folder that no failure concerns. */
function encodedFile(scratch: string): string {
  mkdirSync(scratch, { recursive: true });
  const path = join(scratch, 'encoded');
  writeFileSync(path, content);
  return path;
}

/** `after` if a file is whole, `before` if it does not exist. */
function stateOfFile(path: string): string {
  try {
    return readFileSync(path, 'utf8') === content ? 'after' : 'half a file';
  } catch {
    return 'before';
  }
}

/** The names in a folder that are neither a token nor a file of the test. */
function strays(folder: string): readonly string[] {
  try {
    return readdirSync(folder, { recursive: true })
      .map(String)
      .filter((name) => /\.part$|\.tmp-|unfinished\//.test(name));
  } catch {
    return [];
  }
}

function putFrom(scratchOf: (folder: string) => string): WriteOperation {
  return {
    async prepare(folder) {
      const { store } = createHostedFilesHarness({}, join(folder, 'hosted'));
      const scratch = scratchOf(folder);
      return {
        act: () => store.put(encodedFile(scratch), ref, transferOf()),
        async stateIn(copy) {
          const reopened = createHostedFilesHarness({}, join(copy, 'hosted')).store;
          await reopened.removeExpired();
          const left = strays(join(copy, 'hosted'));
          const found = await reopened.find(ref);
          reopened.close();
          if (left.length > 0) return `left behind: ${left.join(', ')}`;
          return found.state === 'there' ? stateOfFile(join(copy, 'hosted', ref.token, ref.name)) : 'before';
        },
        async close() {
          store.close();
          if (!scratch.startsWith(folder)) rmSync(scratch, { recursive: true, force: true });
        },
      };
    },
  };
}

function deliverFrom(scratchOf: (folder: string) => string): WriteOperation {
  return {
    async prepare(folder) {
      const scratch = scratchOf(folder);
      const path = join(folder, 'delivered', 'new', 'film.mp4');
      mkdirSync(join(folder, 'delivered'));
      return {
        act: () => deliverFile([folder], encodedFile(scratch), path, { signal: never, onProgress: () => {} }),
        stateIn: async (copy) => stateOfFile(join(copy, 'delivered', 'new', 'film.mp4')),
        async close() {
          if (!scratch.startsWith(folder)) rmSync(scratch, { recursive: true, force: true });
        },
      };
    },
  };
}

const sameVolume = (folder: string) => join(folder, 'scratch');

/**
 * The operations on hosted files, uploads and deliveries to folders. Those between two volumes only if the test has two.
 */
export function fileOperations(folder: string, other: string): Readonly<Record<string, WriteOperation>> {
  const hasOtherVolume = areOnDifferentVolumes(folder, other);
  const otherVolume = () => mkdtempSync(join(other, 'scratch-'));
  return {
    'a hosted file': putFrom(sameVolume),
    'a delivery to a folder': deliverFrom(sameVolume),
    ...(hasOtherVolume
      ? {
          'a hosted file from another volume': putFrom(otherVolume),
          'a delivery from another volume': deliverFrom(otherVolume),
        }
      : {}),
    'an upload': uploadOperation,
    'a removal of hosted files': removalOperation,
  };
}

const uploadOperation: WriteOperation = {
  async prepare(folder) {
    const { store } = createHostedFilesHarness({}, join(folder, 'uploads'));
    let token = '';
    return {
      async act() {
        const received = await store.receive(Readable.from([Buffer.from(content)]), 'a.mp4', 'anna', never);
        token = received.token;
      },
      async stateIn(copy) {
        const reopened = createHostedFilesHarness({}, join(copy, 'uploads')).store;
        await reopened.removeExpired();
        const left = strays(join(copy, 'uploads'));
        if (left.length > 0) return `left behind: ${left.join(', ')}`;
        // An upload that failed has no token that anybody knows.
        if (token === '') return 'before';
        const found = await reopened.find({ token, name: 'a.mp4' });
        const owner = await reopened.ownerOf(token);
        const facts = await reopened.factsOf(token);
        reopened.close();
        if (found.state !== 'there') return 'before';
        if (owner !== 'anna' || facts?.sizeBytes !== content.length) return `owner ${owner}`;
        return stateOfFile(join(copy, 'uploads', token, 'a.mp4'));
      },
      close: async () => store.close(),
    };
  },
};

const removalOperation: WriteOperation = {
  // A removal that a power cut undoes is repeated at the next start.
  isVolatile: true,
  async prepare(folder) {
    const { store } = createHostedFilesHarness({}, join(folder, 'hosted'));
    await store.put(encodedFile(sameVolume(folder)), ref, transferOf());
    return {
      act: () => store.removeAll(ref.token),
      async stateIn(copy) {
        const { state } = await createHostedFilesHarness({}, join(copy, 'hosted')).store.find(ref);
        return state === 'there' ? 'before' : 'after';
      },
      close: async () => store.close(),
    };
  },
};
