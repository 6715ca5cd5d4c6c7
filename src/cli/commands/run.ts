import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Command } from 'commander';
import { daemonFlags } from '../../config/daemon-flags.js';
import { VencError } from '../../shared/errors.js';
import { type ExitCode, exitCodes } from '../../shared/exit-codes.js';
import { durationParser } from '../../shared/flag-parsers.js';
import { safeText } from '../../shared/text/safe-text.js';
import { isUrl } from '../../shared/text/url-text.js';
import { withRunFolder } from '../../shared/util/run-folder.js';
import { repeatCommand } from '../batch/repeat-command.js';
import type { Context, ProgramFlags } from '../context.js';
import { addNameOption, needsSize, validateNamePattern, withNames } from '../destinations/name-pattern.js';
import { conflictOption, type OnConflict, reportConflicts } from '../destinations/number-names.js';
import { isHosted, outputsIn, withOverwrite } from '../destinations/output-names.js';
import {
  isBatch,
  outputFolderOf,
  outsOf,
  ownFolders,
  resolveDestinations,
  withLadderFolder,
  withOwnFolder,
} from '../destinations/resolve-destinations.js';
import { openResultCheck } from '../destinations/whole-results.js';
import { collectValues } from '../input/args.js';
import {
  addFolderOptions,
  type FolderArgs,
  type FoundInput,
  findInputs,
  namesInFolders,
  oneInput,
} from '../input/find-inputs.js';
import { fromOption, namedInputs } from '../input/input-list.js';
import {
  addJobOptions,
  buildRequestBody,
  daemonSettings,
  type JobArgs,
  sidecarOption,
  withExamplesFirst,
} from '../input/job-args.js';
import { assumedRequest, isRequestName, localRequest } from '../input/job-input.js';
import { addLadderOptions, hasLadder, otherNames } from '../input/ladder-flags.js';
import { createPresets, withPresetLadder } from '../input/presets.js';
import { withoutProgram, withTypedErrors, withValidation } from '../input/typed-request.js';
import { assignDestinations, type OutputDestinations } from '../run/assign-destinations.js';
import { type Encoding, encodeAll } from '../run/encode-all.js';
import { checkDestinations, prepareRuns } from '../run/prepare-runs.js';
import { createResults } from '../run/results.js';
import { rejectSideOutputs, severalOutputsError, toStdout } from '../run/stdout-output.js';
import { listenForInterrupt } from '../terminal/interrupt.js';
import type { Io } from '../terminal/io.js';
import {
  chosenMode,
  type ProgressChoice,
  type ProgressMode,
  progressOption,
} from '../terminal/progress-mode.js';
import { addDaemonFlag } from '../terminal/service-process.js';

interface RunOptions extends JobArgs, FolderArgs, ProgramFlags {
  readonly out?: readonly string[];
  readonly from?: string;
  readonly sample?: boolean;
  readonly force?: boolean;
  readonly name?: string;
  readonly onConflict: OnConflict;
  readonly skipExisting?: boolean;
  readonly progress?: ProgressChoice;
  readonly json?: boolean;
  readonly jsonl?: boolean;
  readonly stallTimeout: number;
  readonly nice: number;
  readonly ioIdle?: boolean;
}

/** `venc run INPUT...`: encodes in this process, without a daemon or a service. Prints the paths written. */
export function define(command: Command, { handler }: Context): void {
  command
    .argument(
      '[input...]',
      'local media files, folders, URLs, requests (FILE.json, FILE.xml), or - for stdin: media or a request',
    )
    .option('-o, --out <file>', 'file of each output, a folder, or - for stdout', collectValues)
    .option(...fromOption)
    .option('--sample', `encode a test video with audio to ${sampleFile}`)
    .option('--force', 'overwrite existing files')
    .option(...sidecarOption)
    .option(...progressOption)
    .option('--json', 'print the details of all jobs as one JSON array')
    .addOption(
      command.createOption('--jsonl', 'print the details of each job on a line as it ends').conflicts('json'),
    )
    .option('--ffmpeg <path>', 'the ffmpeg to use (or VENC_FFMPEG)')
    .option('--ffprobe <path>', 'the ffprobe to use (or VENC_FFPROBE)')
    .addOption(
      command
        .createOption(
          '--stall-timeout <time>',
          'give up an attempt to transfer after this time without data; it is retried up to 4 times',
        )
        .argParser(durationParser('--stall-timeout'))
        .default(30, '30s'),
    );
  addFolderOptions(command);
  addNameOption(command).option(...conflictOption);
  command.addOption(
    command
      .createOption('--skip-existing', 'skip inputs whose outputs are whole and not older')
      .conflicts('force'),
  );
  for (const name of ['nice', 'io-idle'] as const) addDaemonFlag(command, name, daemonFlags[name]);
  withExamplesFirst(addLadderOptions(addJobOptions(command, daemonSettings), 'dir'), details).action(
    handler((args: readonly string[], given: RunOptions, context: Context) => {
      const options = { ...given, presets: createPresets(context.io.env) };
      return withTypedErrors(args.length === 1 ? args[0] : undefined, options, async () =>
        run(await namedInputs(args, options), options, context, (inputs) => repeatCommand(command, inputs)),
      );
    }),
  );
}

