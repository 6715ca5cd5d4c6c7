import { open } from 'node:fs/promises';
import { basename } from 'node:path';
import { type Client, isVencDaemon } from '../../client/client.js';
import { isNotFound } from '../../client/network-errors.js';
import { VencError } from '../../shared/errors.js';
import { withoutPassword } from '../../shared/redact.js';
import { safeText } from '../../shared/text/safe-text.js';
import type { Context } from '../context.js';
import { type FileToUpload, unreadableError } from '../input/files.js';
import type { Io } from '../terminal/io.js';
import { openTransferDisplay, type TransferDisplay } from '../terminal/progress-display.js';
import type { ProgressMode } from '../terminal/progress-mode.js';
import type { RequestStream } from './requests.js';

/** Options for uploading files to the service or to a folder that it can read. */
interface UploadOptions {
  readonly client: Client;
  readonly context: Context;
  readonly mode: ProgressMode;
  /** The requests whose files are uploaded. */
  readonly stream: RequestStream;
  /** URL of the folder to upload to; undefined to upload to the service. */
  readonly stage: string | undefined;
  /** Whether the service is asked to read inputs where they are, before they are uploaded. */
  readonly isInPlace: boolean;
  readonly signal: AbortSignal;
}

/** The uploads of a command. */
export interface Uploads {
  readonly display: UploadDisplay;
  /** Creates an uploader for the files of a request, or for those of the flags. */
  readonly createUploader: () => FileUploader;
}

/** Uploads local files, with progress on stderr. */
interface FileUploader {
  /**
   * Uploads the input of a job and resolves to its URL, unless the service reads it where it is. A failed upload leaves
   * no file behind.
   */
  uploadInput(file: FileToUpload): Promise<string>;
  /** Uploads files one after the other. Resolves to their new addresses by the old ones. */
  uploadAll(files: ReadonlyMap<string, FileToUpload>): Promise<ReadonlyMap<string, string>>;
  /**
   * Removes staged files if no job was created, unless the service may have created one, and warns about files that
   * stay. Never rejects.
   */
  cleanUp(mayBeInUse: boolean): Promise<void>;
}

/** Prepares the uploads of a command. The files of several inputs share one display. */
export function openUploads(options: UploadOptions): Uploads {
  const { context, mode, stream } = options;
  const display = createUploadDisplay(context.io, mode, stream.kind === 'input' ? stream.files : null);
  let isDaemon: Promise<boolean> | null = null;
  const askOnce = () => {
    isDaemon ??= isVencDaemon(options.client);
    return isDaemon;
  };
  return { display, createUploader: () => createFileUploader(options, display, askOnce) };
}

