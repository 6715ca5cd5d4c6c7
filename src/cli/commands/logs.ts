import { type Command, Option } from 'commander';
import type { Client } from '../../client/client.js';
import { type LogOptions, type LogSource, requestLog, streamLog } from '../../client/log.js';
import { isVencError } from '../../shared/errors.js';
import { type ExitCode, exitCodes } from '../../shared/exit-codes.js';
import { choiceParser, integerParser } from '../../shared/flag-parsers.js';
import type { LogRecord } from '../../shared/records.js';
import { jsonText, type LogColours, logText } from '../../shared/text/safe-text.js';
import { type LogLevel, logLevels } from '../../shared/util/log.js';
import type { Context } from '../context.js';
import { explainMissingJob, resolveJob } from '../jobs/resolve-jobs.js';
import { createTextColours, type TextColours } from '../output/paint.js';
import { listenForInterrupt } from '../terminal/interrupt.js';
import type { Io } from '../terminal/io.js';

interface LogsOptions {
  readonly follow?: boolean;
  readonly level?: LogLevel;
  readonly tail?: number;
  readonly json?: boolean;
  readonly jsonl?: boolean;
}

/** Number of lines of the daemon's log without `--tail`. */
const daemonTail = 100;

/** `venc logs [ID]`: the log of a job, or that of the daemon. */
export function define(command: Command, context: Context): void {
  command
    .argument('[id]', 'id of a job; @last or -1 is the newest; without an id: the log of the daemon')
    .option('-f, --follow', 'print new lines until the job has ended')
    .option(
      '--level <level>',
      'only lines of this level and more severe ones: info, warn or error',
      choiceParser('--level', logLevels),
    )
    .option(
      '--tail <number>',
      `only the last lines (default: all of a job, ${daemonTail} of the daemon)`,
      integerParser('--tail', 1, 999_999_999),
    )
    .option('--json', 'print the lines as a JSON array; with --follow, as --jsonl')
    .addOption(new Option('--jsonl', 'print one JSON object per line').conflicts('json'))
    .addHelpText('after', details)
    .action(context.handler(run));
}

const details = `
The log of a job has its stages, the command lines of ffmpeg, retries and failures, and the last messages of an ffmpeg that
failed. It is kept until the job is removed. The log of the daemon has one line for each event of all jobs and needs a full
access key of the account default. --follow reconnects when the daemon restarts; Ctrl-C ends it and does not stop the job.

Examples:
  venc logs @last
  venc logs 123 --follow
  venc logs --level warn
  venc logs -f --tail 20
  venc logs 123 --jsonl | jq -r .message`;

async function run(arg: string | undefined, options: LogsOptions, context: Context): Promise<ExitCode> {
  const { client, source } = await resolveSource(arg, context);
  const { level, tail = source === 'daemon' ? daemonTail : undefined } = options;
  const selection = { ...(level === undefined ? {} : { level }), ...(tail === undefined ? {} : { tail }) };
  try {
    return options.follow === true
      ? await followLines(client, source, selection, options, context.io)
      : await printLines(client, source, selection, options, context.io);
  } catch (error) {
    throw source === 'daemon' ? error : await explainMissingJob(client, source, error);
  }
}

async function resolveSource(
  arg: string | undefined,
  context: Context,
): Promise<{ readonly client: Client; readonly source: LogSource }> {
  if (arg === undefined) return { client: await context.client(), source: 'daemon' };
  const { client, id } = await resolveJob(arg, context);
  return { client, source: id };
}

async function printLines(
  client: Client,
  source: LogSource,
  selection: LogOptions,
  options: LogsOptions,
  io: Io,
): Promise<ExitCode> {
  const lines = await requestLog(client, source, selection);
  if (options.json === true) await io.writeStdout(`${jsonText(lines, 2)}\n`);
  else if (lines.length === 0 && options.jsonl !== true)
    io.writeInfo(`venc: the log has no lines${options.level === undefined ? '' : ' of this level'}\n`);
  else await io.writeStdout(textOf(lines, options, io));
  return exitCodes.done;
}

async function followLines(
  client: Client,
  source: LogSource,
  selection: LogOptions,
  options: LogsOptions,
  io: Io,
): Promise<ExitCode> {
  const { signal, dispose } = listenForInterrupt(io);
  try {
    for await (const update of streamLog(client, source, { ...selection, signal })) {
      if (update.type === 'line') await io.writeStdout(textOf([update.line], options, io));
      else if (update.type === 'back') io.writeInfo('venc: The service answers again.\n');
      else io.writeStderr(`venc: ${update.error.message} Trying again until it answers.\n`);
    }
    return exitCodes.done;
  } catch (error) {
    // Ctrl-C is how people end this: it needs no message.
    if (isVencError(error, 'InterruptedError')) return exitCodes.interrupted;
    throw error;
  } finally {
    dispose();
  }
}

function textOf(lines: readonly LogRecord[], { json, jsonl }: LogsOptions, io: Io): string {
  if (json === true || jsonl === true) return lines.map((line) => `${jsonText(line)}\n`).join('');
  return io.toTerminalSymbols(logLines(lines, createTextColours(io.colour.stdout)));
}

/** Lines of a log as text: warnings and errors are coloured, times and messages of ffmpeg are dim. */
export function logLines(lines: readonly LogRecord[], paint: TextColours): string {
  const colours: LogColours = {
    time: paint.dim,
    level: (text, level) =>
      level === 'error' ? paint.red(text) : level === 'warn' ? paint.yellow(text) : text,
    stderr: paint.dim,
  };
  return lines.map((line) => `${logText(line, colours)}\n`).join('');
}
