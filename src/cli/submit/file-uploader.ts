import { createReadStream } from 'node:fs';
import { basename } from 'node:path';
import type { Client } from '../../client/client.js';
import { isVencDaemon } from '../../client/create-job-with-retry.js';
import { isVencError, VencError } from '../../shared/errors.js';
import { withoutPassword } from '../../shared/redact.js';
import { safeText } from '../../shared/text/safe-text.js';
import type { Context } from '../context.js';
import type { FileToUpload } from '../input/files.js';
import type { Io } from '../terminal/io.js';
import { openTransferDisplay, type TransferDisplay } from '../terminal/progress-display.js';
import type { ProgressMode } from '../terminal/progress-mode.js';

/** Options for uploading files to the service or to a folder that it can read. */
interface UploaderOptions {
  readonly client: Client;
  readonly context: Context;
  readonly display: UploadDisplay;
  /** URL of the folder to upload to; undefined to upload to the service. */
  readonly stage: string | undefined;
  readonly signal: AbortSignal;
}

/** Uploads local files, with progress on stderr. */
export interface FileUploader {
  /** Whether the service can validate a request before its files are uploaded, as a `venc daemon` can. */
  canValidate(): Promise<boolean>;
  /** Uploads a file and resolves to its URL. A failed upload leaves no file behind. */
  upload(file: FileToUpload): Promise<string>;
  /**
   * Removes staged files if no job was created, unless the service may have created one, and warns about files that
   * stay. Never rejects.
   */
  cleanUp(mayBeInUse: boolean): Promise<void>;
}

/** Creates an uploader. */
export function createFileUploader({
  client,
  context,
  display,
  stage,
  signal,
}: UploaderOptions): FileUploader {
  const cleanups: ((mayBeInUse: boolean) => Promise<void>)[] = [];
  const warn = (text: string) => display.writeStderr(`venc: ${safeText(text)}\n`);

  async function uploadToService(
    file: FileToUpload,
    onProgress: (doneBytes: number) => void,
  ): Promise<string> {
    const url = await uploadFile(client, file, { signal, onProgress });
    // The daemon removes uploads after some time. Until then, the URL saves uploading the file again.
    cleanups.push(async () => warn(`${basename(file.path)} stays at the service for 24 hours, as ${url}`));
    return url;
  }

  async function uploadToStage(
    file: FileToUpload,
    folderUrl: string,
    onProgress: (doneBytes: number) => void,
  ) {
    const { stageFile } = await import('../../../daemon/app/stage-file.js');
    const folder = await context.dataFolder();
    const staged = await stageFile(file.path, { stage: folderUrl, folder, env: context.io.env });
    await staged.send({ signal, onProgress });
    const name = withoutPassword(staged.url);
    cleanups.push(async (mayBeInUse) => {
      if (mayBeInUse) return warn(`${name} is kept, because the service may have accepted the request`);
      await staged.remove().catch((error: unknown) => {
        const reason = error instanceof Error ? error.message : String(error);
        warn(`${name} could not be removed: ${reason}`);
      });
    });
    return staged.url;
  }

  return {
    canValidate: () => isVencDaemon(client),
    async upload(file) {
      const { report, finish } = await display.start(file);
      try {
        return await (stage === undefined
          ? uploadToService(file, report)
          : uploadToStage(file, stage, report));
      } finally {
        finish();
      }
    },
    async cleanUp(mayBeInUse) {
      for (const cleanup of cleanups) await cleanup(mayBeInUse);
    },
  };
}

/** Uploads files one after the other. Resolves to their new addresses by the old ones. */
export async function uploadFiles(
  files: ReadonlyMap<string, FileToUpload>,
  uploader: FileUploader,
): Promise<ReadonlyMap<string, string>> {
  const addresses = new Map<string, string>();
  for (const [address, file] of files) addresses.set(address, await uploader.upload(file));
  return addresses;
}

/** Options for an upload. */
interface UploadFileOptions {
  /** Cancels the upload; the service then keeps nothing. */
  readonly signal: AbortSignal;
  readonly onProgress: (doneBytes: number) => void;
}

/**
 * Uploads a file to the service and resolves to the URL to submit. Uploads are an extension of venc; rejects with
 * `UsageError` if the service does not support them or the file cannot be read to its end.
 */
async function uploadFile(
  client: Client,
  { path, sizeBytes }: FileToUpload,
  { signal, onProgress }: UploadFileOptions,
): Promise<string> {
  let sentBytes = 0;
  async function* content() {
    // If the file grows meanwhile, only the announced bytes are sent.
    const end = { end: Math.max(0, sizeBytes - 1) };
    if (sizeBytes === 0) return;
    for await (const chunk of createReadStream(path, end) as AsyncIterable<Buffer>) {
      yield chunk;
      sentBytes += chunk.length;
      onProgress(sentBytes);
    }
    if (sentBytes < sizeBytes)
      throw new VencError('UsageError', `${path} became shorter while it was uploaded.`);
  }
  try {
    return await client.upload({ name: basename(path), sizeBytes, content: content() }, signal);
  } catch (error) {
    throw isVencError(error, 'NotFoundError') || isVencError(error, 'MethodNotAllowedError')
      ? new VencError('UsageError', 'This service does not support uploads.', {
          cause: error,
          hint: 'name a folder that the service can fetch from with --stage, or submit the URL of the file',
        })
      : error;
  }
}

/** Shows the progress of uploads. */
interface UploadDisplay {
  /** Starts a file. `report` takes the number of bytes uploaded so far. */
  start(
    file: FileToUpload,
  ): Promise<{ readonly report: (doneBytes: number) => void; readonly finish: () => void }>;
  /** Writes a message. */
  writeStderr(text: string): void;
  /** Hides the display while `write` writes to the same terminal. */
  withDisplayHidden(write: () => Promise<void>): Promise<void>;
  /** Stops the display. */
  stop(): void;
}

/** Creates a separate display for each file. */
export function createPerFileDisplay(io: Io, mode: ProgressMode): UploadDisplay {
  return {
    start: async ({ sizeBytes }) => {
      const recordOf = (done: number) => ({ sent_bytes: done, total_bytes: sizeBytes });
      const { report, stop } = await openTransferDisplay(io, mode, 'upload', recordOf);
      return { report: (done) => report(done, sizeBytes), finish: stop };
    },
    writeStderr: io.writeStderr,
    withDisplayHidden: (write) => write(),
    stop: () => {},
  };
}

/** Creates one display for all files together, shown from the first file on. */
export function createTotalDisplay(
  io: Io,
  mode: ProgressMode,
  files: readonly FileToUpload[],
): UploadDisplay {
  const totalBytes = files.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
  let display: TransferDisplay | null = null;
  let finishedBytes = 0;
  let name = '';
  const recordOf = (done: number) => ({ file: name, sent_bytes: done, total_bytes: totalBytes });
  return {
    start: async ({ path, sizeBytes }) => {
      display ??= await openTransferDisplay(io, mode, titleOf(files.length), recordOf);
      const { report } = display;
      name = path;
      return {
        report: (done) => report(finishedBytes + done, totalBytes),
        // Also counts files that failed.
        finish: () => {
          finishedBytes += sizeBytes;
        },
      };
    },
    writeStderr: (text) => (display ?? io).writeStderr(text),
    withDisplayHidden: (write) => (display === null ? write() : display.withDisplayHidden(write)),
    stop: () => display?.stop(),
  };
}

function titleOf(count: number): string {
  return count === 1 ? 'upload' : `${count} uploads`;
}
