import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Command } from 'commander';
import { VencError } from '../../api/errors.js';
import { type ExitCode, exitCodes } from '../../api/exit-codes.js';
import { timeSpan } from '../../api/flag-readers.js';
import type { JobRecord } from '../../api/records.js';
import { withoutPassword } from '../../api/redact.js';
import { isUrl } from '../../api/url-text.js';
import { refuseInput, refuseToOverwrite, refuseUnwritable } from '../check-places.js';
import type { Context, ProgramFlags } from '../context.js';
import { declinedHelp } from '../declined-help.js';
import { listenForEnd } from '../interrupt.js';
import type { Io } from '../io.js';
import type { ReadXml } from '../job-input.js';
import { addJobWords, type JobWords, requestOf, withExamplesFirst } from '../job-words.js';
import { localRequest, withoutProgram } from '../local-request.js';
import { outputPlaces } from '../output-places.js';
import { activityText, encodeFailureText } from '../print/progress-text.js';
import { openProgress } from '../progress-display.js';
import { chosenMode, type ProgressChoice, progressOption } from '../progress-mode.js';
import { type PlacedRequest, placeFiles } from '../run-files.js';
import { withTemporaryFolder } from '../temporary-folder.js';
import { withTypedErrors, withValidation } from '../with-typed-errors.js';
import { gather } from '../words.js';

interface RunOptions extends JobWords, ProgramFlags {
  readonly out?: readonly string[];
  readonly sample?: boolean;
  readonly force?: boolean;
  readonly progress?: ProgressChoice;
  readonly stallTimeout: number;
}

/** `venc run INPUT`: one encode in this process, without a daemon or a service. Prints the paths written. */
export function define(command: Command, context: Context): void {
  command
    .argument(
      '[input]',
      'a local media file, a URL, a request (FILE.json, FILE.xml), or - for a request on stdin',
    )
    .option(
      '-o, --out <file>',
      'the file of an output, one -o for each --output, or a folder for all',
      gather,
    )
    .option('--sample', `encode a test picture with sound to ${sampleFile}`)
    .option('--force', 'overwrite files that are there')
    .option(progressOption.flags, progressOption.help, progressOption.parse)
    .option('--ffmpeg <path>', 'the ffmpeg to use (or VENC_FFMPEG)')
    .option('--ffprobe <path>', 'the ffprobe to use (or VENC_FFPROBE)')
    .addOption(
      command
        .createOption('--stall-timeout <time>', 'give a transfer up after this time without a byte')
        .argParser(timeSpan('--stall-timeout'))
        .default(30, '30s'),
    );
  // Who tells of the end of a job tries for days: that takes a daemon.
  withExamplesFirst(addJobWords(command, ['notifications']), details).action(
    context.act((word: string | undefined, options: RunOptions) =>
      withTypedErrors(word, options, () => run(word, options, context)),
    ),
  );
}

const sampleFile = 'venc-sample.mp4';
const details = `
Without -o the output goes into the current folder under the name of the input. Ctrl-C cancels and cleans up.

Examples:
  venc run --sample
  venc run film.mov -o film.mp4
  venc run film.mov -o film.webm --start-clip 10 --clip-length 30
  venc run film.mov -o small.mp4 --output width=640 \\
    -o large.mp4 --output width=1920`;

/** Says which settings the daemon of this version refuses. */
export const moreHelp = async () => declinedHelp(await import('../../../daemon/plan/honoured.js'));

const readXml: ReadXml = async (text) =>
  (await import('../../../daemon/http/xml/read-xml-request.js')).readXmlRequest(text);

async function run(word: string | undefined, options: RunOptions, context: Context): Promise<ExitCode> {
  const { io } = context;
  if ((word === undefined) === (options.sample !== true)) {
    throw new VencError('UsageError', 'run takes either an input or --sample.', {
      hint: 'venc run --sample needs no file of yours',
    });
  }
  const programs = await context.programs(options);
  const mode = await chosenMode(context, options.progress, 'stderr');
  const { signal, dispose } = listenForEnd(io);
  try {
    return await withTemporaryFolder(async (folder) => {
      const sample = options.sample === true ? join(folder, 'sample.mov') : null;
      const request =
        sample === null
          ? await localRequest(word ?? '', options, io, readXml)
          : await requestOf(null, pathToFileURL(sample).href, options);
      const outs = options.out ?? (sample === null ? [] : [sampleFile]);
      const places = await outputPlaces(outs, 1, process.cwd());
      const placed = await withValidation(request, () => placeFiles(request, places));
      const { body, paths, thumbnails } = placed;
      // The sample's own files are its own to overwrite, a file that was named is not.
      const named = paths.map((path) => sample === null || path !== sampleFile);
      await refuseUnwritable(paths);
      if (options.force !== true) {
        await refuseToOverwrite(paths.filter((_, index) => named[index]));
        await refuseToOverwrite(thumbnails.filter((_, index) => named[index]).flat());
      }
      await refuseInput(body.input, [...paths, ...thumbnails.flat()]);
      if (sample !== null) {
        const { makeSample } = await import('../../../daemon/make-sample.js');
        await makeSample(sample, { ...programs, signal });
        io.note('venc: made a test picture with a tone; encoding it\n');
      }
      const { runOnce } = await import('../../../daemon/run-once.js');
      const display = await openProgress(io, mode, 'encode');
      const job = await runOnce(body, {
        ...programs,
        folder: join(folder, 'data'),
        signal,
        stallTimeoutSeconds: options.stallTimeout,
        onProgress: (record) => display.update(record.progress, activityText(record), record),
        onError: (message) => io.note(`venc: ${message}\n`),
      }).finally(() => display.stop());
      return job === null ? nothingEncoded(io) : tellEnd(io, job, placed, sample !== null);
    });
  } catch (error) {
    throw withoutProgram(error);
  } finally {
    dispose();
  }
}

function nothingEncoded(io: Io): ExitCode {
  io.note('venc: the request is valid; nothing was encoded\n');
  return exitCodes.done;
}

/** Prints the paths that were written, each video's before those of its thumbnails, and why others were not. */
async function tellEnd(
  io: Io,
  job: JobRecord,
  { paths, thumbnails }: PlacedRequest,
  isSample: boolean,
): Promise<ExitCode> {
  if (isSample && job.state === 'finished') io.note(sampleMade(paths[0] ?? ''));
  const written = paths.flatMap((path, index) => {
    const output = job.output_media_files[index];
    if (output?.state !== 'finished') return [];
    // What is told of an address elsewhere has no password.
    const place = isUrl(path) ? (output.url ?? path) : path;
    return [place, ...(thumbnails[index] ?? [])].map((one) => (isUrl(one) ? withoutPassword(one) : one));
  });
  await io.out(written.map((path) => `${path}\n`).join(''));
  if (job.state === 'finished') return exitCodes.done;
  io.note(encodeFailureText(job));
  return exitCodes.jobFailed;
}

function sampleMade(path: string): string {
  return `venc: ${path} is a test picture with a tone, encoded on this machine: all that is needed is here\n`;
}
