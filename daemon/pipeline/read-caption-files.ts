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
  textToConvert,
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
/** The limits of a job: its captions are in memory until it ends. */
const maxTotalBytes = 40_000_000;
const maxTotalCues = 500_000;

/**
 * Downloads and reads the caption files of an output (`caption_url`). Each URL is downloaded once for all outputs of
 * the job, and read once for all that give the same format, encoding and language.
 */
export type ReadCaptionFiles = (run: Run, output: JobOutput) => Promise<readonly PreparedCaptions[] | null>;

/** Creates the reader of a job. If a file cannot be downloaded or read, the output fails and null is returned. */
export function createCaptionFileReader(context: PipelineContext, scratch: string): ReadCaptionFiles {
  const addFetched = createLimit(maxTotalBytes, '40 MB');
  const fetchBytes = createFileFetcher<Buffer>(context, {
    scratch,
    prefix: 'captions',
    maxBytes,
    read: async (path) => {
      const bytes = await readFile(path);
      addFetched(bytes.length);
      return bytes;
    },
    toError: (url, error) => {
      if (error instanceof LimitError) return unreadable(url, error);
      const { errorClass, message } = toJobFailure(error, 'DownloadFailureError');
      const text = `The caption file ${withoutPassword(url)} cannot be fetched: ${message}`;
      return new VencError(errorClass, text, { cause: error });
    },
  });
  const readParsed = createParser(context, scratch);
  return (run, output) =>
    runStage(
      run,
      async () => {
        const { caption_url: files = [], skip_video } = output.settings;
        const prepared: PreparedCaptions[] = [];
        if (skip_video === true || !wantsCaptions(output.settings)) return prepared;
        const credentials = output.settings.credentials ?? run.job.input.credentials;
        for (const file of files) {
          const bytes = await fetchBytes(run, file.url, credentials);
          prepared.push(captionsOfFile(file, await readParsed(run, { file, bytes })));
        }
        return prepared;
      },
      'CaptionError',
      (failure) => run.change({ type: 'output-failed', id: output.id, failure }),
    );
}

/** The error of a job with too many captions. */
class LimitError extends RangeError {}

/** Returns a function that adds to a sum, and throws `LimitError` above a limit. What exceeds it is not added. */
function createLimit(limit: number, text: string): (amount: number) => void {
  let total = 0;
  return (amount) => {
    if (total + amount > limit)
      throw new LimitError(`the caption files of a job may have at most ${text} in total`);
    total += amount;
  };
}

interface DownloadedFile {
  readonly file: CaptionFile;
  readonly bytes: Buffer;
}

/** Returns a function that reads each file once for all outputs that give the same format, encoding and language. */
function createParser(
  context: PipelineContext,
  scratch: string,
): (run: Run, downloaded: DownloadedFile) => Promise<Captions> {
  const addBytes = createLimit(maxTotalBytes, '40 MB');
  const addCues = createLimit(maxTotalCues, '500,000 captions');
  // Equal bytes are the same object if their URL and credentials are the same.
  const parsed = new Map<Buffer, Map<string, Promise<Captions>>>();
  let count = 0;
  return (run, { file, bytes }) => {
    const { format, encoding, language } = file;
    const ofFile = parsed.get(bytes) ?? new Map<string, Promise<Captions>>();
    parsed.set(bytes, ofFile);
    const key = JSON.stringify([format, encoding, language]);
    const known = ofFile.get(key);
    if (known !== undefined) return known;
    const path = join(scratch, `captions-given-${count++}`);
    const captions = readBytes(run, context, { file, bytes, path, scratch, addBytes, addCues });
    ofFile.set(key, captions);
    return captions;
  };
}

async function readBytes(
  run: Run,
  context: PipelineContext,
  {
    file,
    bytes,
    path,
    scratch,
    addBytes,
    addCues,
  }: DownloadedFile & {
    readonly path: string;
    readonly scratch: string;
    readonly addBytes: (count: number) => void;
    readonly addCues: (count: number) => void;
  },
): Promise<Captions> {
  try {
    if (bytes.length === 0) throw new RangeError('it is empty');
    addBytes(bytes.length);
    const captions = await parseBytes(run, context, { file, bytes, path, scratch });
    addCues(captions.cues.length);
    return captions;
  } catch (error) {
    run.signal.throwIfAborted();
    if (!(error instanceof RangeError) && !isVencError(error, 'TranscodingError')) throw error;
    throw unreadable(file.url, error);
  }
}

function unreadable(url: string, error: Error): VencError {
  const text = `The caption file ${withoutPassword(url)} cannot be read: ${error.message}`;
  return new VencError('CaptionError', /[.!?]$/.test(text) ? text : `${text}.`, { cause: error });
}

async function parseBytes(
  run: Run,
  context: PipelineContext,
  { file, bytes, path, scratch }: DownloadedFile & { readonly path: string; readonly scratch: string },
): Promise<Captions> {
  const text = decodeText(bytes, file.encoding);
  const format = file.format === undefined ? detectFormat(text) : formatNamed(file.format);
  if (format === null) throw new RangeError('its format was not recognised');
  if (!isConverted(format)) return readCaptions(text, format, file.language);
  validateConverted(text, format);
  // Builds of 2018 lose the last line of SCC unless an empty line follows it.
  await writeFile(path, `${textToConvert(text, format)}\n\n`);
  await context.ffmpeg.run(convertCaptionsArgs(format, path, `${path}.srt`), {
    signal: run.signal,
    scratch,
    onProgress: () => {},
  });
  const converted = await readFile(`${path}.srt`, 'utf8');
  if (converted.trim() === '') throw new RangeError('there are no captions');
  const captions = normalizeCues({ ...parseSubrip(converted), syntax: 'other' });
  return format === 'scc' ? { ...captions, scc: text } : captions;
}
