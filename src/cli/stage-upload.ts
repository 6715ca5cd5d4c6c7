import { listenForEnd } from './interrupt.js';
import type { Io } from './io.js';
import { transferText } from './print/transfer-text.js';
import { openProgress } from './progress-display.js';
import type { ProgressMode } from './progress-mode.js';
import type { FileToUpload } from './upload-file.js';

/** Brings a file to where it is staged. */
export type SendToStage = (transfer: {
  readonly signal: AbortSignal;
  readonly onProgress: (doneBytes: number) => void;
}) => Promise<void>;

/** Uploads a file to a place of the person's own, with its progress on stderr. Ctrl-C ends the upload and leaves nothing of it. */
export async function uploadToStage(
  send: SendToStage,
  { sizeBytes }: FileToUpload,
  io: Io,
  mode: ProgressMode,
): Promise<void> {
  const display = await openProgress(io, mode, 'upload');
  const activity = transferText(() => performance.now());
  const { signal, dispose } = listenForEnd(io);
  try {
    await send({
      signal,
      onProgress: (done) => {
        const record = { sent_bytes: done, total_bytes: sizeBytes };
        display.update(sizeBytes === 0 ? 0 : (done / sizeBytes) * 100, activity(done, sizeBytes), record);
      },
    });
  } finally {
    display.stop();
    dispose();
  }
}