const sampleFile = 'venc-sample.mp4';
const details = `
Outputs go into the current folder, or that of -o, named after the input with the label or number. A folder stands for all
media files in it, and its folders are made again in -o. If an input fails, the others are still encoded; the exit code is
that of the first failure. Ctrl-C cancels and keeps finished files, Ctrl-Z stops ffmpeg.

Examples:
  venc run --sample
  venc run film.mov -o film.mp4
  venc run *.mov -o out/ --width 1280
  venc run films/ -o out/ --match '*.{mov,mkv}'
  venc run film.mov -o film.webm --start-clip 10 --clip-length 30
  venc run film.mov --hls out/
  venc run film.mov -o small.mp4 --output width=640 \\
    -o large.mp4 --output width=1920`;

async function run(
  args: readonly string[],
  given: RunOptions,
  context: Context,
  repeat: (names: readonly string[]) => Promise<readonly string[]>,
): Promise<ExitCode> {
  const { io } = context;
  const chosen = withLadderFolder(await withPresetLadder(given, args.some(isRequestName)));
  if ((args.length === 0) === (chosen.sample !== true)) {
    throw new VencError('UsageError', 'run takes either inputs or --sample.', {
      hint: 'venc run --sample needs no input',
    });
  }
  const programs = await context.programs(chosen);
  const mode = await chosenMode(context, chosen.progress, 'stderr');
  const { signal, dispose } = listenForInterrupt(io);
  try {
    return await withRunFolder(async (folder) => {
      const { options, stdout } = toStdout(chosen, { io, folder, inputs: args });
      const encoding: Encoding = {
        ...{ ...programs, folder, stdout, stallTimeoutSeconds: options.stallTimeout },
        signal: stdout === null ? signal : AbortSignal.any([signal, stdout.signal]),
        priority: { nice: options.nice, isIoIdle: options.ioIdle === true },
      };
      rejectBatchFlags(options);
      if (options.sample === true) return await runSample(options, io, mode, encoding);
      warnRepeated(args, io);
      const found = await findInputs([...new Set(args)], options, {
        ...{ io, outFolder: outputFolderOf(options) },
      });
      const { inputs } = found;
      if (stdout !== null && isBatch(found)) throw severalOutputsError();
      const destinations = await resolveDestinations(outsOf(options, found), found, {
        cwd: process.cwd(),
        args: options,
      });
      // Report invalid flags once instead of for every input.
      if (isBatch(found)) {
        await buildRequestBody({ request: null, input: null }, options);
      }
      checkPattern(options, destinations);
      const areWhole = options.skipExisting === true ? await openResultCheck(programs, signal) : null;
      const folders = hasLadder(options) && isBatch(found) ? ownFolders(inputs) : null;
      reportConflicts(
        folders?.conflicts ?? [],
        { onConflict: options.onConflict, done: 'encoded' },
        io.writeInfo,
      );
      const place = (request: Record<string, unknown>, input: FoundInput) =>
        folders === null ? request : withOwnFolder(request, folders.names.get(input) ?? '');
      const inputOf = new Map(
        inputs.map((input) => [options.name === undefined ? input : { ...input, folder: '' }, input]),
      );
      const read = async (placed: FoundInput, request: Promise<Record<string, unknown>>) => {
        const input = inputOf.get(placed) ?? placed;
        return withPattern(place(await request, input), input, { options, destinations, programs });
      };
      const results = createResults(io, options);
      try {
        const prepared = await prepareRuns([...inputOf.keys()], {
          ...{ io, destinations, results },
          isForced: options.force === true,
          onConflict: options.onConflict,
          areWhole: areWhole === null ? null : ({ body, paths }) => areWhole(body.input, paths),
          alternative: hasLadder(options) ? 'another folder' : 'another file with -o',
          readRequest: (input) =>
            read(input, localRequest(input.name, options, { io, spool: { folder, signal } })),
          assumeRequest: (input) => read(input, assumedRequest(input.name, options)),
        });
        const { runs, skipped } = prepared;
        if (stdout !== null) for (const one of runs) rejectSideOutputs(one.resolvedRequest, stdout);
        if (skipped.length > 0)
          io.writeInfo(`venc: ${skipped.length} ${skipped.length === 1 ? 'was' : 'were'} there already\n`);
        const isSkipped = new Set(skipped.map(({ name }) => name));
        const names = inputs.map(({ name }) => name).filter((name) => !isSkipped.has(name));
        if (names.length === 0) return prepared.exitCode;
        const reporting = {
          io,
          mode,
          names,
          options,
          results,
          repeat: (failed: readonly string[]) => repeat(namesInFolders(inputs, failed)),
        };
        const { code } = await encodeAll(runs, reporting, encoding);
        return prepared.exitCode === exitCodes.done ? code : prepared.exitCode;
      } finally {
        await results.end(inputs.map(({ name }) => name));
      }
    });
  } catch (error) {
    throw withoutProgram(error);
  } finally {
    dispose();
  }
}

