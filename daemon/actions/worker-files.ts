import { createHash } from 'node:crypto';
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { VencError } from '../../src/shared/errors.js';
import { formatBytes } from '../../src/shared/text/numbers.js';
import { type FilePart, ReceivedFile } from '../hosted-files/received-file.js';
import { checkFreeSpace } from '../hosted-files/store-upload.js';
import type { FileFacts } from '../jobs/job.js';
import type { ReplacementGuard } from '../transfer/transfer.js';
import { type TransportRegistry, transportFor } from '../transports/registry.js';
import type { OpenFile } from '../transports/transport.js';

/** The dependencies of `WorkerFiles`. */
interface WorkerFilesOptions {
  /** The folder of unfinished files. Only this object uses it. */
  readonly folder: string;
  readonly transports: TransportRegistry;
  readonly stallTimeoutMs: number;
  /** Free space that received files leave on the volume. */
  readonly minFreeBytes: number;
  /** Maximum size of an encoded file (`--max-output-size`); null for the free space. */
  readonly maxOutputBytes: number | null;
}

/** A part of a file that a worker sends. */
interface WorkerFilePart extends FilePart {
  readonly url: string;
  /** Whether it is a file of the input, delivered as it is: `--max-output-size` concerns encoded ones. */
  readonly isCopy: boolean;
  /** For a file that is delivered to this machine. */
  readonly replacement?: ReplacementGuard;
}

/** What is known of a file that a worker sends. */
interface WorkerFile {
  readonly received: ReceivedFile;
  /** Set once the file is at its destination. */
  delivered: FileFacts | null;
}

/** The files of one claim. */
interface ClaimFiles {
  readonly folder: string;
  readonly files: Map<string, WorkerFile>;
  /** Aborted when the claim ends. */
  readonly ended: AbortController;
}

/**
 * Files that go between a remote worker and this machine: it reads those that only the daemon has, and sends those that
 * only the daemon can deliver, in parts. A file is delivered, at once and as a whole, when its last byte is there. What
 * is unfinished when a claim ends is removed.
 */
export class WorkerFiles {
  readonly #options: WorkerFilesOptions;
  /** By the token of the claim. */
  readonly #claims = new Map<string, ClaimFiles>();

  constructor(options: WorkerFilesOptions) {
    this.#options = options;
  }

  /** Removes the unfinished files of an earlier daemon. */
  async clear(): Promise<void> {
    await rm(this.#options.folder, { recursive: true, force: true });
  }

  /** Opens a file for reading. Rejects with the errors of a download. The caller closes it. */
  open(url: string): Promise<OpenFile> {
    const transport = transportFor(this.#options.transports, url);
    if (transport.open === undefined)
      throw new VencError('ForbiddenError', 'The daemon does not read such files.');
    return transport.open(url);
  }

  /** Number of bytes that have been received of a file. */
  receivedBytes(claim: string, url: string): number {
    return this.#claims.get(claim)?.files.get(url)?.received.receivedBytes ?? 0;
  }

  /** The size and MD5 of a file that was delivered; null if this daemon has delivered none there for the claim. */
  deliveredFile(claim: string, url: string): FileFacts | null {
    return this.#claims.get(claim)?.files.get(url)?.delivered ?? null;
  }

  /**
   * Appends a part to a file, and delivers the file if it is complete. Resolves to the size and MD5 of a delivered
   * file, otherwise to null. A part that breaks off stays. Rejects with `ConflictError` if the part does not begin
   * where the file ends, with `OutputSizeLimitError` if the file is larger than the daemon allows, and with
   * `OutOfSpaceError` if there is no space for the rest of it. A request for the same file that is still open is ended:
   * its client has gone.
   */
  async receive(claim: string, part: WorkerFilePart): Promise<FileFacts | null> {
    const files = this.#open(claim);
    const file = files.files.get(part.url) ?? newFile(join(files.folder, nameOf(part.url)), part.sizeBytes);
    files.files.set(part.url, file);
    return file.received.replaceRequest([part.signal, files.ended.signal], (signal) =>
      this.#receive(files, file, { ...part, signal }),
    );
  }

  /**
   * Removes what was received of a file or, if it is complete, the delivered file. No-op if it is absent, or if `isOwn`
   * says that it is another one now.
   */
  async remove(claim: string, url: string, isOwn?: (file: string) => boolean): Promise<void> {
    const files = this.#claims.get(claim)?.files;
    const file = files?.get(url);
    await file?.received.close(new VencError('ConflictError', 'The file has been removed.'));
    files?.delete(url);
    if (file !== undefined) await rm(file.received.path, { force: true });
    // Without a record the file was delivered before this start of the daemon.
    if (file === undefined || file.delivered !== null)
      await transportFor(this.#options.transports, url).remove?.(url, isOwn);
  }

  /** The claim has ended: removes its unfinished files, and ends the requests that send them. Never rejects. */
  async release(claim: string): Promise<void> {
    const files = this.#claims.get(claim);
    if (files === undefined) return;
    this.#claims.delete(claim);
    const reason = new VencError('ClaimLostError', 'The claim has ended: stop the work on its job.');
    files.ended.abort(reason);
    await Promise.all([...files.files.values()].map(({ received }) => received.close(reason)));
    await rm(files.folder, { recursive: true, force: true }).catch(() => {});
  }

  #open(claim: string): ClaimFiles {
    const known = this.#claims.get(claim);
    if (known !== undefined) return known;
    const folder = join(this.#options.folder, nameOf(claim));
    const opened = { folder, files: new Map<string, WorkerFile>(), ended: new AbortController() };
    this.#claims.set(claim, opened);
    return opened;
  }

  async #receive({ folder }: ClaimFiles, file: WorkerFile, part: WorkerFilePart): Promise<FileFacts | null> {
    const { url, sizeBytes, signal } = part;
    const { received } = file;
    received.checkPart(part);
    if (file.delivered !== null) return file.delivered;
    await mkdir(folder, { recursive: true, mode: 0o700 });
    await this.#requireSpace(folder, part);
    await received.append(part, this.#options);
    if (received.receivedBytes < sizeBytes) return null;
    signal.throwIfAborted();
    const facts = await received.facts(signal);
    const { upload } = transportFor(this.#options.transports, url);
    if (upload === undefined)
      throw new VencError('ForbiddenError', 'The daemon does not deliver such files.');
    try {
      const guard = part.replacement === undefined ? {} : { replacement: part.replacement };
      file.delivered = await upload(received.path, url, { signal, facts, ...guard, onProgress: () => {} });
    } catch (error) {
      // The transport may have moved the file: it has to be sent again.
      await received.reset();
      throw error;
    }
    await rm(received.path, { force: true });
    return file.delivered;
  }

  /** Rejects a file before its bytes are sent: the worker would send gigabytes for nothing. */
  async #requireSpace(folder: string, { offset, sizeBytes, isCopy }: WorkerFilePart): Promise<void> {
    const { minFreeBytes, maxOutputBytes } = this.#options;
    if (!isCopy && maxOutputBytes !== null && sizeBytes > maxOutputBytes) {
      const message = `The output is larger than ${formatBytes(maxOutputBytes)}, the limit of the daemon (--max-output-size).`;
      throw new VencError('OutputSizeLimitError', message);
    }
    await checkFreeSpace(folder, minFreeBytes, sizeBytes - offset);
  }
}

function newFile(path: string, sizeBytes: number): WorkerFile {
  return { received: new ReceivedFile(path, sizeBytes), delivered: null };
}

/** A name for a file or folder that reveals no token, and is short enough for every URL. */
function nameOf(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 32);
}
