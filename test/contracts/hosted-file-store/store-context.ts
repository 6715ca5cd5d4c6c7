import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import type { Test } from 'uvu';
import type { FileRef, HostedFileStore, ReadRange } from '../../../daemon/hosted-files/hosted-file-store.js';
import type { HostedFileStoreOptions } from '../../../daemon/hosted-files/hosted-file-store-state.js';
import type { FileFacts } from '../../../daemon/jobs/job.js';
import { scratchFolder } from '../transport/evidence.js';

/** Options of a store, with which a test opens it. */
export interface StoreOptions {
  readonly now: () => Date;
  readonly stallTimeoutMs: number;
  readonly needOf?: NonNullable<HostedFileStoreOptions['needOf']>;
  readonly renewsNeeded?: boolean;
}

/** The files of one test, none at first. */
export interface HostedFileStoreHarness {
  /** Opens a store on the same files, as another daemon or a restart does. */
  open(options: StoreOptions): HostedFileStore;
  /** The stored files, as TOKEN/NAME, and everything that a failed write left. */
  files(): Promise<readonly string[]>;
  /** Makes a file older. Absent if the server sets all times; one test is left out then. */
  age?(ref: FileRef, ms: number): Promise<void>;
}

/** What each test of the contract has. */
export interface StoreContext {
  harness: HostedFileStoreHarness;
  store: HostedFileStore;
  /** Opens another store on the same files, which is closed after the test. */
  open: (options?: Partial<StoreOptions>) => HostedFileStore;
  /** Moves the clock of the stores on. */
  pass: (ms: number) => void;
}

/** A suite of the contract. */
export type StoreTest = Test<StoreContext>;

/** A signal that is never aborted. */
export const neverAborted = new AbortController().signal;

/** The reference of a file. */
export const refTo = (token: string, name = 'a.mp4'): FileRef => ({ token, name });

/** A finished file in a scratch folder. */
export function finishedFile(content: string | Buffer): string {
  const path = join(scratchFolder(), 'out');
  writeFileSync(path, content);
  return path;
}

/** Uploads content as one chunk. */
export function receiveContent(
  store: HostedFileStore,
  content: Buffer,
  name = 'a.mp4',
  owner = 'me',
): Promise<FileRef & FileFacts> {
  const chunks = content.byteLength === 0 ? [] : [content];
  return store.receive(Readable.from(chunks), name, owner, neverAborted);
}

/** Reads a file, or a range of it. Fails if it cannot be found. */
export async function contentOf(store: HostedFileStore, ref: FileRef, range?: ReadRange): Promise<Buffer> {
  const file = await store.find(ref);
  if (file.state !== 'there') throw new Error(`the file is ${file.state}`);
  if (file.sizeBytes === 0) return Buffer.alloc(0);
  return buffer(file.read(range ?? { start: 0, end: file.sizeBytes - 1 }));
}