/** The request with the names of `--name`. Their size is that of the outputs as planned. */
async function withPattern(
  request: Record<string, unknown>,
  input: FoundInput,
  given: {
    readonly options: RunOptions;
    readonly destinations: OutputDestinations;
    readonly programs: Awaited<ReturnType<Context['programs']>>;
  },
): Promise<Record<string, unknown>> {
  const { options, destinations, programs } = given;
  const { name: pattern } = options;
  if (pattern === undefined) return request;
  if (!needsSize(pattern)) return withNames(request, pattern, { input, sizes: [] });
  if (isUrl(input.name))
    throw new VencError('UsageError', `{height} and {width} need a file on this machine, not ${input.name}.`);
  const { dryRun } = await import('../../../daemon/dry-run/dry-run.js');
  const { body, paths } = assignDestinations(request, destinations);
  const { outputs } = await dryRun(body, { ...programs, files: paths.map(() => null) });
  return withNames(request, pattern, { input, sizes: outputs.map(({ size }) => size) });
}

/** Rejects the flags that `--sample` has no use for. */
function rejectBatchFlags({ sample, name, match, exclude, skipExisting }: RunOptions): void {
  if (sample !== true) return;
  const flags = { '--name': name, '--match': match, '--exclude': exclude, '--skip-existing': skipExisting };
  const [unused] = Object.entries(flags).find(([, value]) => value !== undefined) ?? [];
  if (unused !== undefined)
    throw new VencError('UsageError', `${unused} needs inputs, which --sample is not.`);
}

/** Rejects `--name` if it is not valid, or if something else names the outputs. */
function checkPattern(options: RunOptions, destinations: OutputDestinations): void {
  if (options.name === undefined) return;
  const other = otherNames(options) ?? (destinations.files.length > 0 ? '-o' : null);
  validateNamePattern(options.name, other);
}

function warnRepeated(args: readonly string[], io: Io): void {
  for (const name of new Set(args.filter((arg, index) => args.indexOf(arg) !== index)))
    io.writeStderr(`venc: warning: ${safeText(name)} is given more than once; it is encoded once\n`);
}

/** Encodes a generated video. The default output file may be overwritten, a file named with -o may not. */
async function runSample(
  options: RunOptions,
  io: Io,
  mode: ProgressMode,
  encoding: Encoding,
): Promise<ExitCode> {
  const sample = join(encoding.folder, 'sample.mov');
  const request = await buildRequestBody({ request: null, input: pathToFileURL(sample).href }, options);
  const outputs = outputsIn(request);
  const isNamed = outputs.some((output) => !isHosted(output) || typeof output.filename === 'string');
  const named = hasLadder(options) ? outsOf(options, oneInput(sampleFile)) : options.out;
  const outs = named ?? (outputs.length > 1 || isNamed ? [] : [sampleFile]);
  const destinations = await resolveDestinations(outs, oneInput(sampleFile), {
    cwd: process.cwd(),
    args: options,
  });
  const assigned = await withValidation(request, () => assignDestinations(request, destinations));
  const isForced = options.force === true || assigned.paths[0] === sampleFile;
  const resolvedRequest = isForced ? { ...assigned, body: withOverwrite(assigned.body) } : assigned;
  await checkDestinations(resolvedRequest);
  if (encoding.stdout !== null) rejectSideOutputs(resolvedRequest, encoding.stdout);
  const { makeSample } = await import('../../../daemon/app/one-shot-run.js');
  await makeSample(sample, encoding);
  io.writeInfo('venc: created a test video with a tone; encoding it\n');
  const results = createResults(io, options);
  const { code, encodes } = await encodeAll(
    [{ name: sampleFile, resolvedRequest }],
    { io, mode, names: [sampleFile], repeat: async () => [], options, results },
    encoding,
  ).finally(() => results.end([sampleFile]));
  const [made] = encodes.flatMap(({ job, destinations: paths }) =>
    paths.filter((_, index) => job.output_media_files[index]?.state === 'finished'),
  );
  if (code === exitCodes.done && made !== undefined) io.writeInfo(sampleMade(made));
  return code;
}

function sampleMade(path: string): string {
  return `venc: ${path} is a test video with a tone, encoded on this machine: everything required is installed\n`;
}
