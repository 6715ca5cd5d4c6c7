import { basename } from 'node:path';
import type { Client } from '../../client/client.js';
import { isVencDaemon } from '../../client/create-job.js';
import { withoutPassword } from '../../shared/redact.js';
import { safeText } from '../../shared/text/safe-text.js';
import type { Context } from '../context.js';
import type { FileToUpload } from '../input/files.js';
import type { UploadDisplay } from './upload-display.js';

/** What it takes to bring files to where the service can fetch them. */
export interface Bringing {
  readonly client: Client;
  readonly context: Context;
  readonly display: UploadDisplay;
  /** URL of the folder that files are staged in; undefined where they are uploaded to the service. */
  readonly stage: string | undefined;
  readonly signal: AbortSignal;
}

/** Brings local files to where the service can fetch them, with their progress on stderr. */
export interface Bringer {
  /** Whether the service can check a request before its files are there: a `venc daemon` can. */
  canCheck(): Promise<boolean>;
  /** Brings a file and gives its new address. Nothing is left of one that did not arrive. */
  bring(file: FileToUpload): Promise<string>;
  /**
   * Called where no job came of it: takes back what was staged, unless the service may have made a job all the same, and tells what stays.
   * Never rejects.
   */
  giveUp(mayBeNeeded: boolean): Promise<void>;
}

/** A bringer that has brought nothing yet. */
export function createBringer({ client, context, display, stage, signal }: Bringing): Bringer {
  const brought: ((mayBeNeeded: boolean) => Promise<void>)[] = [];
  const remark = (text: string) => display.note(`venc: ${safeText(text)}\n`);

  async function upload(file: FileToUpload, onProgress: (doneBytes: number) => void): Promise<string> {
    const { uploadFile } = await import('./upload-file.js');
    const url = await uploadFile(client, file, { signal, onProgress });
    // The daemon takes uploads away by itself; until then it would be a waste to send the file again.
    brought.push(async () => remark(`${basename(file.path)} stays at the service for 24 hours, as ${url}`));
    return url;
  }

  async function putOnStage(file: FileToUpload, folderUrl: string, onProgress: (doneBytes: number) => void) {
    const { stageFile } = await import('../../../daemon/app/stage-file.js');
    const folder = await context.dataFolder();
    const staged = await stageFile(file.path, { stage: folderUrl, folder, env: context.io.env });
    await staged.send({ signal, onProgress });
    const name = withoutPassword(staged.url);
    brought.push(async (mayBeNeeded) => {
      if (mayBeNeeded) return remark(`${name} is kept, since the service may have taken the request`);
      await staged.remove().catch((error: unknown) => {
        const why = error instanceof Error ? error.message : String(error);
        remark(`${name} could not be removed again: ${why}`);
      });
    });
    return staged.url;
  }

  return {
    canCheck: () => isVencDaemon(client),
    async bring(file) {
      const { report, end } = await display.begin(file);
      try {
        return await (stage === undefined ? upload(file, report) : putOnStage(file, stage, report));
      } finally {
        end();
      }
    },
    async giveUp(mayBeNeeded) {
      for (const tell of brought) await tell(mayBeNeeded);
    },
  };
}

/** Brings files one after the other, and gives their new addresses by the old ones. */
export async function bringFiles(
  files: ReadonlyMap<string, FileToUpload>,
  bringer: Bringer,
): Promise<ReadonlyMap<string, string>> {
  const addresses = new Map<string, string>();
  for (const [address, file] of files) addresses.set(address, await bringer.bring(file));
  return addresses;
}
