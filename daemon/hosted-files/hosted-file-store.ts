import type { Readable } from 'node:stream';
import type { FileFacts } from '../jobs/job.js';

/** Names a hosted file: an unguessable token and a file name. */
export interface FileRef {
  readonly token: string;
  readonly name: string;
}

/** What asking for a file can give: it is there, it was there, it never was. */
export type HostedFile =
  | { readonly state: 'there'; readonly path: string; readonly sizeBytes: number; readonly modifiedAt: Date }
  | { readonly state: 'gone' }
  | { readonly state: 'unknown' };

/**
 * Files that are kept for 24 hours below one folder, at TOKEN/NAME (service document, section 1 and 8): hosted outputs and
 * uploads. Nothing unfinished ever stands under its name.
 */
export interface HostedFileStore {
  /** The file at a place; after its 24 hours it is `gone` (410), whether swept or not. */
  find(put: FileRef): Promise<HostedFile>;
  /** Puts a finished file at a place by moving it there (copying across disks). */
  put(fromPath: string, put: FileRef): Promise<void>;
  /** Takes away the file at a place, as if it had never been there. */
  remove(put: FileRef): Promise<void>;
  /**
   * Streams a body to a new place that belongs to an owner. Ends with `OutOfSpaceError` where there is no room, at once where its
   * length was announced.
   */
  receive(
    body: Readable,
    name: string,
    ownerId: string,
    signal: AbortSignal,
    declaredBytes?: number,
  ): Promise<FileRef & FileFacts>;
  /** The account that a received file belongs to; null where it has none. */
  ownerOf(token: string): Promise<string | null>;
  /** What was measured when a file was received; null where none was. */
  factsOf(token: string): Promise<FileFacts | null>;
  /** Deletes what is past its time, and what an earlier crash left unfinished. What stays is deleted later, when its time is over. */
  removeExpired(): Promise<void>;
  /** Deletes nothing more. */
  close(): void;
}
