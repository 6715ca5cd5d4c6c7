import type { FileHandle } from 'node:fs/promises';
import type { ReadableFile } from '../hosted-files/hosted-file-store.js';
import type { FileFacts } from '../jobs/job.js';
import type { Orphan } from '../transfer/cleanup-journal.js';
import type { ContentEncoding } from '../transfer/decode-file.js';
import type { Transfer } from '../transfer/transfer.js';

/** A file that is open for reading. */
export interface OpenFile extends ReadableFile {
  readonly close: () => Promise<void>;
}

/** Size and MD5 of the bytes that were received, and how these are compressed, if the server said that they are. */
export interface DownloadedFacts extends FileFacts {
  readonly encoding?: ContentEncoding;
}

/**
 * Transfers whole files between URLs and the local disk. There is one implementation per family of schemes, and
 * `test/contracts/transport.ts` tests them all for these guarantees:
 *
 * - A file gets its final name, local or remote, only when it is complete. A transfer that failed or was aborted leaves
 *   no files.
 * - The returned size and MD5 are measured on the transferred bytes.
 * - A transfer that is idle for the stall timeout fails with a `...TimeoutError`.
 * - Errors are `VencError`s with the class of the table in the contract (wrong password, missing file, access denied,
 *   unreachable, stalled, disk full, forbidden address), the same for every scheme. No message contains a secret.
 */
export interface Transport {
  /** Schemes without the colon, e.g. `http`. */
  readonly schemes: readonly string[];
  /**
   * Validates a URL as an input (or as a destination). Resolves to the validation error as a sentence without subject,
   * e.g. "must name a file below one of the --files-root folders", or to null. Uses the local disk, but never the
   * network, except for the bucket of the daemon itself. Rejects with `UnavailableError` if that cannot be used now.
   * Absent if the scheme does not support inputs (or destinations).
   */
  readonly checkInput?: (url: string, accountId: string) => Promise<string | null>;
  readonly checkOutput?: (url: string, accountId: string) => Promise<string | null>;
  /** Downloads the file at `from` to `toPath`, which does not exist yet. */
  readonly download?: (from: string, toPath: string, transfer: Transfer) => Promise<DownloadedFacts>;
  /** Uploads the file at `fromPath` to `to`. May move the file instead of copying it. */
  readonly upload?: (fromPath: string, to: string, transfer: Transfer) => Promise<FileFacts>;
  /**
   * Removes an uploaded file after another file of its output failed. No-op if absent. On this machine, no-op as well
   * if `isOwn` says that the file that has its name now, by its `identityOf`, is another one.
   */
  readonly remove?: (url: string, isOwn?: (file: string) => boolean) => Promise<void>;
  /**
   * The size of the file at `from` in bytes, or null if the server does not report it. It decides whether a download
   * must wait for free disk space. Rejects with the errors of `download`.
   */
  readonly sizeOf?: (from: string, signal: AbortSignal) => Promise<number | null>;
  /**
   * Opens the file at `from` for reading, for transports of files that only the daemon has. Rejects with the errors of
   * `download`. The caller closes it when it has read all that it wants.
   */
  readonly open?: (from: string) => Promise<OpenFile>;
  /**
   * Opens the file at `from` if it is on this machine; resolves to null if it is not. Rejects with the errors of
   * `download`. The caller closes it.
   */
  readonly openHere?: (from: string) => Promise<FileHandle | null>;
  /** Removes an orphan of a killed process. No-op if absent. */
  readonly removeOrphan?: (orphan: Orphan) => Promise<void>;
}
