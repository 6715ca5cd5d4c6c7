import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { VencError } from '../../src/shared/errors.js';
import { normalizeCues } from '../captions/cues.js';
import { parseSubrip } from '../captions/subrip.js';
import { toJobFailure } from '../jobs/job.js';
import type { Run } from '../jobs/run.js';
import type { PreparedCaptions } from '../plan/plan-types.js';
import { closedCaptionsArgs, copyVideoArgs } from '../plan/write/captions.js';
import type { PipelineContext } from './pipeline-context.js';
import type { SourceFile } from './produced-file.js';

/** The name of a copy of the video in the scratch folder. */
const copyName = 'closed-captions.ts';

/**
 * Reads the closed captions (CEA-608) that the frames of a video carry as text; none if it has none. Rejects with
 * `CaptionError`.
 */
export async function readClosedCaptions(
  run: Run,
  context: PipelineContext,
  source: SourceFile,
  scratch: string,
): Promise<readonly PreparedCaptions[]> {
  const { video = null } = source.media ?? {};
  const text = await closedCaptionsAs('srt', run, context, { source, scratch });
  if (video === null || text === null) return [];
  return [
    {
      captions: normalizeCues({ ...parseSubrip(text), syntax: 'other' }),
      streamIndex: video.streamIndex,
      language: null,
      title: null,
      dispositions: [],
    },
  ];
}

/**
 * The closed captions of a video as the text of a file; null if it has none. All its frames are decoded. They are read
 * from a copy in a transport stream: the 2018 build of ffmpeg gives those of an MP4 file the wrong times. Rejects with
 * `CaptionError`.
 */
export async function closedCaptionsAs(
  form: 'srt' | 'scc',
  run: Run,
  context: PipelineContext,
  { source: { path: input, media }, scratch }: { readonly source: SourceFile; readonly scratch: string },
): Promise<string | null> {
  const video = media?.video ?? null;
  if (video === null || video.hasClosedCaptions !== true) return null;
  const copy = join(scratch, copyName);
  const written = `${copy}.${form}`;
  const options = { signal: run.signal, scratch, onProgress: () => {} };
  try {
    await context.ffmpeg.run(copyVideoArgs(input, video, copy, media?.analysis), options);
    await context.ffmpeg.run(closedCaptionsArgs(copyName, form, written), options);
    const text = await readFile(written, 'utf8');
    return text.trim() === '' ? null : text;
  } catch (error) {
    run.signal.throwIfAborted();
    const { message } = toJobFailure(error, 'CaptionError');
    const reason = `The closed captions of the input cannot be read: ${message}`;
    throw new VencError('CaptionError', reason, { cause: error });
  } finally {
    for (const path of [copy, written]) await rm(path, { force: true });
  }
}