function createFileUploader(
  { client, context, stage, isInPlace, signal }: UploadOptions,
  display: UploadDisplay,
  isDaemon: () => Promise<boolean>,
): FileUploader {
  const cleanups: ((mayBeInUse: boolean) => Promise<void>)[] = [];
  const warn = (text: string) => display.writeStderr(`venc: ${safeText(text)}\n`);

  async function uploadToService(
    file: FileToUpload,
    onProgress: (doneBytes: number) => void,
  ): Promise<string> {
    const url = await uploadFile(client, file, await isDaemon(), { signal, onProgress });
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

  async function upload(file: FileToUpload): Promise<string> {
    const { report, finish } = await display.start(file);
    try {
      return await (stage === undefined ? uploadToService(file, report) : uploadToStage(file, stage, report));
    } finally {
      finish();
    }
  }

  return {
    async uploadInput(file) {
      if (!isInPlace) return upload(file);
      const { offerInPlace } = await import('../../client/in-place.js');
      const answer = await offerInPlace(client, file.path, signal);
      if ('url' in answer) {
        display.skip(file);
        return answer.url;
      }
      warn(`${file.path} is uploaded, because it cannot be read in place. ${answer.reason}`);
      return upload(file);
    },
    async uploadAll(files) {
      const addresses = new Map<string, string>();
      for (const [address, file] of files) addresses.set(address, await upload(file));
      return addresses;
    },
    async cleanUp(mayBeInUse) {
      for (const cleanup of cleanups) await cleanup(mayBeInUse);
    },
  };
}

/** Bytes that are read at once. */
const chunkBytes = 128 * 1024;

/**
 * Uploads a file to the service and resolves to the URL to submit. Uploads are an extension of venc; rejects with
 * `UsageError` if the service does not support them, or if the file cannot be read to its end or changes.
 */
export async function uploadFile(
  client: Client,
  { path, sizeBytes }: FileToUpload,
  isContinued: boolean,
  { signal, onProgress }: { readonly signal: AbortSignal; readonly onProgress: (doneBytes: number) => void },
): Promise<string> {
  // All parts come from the same file, also if another one gets its name.
  const file = await open(path).catch((error: unknown) => {
    throw unreadableError(path, error);
  });
  try {
    const { mtimeMs } = await file.stat();
    let mostBytes = 0;
    const read = async function* (offset: number) {
      if ((await file.stat()).mtimeMs !== mtimeMs)
        throw new VencError('UsageError', `${path} was changed while it was uploaded.`);
      // If the file grows meanwhile, only the announced bytes are sent.
      for (let sentBytes = offset; sentBytes < sizeBytes; ) {
        const length = Math.min(chunkBytes, sizeBytes - sentBytes);
        // Not a stream, which closes the file when the connection breaks.
        const { bytesRead, buffer } = await file.read(Buffer.allocUnsafe(length), 0, length, sentBytes);
        if (bytesRead === 0)
          throw new VencError('UsageError', `${path} became shorter while it was uploaded.`);
        yield buffer.subarray(0, bytesRead);
        sentBytes += bytesRead;
        mostBytes = Math.max(mostBytes, sentBytes);
        onProgress(mostBytes);
      }
    };
    return await client.upload({ name: basename(path), sizeBytes, read, isContinued }, signal);
  } catch (error) {
    throw isNotFound(error)
      ? new VencError('UsageError', 'This service does not support uploads.', {
          cause: error,
          hint: 'name a folder that the service can fetch from with --stage, or submit the URL of the file',
        })
      : error;
  } finally {
    await file.close();
  }
}

/** Shows the progress of uploads. */
interface UploadDisplay extends Pick<Io, 'writeStdout' | 'writeStderr' | 'writeInfo'> {
  /** Starts a file. `report` takes the number of bytes uploaded so far. */
  start(
    file: FileToUpload,
  ): Promise<{ readonly report: (doneBytes: number) => void; readonly finish: () => void }>;
  /** Counts a file that is not uploaded. */
  skip(file: FileToUpload): void;
  /** Stops the display. */
  stop(): void;
}

/** Creates one display for all files together, shown from the first file on, or one for each file if `all` is null. */
function createUploadDisplay(io: Io, mode: ProgressMode, all: readonly FileToUpload[] | null): UploadDisplay {
  const allBytes = all?.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
  const title = all === null || all.length === 1 ? 'upload' : `${all.length} uploads`;
  let display: TransferDisplay | null = null;
  let finishedBytes = 0;
  let name = '';
  const recordOf = (done: number, total: number | null) => ({
    ...(all === null ? {} : { file: name }),
    sent_bytes: done,
    total_bytes: total,
  });
  const stop = () => {
    display?.stop();
    display = null;
    finishedBytes = 0;
  };
  return {
    start: async ({ path, sizeBytes }) => {
      const totalBytes = allBytes ?? sizeBytes;
      name = path;
      display ??= await openTransferDisplay(io, mode, title, recordOf);
      const { report } = display;
      return {
        report: (done) => report(finishedBytes + done, totalBytes),
        finish: () => {
          // Also counts files that failed.
          finishedBytes += sizeBytes;
          if (all === null) stop();
        },
      };
    },
    skip: ({ sizeBytes }) => {
      if (all !== null) finishedBytes += sizeBytes;
    },
    writeStdout: (text) =>
      display === null ? io.writeStdout(text) : display.withDisplayHidden(() => io.writeStdout(text)),
    writeStderr: (text) => (display ?? io).writeStderr(text),
    writeInfo: (text) => (display ?? io).writeInfo(text),
    stop,
  };
}
