import type { Command } from 'commander';
import { invalidRequest, VencError } from '../../api/errors.js';
import { type ExitCode, exitCodes } from '../../api/exit-codes.js';
import { normaliseCreated } from '../../client/normalise.js';
import { readBoolean } from '../../client/reading.js';
import type { Context } from '../context.js';
import { declinedHelp } from '../declined-help.js';
import { readJobInput } from '../job-input.js';
import { addJobWords, type JobWords, requestOf } from '../job-words.js';
import { type ProgressChoice, progressMode, progressOption } from '../progress-mode.js';
import { timeSpan } from '../words.js';

interface SubmitOptions extends JobWords {
  readonly json?: boolean;
  readonly wait?: boolean;
  readonly timeout?: number;
  readonly download?: string;
  readonly force?: boolean;
  readonly stage?: string;
  readonly progress?: ProgressChoice;
}

/** `venc submit INPUT`: creates a job (section 4.1) and prints its id. */
export function define(command: Command, context: Context): void {
  command
    .argument('<input>', 'a URL, a local media file, a request (FILE.json), or - for a request on stdin')
    .option('--json', "print the service's whole answer")
    .option('--wait', 'wait until the job has ended; the exit code tells how')
    .option('--timeout <time>', 'with --wait: give up after 90, 90s, 5m or 2h', timeSpan('--timeout'))
    .option('--download <dir>', 'with --wait: fetch the outputs into this folder, and print their paths')
    .option('--force', 'with --download: overwrite files that are there')
    .option(
      '--stage <url>',
      'upload a local file to this folder (s3:, ftp:, sftp: ...) instead of to the service',
    )
    .option(progressOption.flags, progressOption.help, progressOption.parse);
  addJobWords(command)
    .addHelpText('after', details)
    .action(context.act((word: string, options: SubmitOptions) => run(word, options, context)));
}

const details = `
Prints the id of the job. A flag wins over the request file, and --output over a flag.
Passwords in arguments can be seen by other users of this machine for a moment: send such requests through - instead.

Examples:
  venc submit https://example.com/film.mov
  venc submit film.mov --wait --video-codec vp9 --width 1280
  venc submit film.mov --wait --download films
  venc submit film.mov --stage s3://bucket/incoming
  venc submit film.mov --output filename=small.mp4,width=640 --output filename=large.mp4,width=1920
  venc submit request.json --test
  echo '{"input": "sftp://user:password@example.com/film.mov"}' | venc submit -`;

/** Says which settings the daemon of this version refuses. */
export const moreHelp = async () => declinedHelp(await import('../../../daemon/plan/honoured.js'));

async function run(word: string, options: SubmitOptions, context: Context): Promise<ExitCode> {
  const { io } = context;
  refuseIdleFlags(options);
  const mode = progressMode(io, options.progress, 'stderr');
  const input = await readJobInput(word, io);
  // Read once before a long upload, so that a slip in the words is told at once.
  const request = await requestOf(
    input.kind === 'request' ? input.request : null,
    input.kind === 'url' ? input.url : null,
    options,
  );
  if (options.stage !== undefined && input.kind !== 'file') {
    throw new VencError('UsageError', '--stage goes with a local file: a URL is where it is.');
  }
  const client = await context.client();
  if (input.kind === 'file') {
    await refuseWrongValues(request);
    const { stage } = options;
    if (stage === undefined) {
      const { uploadFile } = await import('../upload-file.js');
      request.input = await uploadFile(client, input, io, mode);
    } else {
      const { stageFile } = await import('../../../daemon/stage-file.js');
      const { uploadToStage } = await import('../stage-upload.js');
      const folder = await context.dataFolder();
      const staged = await stageFile(input.path, { stage, folder, env: io.env });
      await uploadToStage(staged.send, input, io, mode);
      request.input = staged.url;
    }
  }
  const waiting = options.wait === true ? await import('../wait-with-progress.js') : null;
  const { body: answer } = await client.ask('createJob', { body: request });
  const created = normaliseCreated(answer);
  const id = Number(created.id ?? 0);
  if (id === 0 && !readBoolean(request.mock)) {
    throw new VencError('UnreachableError', 'The service took the request, but its answer names no job.', {
      hint: 'venc list shows whether there is one',
    });
  }
  // From the moment on at which the id is known, Ctrl-C is to say that the job goes on.
  const interruption = id === 0 ? null : (waiting?.listenForEnd(io, options.timeout ?? null) ?? null);
  if (options.json === true) await io.out(`${JSON.stringify(answer, null, 2)}\n`);
  else if (id > 0) await io.out(`${id}\n`);
  if (created.test === true) io.note('venc: test mode: outputs are cut to 5 seconds\n');
  if (id === 0) io.note('venc: the request is valid; nothing was queued\n');
  if (waiting === null || interruption === null) return exitCodes.done;
  const code = await waiting.waitWithProgress(client, id, { interruption, mode, io });
  // What a failed job did finish is worth having too.
  if (options.download === undefined || (code !== exitCodes.done && code !== exitCodes.jobFailed))
    return code;
  const { downloadEnded } = await import('../download/download-ended.js');
  const folder = options.download;
  return downloadEnded(client, id, io, { folder, isForced: options.force === true, mode, code });
}

function refuseIdleFlags({ wait, timeout, download, force }: SubmitOptions): void {
  const idle = [
    ['--timeout', timeout !== undefined && wait !== true, '--wait'],
    ['--download', download !== undefined && wait !== true, '--wait'],
    ['--force', force === true && download === undefined, '--download'],
  ] as const;
  for (const [flag, isIdle, partner] of idle)
    if (isIdle) throw new VencError('UsageError', `${flag} goes with ${partner}.`);
  if (download === '') throw new VencError('UsageError', '--download needs the name of a folder.');
}

/** Complains of values that no service takes before a long upload, not after it. */
async function refuseWrongValues(request: Readonly<Record<string, unknown>>): Promise<void> {
  const { readJobRequest } = await import('../../api/settings/read.js');
  const whole = { ...request, input: 'upload://still/to-come' };
  const reading = readJobRequest(whole, { maxOutputs: Number.POSITIVE_INFINITY });
  if (!reading.ok) throw invalidRequest(reading.complaints);
}
