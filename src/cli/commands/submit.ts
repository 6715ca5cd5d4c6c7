import { type Command, Option } from 'commander';
import { VencError } from '../../api/errors.js';
import { type ExitCode, exitCodes } from '../../api/exit-codes.js';
import type { RequestFields } from '../../api/settings/flag-values.js';
import type { Client } from '../../client/client.js';
import { createJob } from '../../client/create-job.js';
import { normaliseCreated } from '../../client/normalise.js';
import { readBoolean } from '../../client/reading.js';
import { bringFiles, refuseWrongValues, withAddresses } from '../bring-files.js';
import type { Context } from '../context.js';
import { declinedHelp } from '../declined-help.js';
import { type ReadXml, readJobInput } from '../job-input.js';
import { addJobWords, type JobWords, requestOf } from '../job-words.js';
import { noteUnknownFields } from '../note-unknown-fields.js';
import { chosenMode, type ProgressChoice, type ProgressMode, progressOption } from '../progress-mode.js';
import type { FileToUpload } from '../upload-file.js';
import { timeSpan } from '../words.js';

interface SubmitOptions extends JobWords {
  readonly xml?: boolean;
  readonly ndjson?: boolean;
  readonly idempotencyKey?: string;
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
    .argument(
      '<input>',
      'a URL, a local media file, a request (FILE.json, FILE.xml), or - for a request on stdin',
    )
    .option('--xml', 'the request is XML, whatever it looks like')
    .addOption(
      new Option('--ndjson', 'with -: one request in JSON a line, each a job').conflicts([
        'xml',
        'download',
        'stage',
      ]),
    )
    .option(
      '--idempotency-key <key>',
      'make no second job where one was made with this key in the last 24 hours; with --ndjson, KEY-1 for line 1 and so on',
      keyOf,
    )
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
  venc submit film.mov --watermark url=logo.png,x=-20,y=20
  echo '{"input": "sftp://user:password@example.com/film.mov"}' | venc submit -
  venc submit - --ndjson --idempotency-key tuesday < jobs.ndjson`;

/** Says which settings the daemon of this version refuses. */
export const moreHelp = async () => declinedHelp(await import('../../../daemon/plan/honoured.js'));

const readXml: ReadXml = async (text) =>
  (await import('../../../daemon/http/xml/read-xml-request.js')).readXmlRequest(text);

async function run(word: string, options: SubmitOptions, context: Context): Promise<ExitCode> {
  const { io } = context;
  refuseIdleFlags(options);
  if (options.ndjson === true) return runLines(word, options, context);
  const mode = await chosenMode(context, options.progress, 'stderr');
  const input = await readJobInput(word, io, { readXml, ...(options.xml === true ? { isXml: true } : {}) });
  const pictures = new Map<string, FileToUpload>();
  // Read once before a long upload, so that a slip in the words is told at once.
  const written = await requestOf(
    input.kind === 'request' ? input.request : null,
    input.kind === 'url' ? input.url : null,
    options,
    pictures,
  );
  // Flags cannot be unknown, but what is written in JSON can.
  if (input.kind === 'request' || options.output !== undefined) await noteUnknownFields(written, io);
  if (options.stage !== undefined && input.kind !== 'file' && pictures.size === 0) {
    throw new VencError('UsageError', '--stage goes with a local file: a URL is where it is.');
  }
  const client = await context.client();
  const isInputToCome = input.kind === 'file';
  if (isInputToCome || pictures.size > 0) {
    await refuseWrongValues(written, isInputToCome ? { input: 'upload://still/to-come' } : {});
  }
  const bring = (file: FileToUpload) => bringFile(file, options.stage, { client, context, mode });
  const request = await withAddresses(written, await bringFiles(pictures, bring));
  if (input.kind === 'file') request.input = await bring(input);
  const waiting = options.wait === true ? await import('../wait-with-progress.js') : null;
  const { body: answer } = await createJob(client, request, options.idempotencyKey ?? null);
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

/** One job for each line of stdin. */
async function runLines(word: string, options: SubmitOptions, context: Context): Promise<ExitCode> {
  const { io } = context;
  if (word !== '-') {
    throw new VencError('UsageError', '--ndjson reads requests from stdin.', {
      hint: 'for example: venc submit - --ndjson < jobs.ndjson',
    });
  }
  const client = await context.client();
  const pictures = new Map<string, FileToUpload>();
  // A slip in the words is told once, not for every line; and a picture is uploaded once.
  await requestOf(null, null, options, pictures);
  const mode = await chosenMode(context, options.progress, 'stderr');
  const addresses = await bringFiles(pictures, (file) =>
    bringFile(file, undefined, { client, context, mode }),
  );
  const complete = async (line: RequestFields) =>
    withAddresses(await requestOf(line, null, options), addresses);
  const { submitLines } = await import('../submit-lines.js');
  const idempotencyKey = options.idempotencyKey ?? null;
  const { ids, code } = await submitLines(client, io, {
    complete,
    idempotencyKey,
    isJson: options.json === true,
  });
  if (options.wait !== true || ids.length === 0) return code;
  const { awaitSubmitted } = await import('../wait-with-progress.js');
  const ended = await awaitSubmitted(client, ids, io, options.timeout ?? null);
  return code === exitCodes.done ? ended : code;
}

/** What it takes to bring a file to where the service can fetch it. */
interface Bringing {
  readonly client: Client;
  readonly context: Context;
  readonly mode: ProgressMode;
}

/** Uploads a file to the service, or to where it is staged, and gives its address. */
async function bringFile(
  file: FileToUpload,
  stage: string | undefined,
  { client, context, mode }: Bringing,
): Promise<string> {
  const { io } = context;
  if (stage === undefined) {
    const { uploadFile } = await import('../upload-file.js');
    return uploadFile(client, file, io, mode);
  }
  const { stageFile } = await import('../../../daemon/stage-file.js');
  const { uploadToStage } = await import('../stage-upload.js');
  const folder = await context.dataFolder();
  const staged = await stageFile(file.path, { stage, folder, env: io.env });
  await uploadToStage(staged.send, file, io, mode);
  return staged.url;
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

function keyOf(word: string): string {
  if (/^[!-~]{1,200}$/.test(word)) return word;
  throw new VencError(
    'UsageError',
    '--idempotency-key takes 1 to 200 letters, digits and signs of ASCII, without blanks.',
  );
}
