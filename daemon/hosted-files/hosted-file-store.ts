import type { Readable } from 'node:stream';
import type { FileFacts } from '../jobs/job.js';

/** Names a hosted file: an unguessable token and a file name. */
export interface FileRef {
  readonly token: string;
  readonly name: string;
}

/** The state of a file: it exists, it expired, or it never existed. */
export type HostedFile =
  | { readonly state: 'there'; readonly path: string; readonly sizeBytes: number; readonly modifiedAt: Date }
  | { readonly state: 'gone' }
  | { readonly state: 'unknown' };

/**
 * Files that are kept for 24 hours in one folder, at TOKEN/NAME (service document, sections 1 and 8): hosted outputs and
 * uploads. A file gets its name only when it is complete.
 */
export interface HostedFileStore {
  /** Finds a file. After 24 hours it is `gone` (410), even if it is not deleted yet. */
  find(ref: FileRef): Promise<HostedFile>;
  /** Moves a finished file into the store; copies it if it is on another volume. */
  put(fromPath: string, ref: FileRef): Promise<void>;
  /** Deletes a file. Afterwards its state is `unknown`, as if it had never existed. */
  remove(ref: FileRef): Promise<void>;
  /** Deletes all files of a token, in the same way. */
  removeAll(token: string): Promise<void>;
  /**
   * Streams a body into a new file that belongs to an owner. Rejects with `OutOfSpaceError` if the disk is full; immediately, if
   * the declared length does not fit.
   */
  receive(
    body: Readable,
    name: string,
    ownerId: string,
    signal: AbortSignal,
    declaredBytes?: number,
  ): Promise<FileRef & FileFacts>;
  /** The account that an uploaded file belongs to; null if there is no record. */
  ownerOf(token: string): Promise<string | null>;
  /** Size and MD5 of an uploaded file, measured when it was received; null if there is no record. */
  factsOf(token: string): Promise<FileFacts | null>;
  /** Deletes expired files and the unfinished files of an earlier crash, and schedules the expiry of all other files. */
  removeExpired(): Promise<void>;
  /** Stops the expiry timer. */
  close(): void;
}
