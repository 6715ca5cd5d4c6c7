import type { FileHandle } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import type { FileFacts } from '../jobs/job.js';
import type { Transfer } from '../transfer/transfer.js';
import type { UploadRecord } from './hosted-file-store-state.js';

/** Names a hosted file: an unguessable token and a file name. */
export interface FileRef {
  readonly token: string;
  readonly name: string;
}

/** A range of the bytes of a file; the first and the last one are included. */
export interface ReadRange {
  readonly start: number;
  readonly end: number;
}

/** A file that can be read. */
export interface ReadableFile {
  readonly sizeBytes: number;
  readonly modifiedAt: Date;
  /** Changes with the content, and not when the file is kept longer; without it, `modifiedAt` stands for the content. */
  readonly version?: string;
  /**
   * Reads a range that lies in the file. The stream fails if the file cannot be read, and frees everything when it is
   * destroyed.
   */
  readonly read: (range: ReadRange) => Readable;
}

/** The state of a file: it exists, it expired, or it never existed. */
export type HostedFile =
  | ({ readonly state: 'there' } & ReadableFile)
  /** When it expired; null if that is not known. */
  | { readonly state: 'gone'; readonly expiredAt: Date | null }
  | { readonly state: 'unknown' };

/**
 * Files that are kept for 24 hours, or for the time in their token (`retentionSecondsOf`), at TOKEN/NAME (service
 * document, sections 1 and 8): hosted outputs and uploads. A file gets its name only when it is complete. There are two
 * implementations: a folder of this machine, which one process uses, and a bucket, which several daemons may share.
 * `test/contracts/hosted-file-store.ts` tests both for these guarantees.
 *
 * `download` and `put` reject with the errors of a transfer (`Transport`). All other methods reject with
 * `UnavailableError` if the files cannot be reached.
 */
export interface HostedFileStore {
  /** Whether the files are on the disk of the daemon. */
  readonly usesDisk: boolean;
  /** Finds a file. After its time it is `gone` (410), even if it is not deleted yet, unless a job reads it. */
  find(ref: FileRef): Promise<HostedFile>;
  /**
   * Downloads a file to a path, which appears only when the file is complete. May link it: neither may be modified
   * afterwards. Rejects with `FileNotFoundError` if there is no such file.
   */
  download(ref: FileRef, toPath: string, transfer: Transfer): Promise<FileFacts>;
  /** Opens a file if it is there, on this machine; resolves to null otherwise. The caller closes it. */
  openHere(ref: FileRef): Promise<FileHandle | null>;
  /** Moves a finished file into the store, and measures it. Its retention time starts now. */
  put(fromPath: string, ref: FileRef, transfer: Transfer): Promise<FileFacts>;
  /** Deletes a file. Afterwards its state is `unknown`, as if it had never existed. */
  remove(ref: FileRef): Promise<void>;
  /** Deletes all files of a token, in the same way. */
  removeAll(token: string): Promise<void>;
  /**
   * Streams a body into a new file that belongs to an owner. Rejects with `OutOfSpaceError` if the disk is full, and
   * with `PayloadTooLargeError` if a bucket takes no such file; immediately, if the declared length does not fit.
   */
  receive(
    body: Readable,
    name: string,
    ownerId: string,
    signal: AbortSignal,
    declaredBytes?: number,
  ): Promise<FileRef & FileFacts>;
  /**
   * Moves a finished file into the store as an upload, with its owner, size and MD5. Its retention time starts now.
   * Rejects with the errors of a disk, or with `UnavailableError`; the file is then where it was.
   */
  keepUpload(fromPath: string, ref: FileRef, record: UploadRecord, signal: AbortSignal): Promise<void>;
  /** The account that an uploaded file belongs to; null if there is no record. */
  ownerOf(token: string): Promise<string | null>;
  /** Starts the retention time of an upload again. No-op if there is no such upload. */
  renew(token: string): Promise<void>;
  /** Size and MD5 of an uploaded file, measured when it was received; null if there is no record. */
  factsOf(token: string): Promise<FileFacts | null>;
  /**
   * Deletes expired files that no job needs and the unfinished files of an earlier crash, and schedules the expiry of
   * all other files.
   */
  removeExpired(): Promise<void>;
  /**
   * Why files cannot be kept now, as one sentence without secrets; null if they can. The result may be a few seconds
   * old. With a limit in milliseconds it resolves in time: storage that has not answered by then counts as one that
   * cannot be reached.
   */
  problem(maxWaitMs?: number): Promise<string | null>;
  /** Stops the expiry of files. */
  close(): void;
}
