import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isVencError, VencError } from '../../src/shared/errors.js';
import { withoutPassword } from '../../src/shared/redact.js';
import type { OutputSettings } from '../../src/shared/settings/index.js';
import { decodeText } from '../../src/shared/text/decode-text.js';
import { type Captions, normalizeCues } from '../captions/cues.js';
import {
  detectFormat,
  formatNamed,
  isConverted,
  readCaptions,
  validateConverted,
} from '../captions/read-captions.js';
import { parseSubrip } from '../captions/subrip.js';
import { type JobOutput, toJobFailure } from '../jobs/job.js';
import type { Run } from '../jobs/run.js';
import { captionsOfFile, wantsCaptions } from '../plan/decide/captions.js';
import type { PreparedCaptions } from '../plan/plan-types.js';
import { convertCaptionsArgs } from '../plan/write/captions.js';
import { createFileFetcher } from './fetch-file.js';
import type { PipelineContext } from './pipeline-context.js';
import { runStage } from './stages.js';

/** A caption file of a request. */
type CaptionFile = NonNullable<OutputSettings['caption_url']>[number];

const maxBytes = 20_000_000;

/** Downloads and reads the caption files of an output (`caption_url`). Each URL is downloaded once for all outputs of the job. */
export type ReadCaptionFiles = (run: Run, output: JobOutput) => Promise<readonly PreparedCaptions[] | null>;

/** Creates the reader of a job. If a file cannot be downloaded or read, the output fails and null is returned. */
export function createCaptionFileReader(context: PipelineContext, scratch: string): ReadCaptionFiles {
  const fetchBytes = createFileFetcher<Buffer>(context, {
    scratch,
    prefix: 'captions',
    maxBytes,
    read: (path) => readFile(path),
    toError: (url, error) => {
      const { errorClass, message } = toJobFailure(error, 'DownloadFailureError');
      const text = `The caption file ${withoutPassword(url)} cannot be fetched: ${message}`;
      return new VencError(errorClass, text, { cause: error });
    },
  });
  return (run, output) =>
    runStage(
      run,
      async () => {
        const { caption_url: files = [], skip_video } = output.settings;
        const prepared: PreparedCaptions[] = [];
        if (skip_video === true || !wantsCaptions(output.settings)) return prepared;
        const credentials = output.settings.credentials ?? run.job.input.credentials;
        for (const [index, file] of files.entries()) {
          const bytes = await fetchBytes(run, file.url, credentials);
          const path = join(scratch, `captions-${output.id}-given-${index}`);
          prepared.push(captionsOfFile(file, await readBytes(run, context, { file, bytes, path, scratch })));
        }
        return prepared;
      },
      'CaptionError',
      (failure) => run.change({ type: 'output-failed', id: output.id, failure }),
    );
}

async function readBytes(
  run: Run,
  context: PipelineContext,
  {
    file,
    bytes,
    path,
    scratch,
  }: {
    readonly file: CaptionFile;
    readonly bytes: Buffer;
    readonly path: string;
    readonly scratch: string;
  },
): Promise<Captions> {
  try {
    if (bytes.length === 0) throw new RangeError('it is empty');
    const text = decodeText(bytes, file.encoding);
    const format = file.format === undefined ? detectFormat(text) : formatNamed(file.format);
    if (format === null) throw new RangeError('its format was not recognised');
    if (!isConverted(format)) return readCaptions(text, format, file.language);
    validateConverted(text, format);
    // Builds of 2018 lose the last line of SCC unless an empty line follows it.
    await writeFile(path, `${text}\n\n`);
    await context.ffmpeg.run(convertCaptionsArgs(format, path, `${path}.srt`), {
      signal: run.signal,
      scratch,
      onProgress: () => {},
    });
    const converted = await readFile(`${path}.srt`, 'utf8');
    if (converted.trim() === '') throw new RangeError('there are no captions');
    return normalizeCues({ ...parseSubrip(converted), syntax: 'other' });
  } catch (error) {
    run.signal.throwIfAborted();
    if (!(error instanceof RangeError) && !isVencError(error, 'TranscodingError')) throw error;
    const text = `The caption file ${withoutPassword(file.url)} cannot be read: ${error.message}`;
    throw new VencError('CaptionError', /[.!?]$/.test(text) ? text : `${text}.`, { cause: error });
  }
}
