import { constants } from 'node:fs';
import { copyFile, link, lstat } from 'node:fs/promises';
import { join } from 'node:path';
import { isTransferOnly } from '../../src/shared/settings/sources.js';
import type { FileFacts, JobFailure, JobOutput, RenditionFacts } from '../jobs/job.js';
import type { MediaFacts } from '../jobs/media.js';
import type { CaptionFileFacts } from '../jobs/rendition-facts.js';
import type { Run } from '../jobs/run.js';
import type { PackagedFile } from '../packaging/write-segments.js';
import type { ContentEncoding } from '../transfer/decode-file.js';
import { runStage } from './stages.js';

/** A file in the scratch folder that is to be delivered. */
export interface ProducedFile {
  readonly product: { readonly path: string };
  /**
   * The files that belong next to it, if it is a playlist: they are delivered first. `facts` are those of its segments,
   * if it has some.
   */
  readonly rendition?: { readonly files: readonly PackagedFile[]; readonly facts?: RenditionFacts };
  /** Files of captions that belong next to it, which are delivered first. Absent if there are none. */
  readonly captionFiles?: readonly (PackagedFile & CaptionFileFacts)[];
  /** The scores of its seconds, which belong next to it and are delivered first. Absent if there are none. */
  readonly qualityLog?: PackagedFile;
  /** Null if nothing is recognised in a file that is only transferred. */
  readonly media: MediaFacts | null;
  /** Its size and MD5; null if they are measured during the delivery. */
  readonly file: FileFacts | null;
  /** How its bytes are compressed. Absent if they are not. */
  readonly encoding?: ContentEncoding;
}

/** Bytes as they were received, and how they are compressed. */
export interface ReceivedFile {
  readonly path: string;
  readonly encoding: ContentEncoding;
}

/** A file that outputs are made from: the input, or the file of another output. */
export type SourceFile = {
  readonly path: string;
  /** Its size and MD5; null if they are not known. */
  readonly file: FileFacts | null;
  /** The received bytes, which an output that is only transferred has, if `path` has them decoded. */
  readonly received?: ReceivedFile;
} & SourceMedia;

/** The facts of a file, or why nothing can be encoded from it: it can only be transferred then. */
export type SourceMedia =
  | { readonly media: MediaFacts }
  | { readonly media: null; readonly failure: JobFailure };

/**
 * Yields a file for each output that is only transferred: the bytes of its source. An output whose file cannot be
 * created fails.
 */
export async function* transferOutputs(
  run: Run,
  source: SourceFile,
  outputs: readonly JobOutput[],
  scratch: string,
): AsyncGenerator<{ readonly output: JobOutput; readonly encoded: ProducedFile }> {
  for (const output of outputs.filter(({ settings }) => isTransferOnly(settings))) {
    await run.change({ type: 'output-started', id: output.id });
    const path = join(scratch, `output-${output.id}`);
    const copied = await runStage(
      run,
      () => duplicate(source.received?.path ?? source.path, path),
      'TranscodingError',
      (failure) => run.change({ type: 'output-failed', id: output.id, failure }),
    );
    if (copied === null) continue;
    const file = copied.isUnchanged ? source.file : null;
    const encoding = source.received === undefined ? {} : { encoding: source.received.encoding };
    yield { output, encoded: { product: { path }, media: source.media, file, ...encoding } };
  }
}

/**
 * Gives a file a second name. It is copied instead if it is a symbolic link or has several names already: the delivery
 * may move the file to its destination, where an edit in place would change the file under its other names.
 * `isUnchanged` is false if the file may have changed since it was measured: a symbolic link names a file outside of
 * the scratch folder.
 */
async function duplicate(from: string, to: string): Promise<{ readonly isUnchanged: boolean }> {
  const stats = await lstat(from);
  const isUnchanged = stats.isFile();
  if (isUnchanged && stats.nlink === 1) await link(from, to);
  else await copyFile(from, to, constants.COPYFILE_FICLONE);
  return { isUnchanged };
}

/** Keeps a file of the scratch folder under a second name, because its delivery removes the first one. */
export async function linkAs(path: string, secondPath: string): Promise<void> {
  await link(path, secondPath).catch(() => copyFile(path, secondPath, constants.COPYFILE_FICLONE));
}
