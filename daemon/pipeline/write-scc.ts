import { writeFile } from 'node:fs/promises';
import { VencError } from '../../src/shared/errors.js';
import { cutScc } from '../captions/scc.js';
import type { Run } from '../jobs/run.js';
import type { PreparedCaptions } from '../plan/plan-types.js';
import type { PipelineContext } from './pipeline-context.js';
import type { SourceFile } from './produced-file.js';
import { closedCaptionsAs } from './read-closed-captions.js';

/** The warning about a clip without captions. */
export const emptyClipWarning = 'There are no captions in this part of the input.';

/** What a file of SCC is made from, and which part of it is wanted. */
interface SccOptions {
  /** The caption file of the request; undefined for the closed captions of the video. */
  readonly given: PreparedCaptions | undefined;
  readonly source: SourceFile;
  readonly startSeconds: number;
  readonly lengthSeconds: number | null;
  readonly scratch: string;
}

/**
 * Writes closed captions (CEA-608) to a file of SCC. They are copied, because ffmpeg has no encoder for them: from a
 * file of SCC, or from the frames of the video. Resolves to the warnings about it. Rejects with `CaptionError` if there
 * are none.
 */
export async function writeScc(
  run: Run,
  context: PipelineContext,
  path: string,
  { given, source, startSeconds, lengthSeconds, scratch }: SccOptions,
): Promise<readonly string[]> {
  if (given !== undefined && given.captions.scc === undefined)
    throw new VencError(
      'CaptionError',
      'The output cannot be scc: there is no encoder for CEA-608, and the caption file is not scc.',
    );
  const text = given?.captions.scc ?? (await closedCaptionsAs('scc', run, context, { source, scratch }));
  if (text === null) throw new VencError('CaptionError', 'The input has no closed captions.');
  const isWhole = startSeconds === 0 && lengthSeconds === null;
  const endMs = lengthSeconds === null ? Number.POSITIVE_INFINITY : (startSeconds + lengthSeconds) * 1000;
  const cut = isWhole ? text : cutScc(text, startSeconds * 1000, endMs);
  await writeFile(path, cut);
  return /^\d\d:/m.test(cut) ? [] : [emptyClipWarning];
}
