import { basename, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { isVencError, VencError } from '../../shared/errors.js';
import { type ExitCode, exitCodes } from '../../shared/exit-codes.js';
import type { RequestFields } from '../../shared/settings/setting.js';
import type { Context } from '../context.js';
import { needsSize, validateNamePattern, withNames } from '../destinations/name-pattern.js';
import { numberNames, type OnConflict, reportConflicts } from '../destinations/number-names.js';
import { hasFileOutput, isHosted, outputsIn, withOverwrite } from '../destinations/output-names.js';
import { isBatch } from '../destinations/resolve-destinations.js';
import type { FileToUpload } from '../input/files.js';
import { type FolderArgs, type FoundInput, findInputs, namesInFolders } from '../input/find-inputs.js';
import { buildRequest, buildRequestBody, type JobArgs, validateRequest } from '../input/job-args.js';
import { isRequestName, readJobInput, sidecarsOf } from '../input/job-input.js';
import { otherNames, rejectLadderPlace } from '../input/ladder-flags.js';
import { printRequestWarnings, type TypedRequest, withTypedTerms } from '../input/typed-request.js';
import type { BatchFailure } from '../output/batch-text.js';
import type { Io } from '../terminal/io.js';
import type { ProgressChoice } from '../terminal/progress-mode.js';

/** The options of `venc submit`, in addition to the settings of the job. */
export interface SubmitOptions extends JobArgs, FolderArgs {
  readonly from?: string;
  readonly xml?: boolean;
  readonly ndjson?: boolean;
  readonly idempotencyKey?: string;
  readonly json?: boolean;
  readonly wait?: boolean;
  /** Seconds. */
  readonly timeout?: number;
  readonly download?: string;
  readonly force?: boolean;
  readonly name?: string;
  readonly onConflict?: OnConflict;
  readonly skipExisting?: boolean;
  readonly stage?: string;
  readonly inPlace?: boolean;
  readonly progress?: ProgressChoice;
}

/** The request built from the command line and local files, and the files to upload first. */
export interface PreparedRequest {
  /** Without an input if that is a file to upload. */
  readonly fields: RequestFields;
  /** The same as `fields`, or with the names of presets that the service has. */
  readonly sent: RequestFields;
  readonly input: FileToUpload | null;
  /** Local watermarks and caption files, by the `file:` URLs in the request. */
  readonly images: ReadonlyMap<string, FileToUpload>;
}

/** A request to submit. */
export interface RequestToSubmit {
  /** Its name in messages: `line 2`, `film.mov`; null for a single input. */
  readonly name: string | null;
  /** Its number, from 1; it becomes the suffix of the idempotency key if there are several. */
  readonly number: number;
  /** The folder of its downloads, relative to that of all; empty unless its input was found in a folder. */
  readonly folder: string;
  /** The command that it comes from, to name settings as they were typed. */
  readonly typed: TypedRequest;
  /** Rejects with `UsageError` and `InvalidRequestError`. */
  readonly prepare: () => Promise<PreparedRequest>;
}

/** The requests of one command. */
export interface RequestStream {
  readonly kind: 'single' | 'input' | 'line';
  /** The files of the flags and the preset, which are uploaded once for all requests. */
  readonly shared: ReadonlyMap<string, FileToUpload>;
  /** Whether there is nothing to submit. */
  readonly isEmpty: boolean;
  /** All files to upload. */
  readonly files: readonly FileToUpload[];
  /** Reads the requests; the signal ends the wait for the next one. */
  readonly read: (signal: AbortSignal) => AsyncIterable<RequestToSubmit> | Iterable<RequestToSubmit>;
  /** The inputs that could not be read. */
  readonly failures: readonly BatchFailure[];
  /** The exit code of the first of these. */
  readonly code: ExitCode;
  /** The arguments that submit these inputs again; null if they came from stdin. */
  readonly repeatable: ((names: readonly string[]) => readonly string[]) | null;
  /** The error for an interruption after `created` jobs; null if it is that of the request. */
  readonly interruptedError: (created: number) => VencError | null;
}

/**
 * Reads all inputs before the first upload. Reports the error of one of several inputs;
 * rejects with the error of a single one, and with errors that concern all inputs.
 */
export async function readInputs(
  args: readonly string[],
  options: SubmitOptions,
  context: Context,
): Promise<RequestStream> {
  if (args.filter((arg) => arg === '-').length > 1) {
    throw new VencError('UsageError', 'Only one input can be "-", because stdin can be read only once.', {
      hint: 'for many requests: venc submit - --ndjson < jobs.ndjson',
    });
  }
  const { io } = context;
  const found = await findInputs(args, options, { io, outFolder: options.download ?? null });
  const isSingle = !isBatch(found);
  rejectLadderPlace(options, isSingle ? 1 : 2);
  const shared = new Map<string, FileToUpload>();
  // Report invalid flags once instead of for every input, and upload a watermark once.
  const settings = isSingle ? {} : await buildRequestBody({ request: null, input: null }, options, shared);
  if (options.name !== undefined) {
    validateNamePattern(options.name, otherNames(options));
    if (needsSize(options.name))
      throw new VencError(
        'UsageError',
        '--name of submit has no {width} and {height}: the service decides on them.',
      );
  }
  const prepared: PreparedInput[] = [];
  const failures: BatchFailure[] = [];
  let code: ExitCode = exitCodes.done;
  const onError = async (error: unknown, name: string) => {
    if (isSingle || !isVencError(error)) throw error;
    // For media files and URLs, all settings come from flags.
    if (error.errorClass === 'InvalidRequestError' && !isRequestName(name)) throw error;
    const { reportError } = await import('../terminal/report-error.js');
    const typedError = await withTypedTerms(error, { arg: name, args: options });
    code = reportError(io, typedError, name, code);
    failures.push({ name, reason: typedError.message });
  };
  for (const [index, input] of found.inputs.entries()) {
    const { name } = input;
    try {
      if (input.error !== null) throw input.error;
      const request = await prepareInput(name, options, {
        ...{ io, where: isSingle ? '' : `${name}: ` },
      });
      const images = new Map([...request.images].filter(([address]) => !shared.has(address)));
      prepared.push({ ...input, ...request, images, number: index + 1 });
    } catch (error) {
      await onError(error, name);
    }
  }
  const areThere = options.skipExisting === true ? await openDownloadCheck(options, context) : null;
  const inputs: PreparedInput[] = [];
  let skippedCount = 0;
  for (const input of withPatternNames(prepared, options, io)) {
    try {
      if (areThere !== null && (await areThere(input))) skippedCount += 1;
      else {
        if (areThere === null) await rejectExistingNames(input, options);
        inputs.push(input);
      }
    } catch (error) {
      await onError(error, input.name);
    }
  }
  if (skippedCount > 0)
    io.writeInfo(`venc: ${skippedCount} ${skippedCount === 1 ? 'was' : 'were'} there already\n`);
  if (!isSingle) rejectSharedDestinations(inputs, { settings, hasPreset: options.preset !== undefined });
  const ownFiles = inputs.flatMap(({ input, images }) => [
    ...images.values(),
    ...(input === null ? [] : [input]),
  ]);
  return {
    kind: isSingle ? 'single' : 'input',
    shared,
    isEmpty: inputs.length === 0,
    files: [...shared.values(), ...ownFiles],
    read: () =>
      inputs.map(({ name, number, folder, ...prepared }) => ({
        name: isSingle ? null : name,
        number,
        folder,
        typed: { arg: name, args: options },
        prepare: async () => prepared,
      })),
    failures,
    repeatable: (names) => namesInFolders(found.inputs, names),
    code,
    interruptedError: (created) =>
      isSingle
        ? null
        : new VencError(
            'InterruptedError',
            `Interrupted. ${created} of ${found.inputs.length} inputs were submitted.`,
            { hint: 'stdout has the ids of the created jobs; venc list shows whether one more was created' },
          ),
  };
}

/** An input whose request was built. */
type PreparedInput = PreparedRequest & FoundInput & { readonly number: number };

/** The inputs with the names of `--name`; equal names are numbered, or rejected with `--on-conflict fail`. */
function withPatternNames(
  inputs: readonly PreparedInput[],
  { name: pattern, onConflict }: Pick<SubmitOptions, 'name' | 'onConflict'>,
  io: Io,
): readonly PreparedInput[] {
  if (pattern === undefined) return inputs;
  // Presets of the service may have outputs of their own, so they are sent as what they stand for.
  const named = inputs.map((input) => withNames(input.fields, pattern, { input, sizes: [] }));
  const namesOf = (fields: RequestFields) => outputsIn(fields).map(({ filename }) => String(filename ?? ''));
  const claims = inputs.map(({ name }, index) => ({
    input: name,
    paths: namesOf(named[index] ?? {}).filter((filename) => filename !== ''),
  }));
  const { paths, conflicts } = numberNames(claims);
  reportConflicts(
    conflicts,
    { ...(onConflict === undefined ? {} : { onConflict }), done: 'submitted' },
    io.writeInfo,
  );
  return inputs.map((input, index) => {
    const free = [...(paths[index] ?? [])];
    const outputs = outputsIn(named[index] ?? {}).map((output) =>
      typeof output.filename === 'string' ? { ...output, filename: free.shift() ?? output.filename } : output,
    );
    const fields = { ...named[index], outputs };
    return { ...input, fields, sent: fields };
  });
}

/** The paths at which `--download` writes the outputs of an input. */
async function downloadPaths(
  { fields, input, folder }: Pick<PreparedInput, 'fields' | 'input' | 'folder'>,
  download: string,
): Promise<readonly string[]> {
  const { predictDownloadNames } = await import('../download/download-names.js');
  const names = predictDownloadNames(fields, input === null ? null : basename(input.path));
  return names.map((name) => join(download, folder, name));
}

/** The check of `--skip-existing`: whether the downloads of an input are whole and not older than it. */
async function openDownloadCheck(
  { download }: Pick<SubmitOptions, 'download'>,
  context: Context,
): Promise<(input: PreparedInput) => Promise<boolean>> {
  const { openResultCheck } = await import('../destinations/whole-results.js');
  const areWhole = await openResultCheck(await context.programs({}), new AbortController().signal);
  return async (input) => {
    const paths = await downloadPaths(input, download ?? '');
    const source = input.input === null ? null : pathToFileURL(input.input.path).href;
    return paths.length > 0 && areWhole(source, paths);
  };
}

/** Builds the request of an input. Validates everything that needs no service, before a long upload. */
async function prepareInput(
  arg: string,
  options: SubmitOptions,
  { io, where }: { readonly io: Io; readonly where: string },
): Promise<PreparedRequest> {
  const input = await readJobInput(arg, io, { isXml: options.xml === true });
  const images = new Map<string, FileToUpload>();
  const base = {
    request: input.kind === 'request' ? await withCaptionFiles(input.request, images) : null,
    input: input.kind === 'url' ? input.url : null,
    captions: await sidecarsOf(input, options, io),
  };
  const { body: built, sent } = await buildRequest(base, options, images);
  if (options.force === true && options.download === undefined && !hasFileOutput(built))
    throw new VencError('UsageError', '--force needs --download, or an output at a file: URL.');
  const fields = options.force === true ? withOverwrite(built) : built;
  const request = options.force === true ? fields : sent;
  // The service reports what has no effect in its own presets.
  await printRequestWarnings(request, { io, typed: { arg, args: options }, where });
  if (options.stage !== undefined && input.kind !== 'file' && images.size === 0) {
    throw new VencError('UsageError', '--stage needs a local file; the input is already a URL.');
  }
  if (options.inPlace === true && input.kind !== 'file')
    throw new VencError('UsageError', '--in-place needs a local media file as the input.');
  const file = input.kind === 'file' ? input : null;
  if (file !== null) await validateRequest({ ...fields, input: 'upload://still/to-come' });
  else if (images.size > 0) await validateRequest(fields);
  return { fields, sent: request, input: file, images };
}

async function withCaptionFiles(request: RequestFields, files: Map<string, FileToUpload>) {
  const { toCaptionUrls } = await import('../input/local-watermarks.js');
  return toCaptionUrls(request, files, false);
}

/** The options of `venc submit` that decide whether a download may overwrite a file. */
interface DownloadOptions {
  readonly download?: string;
  readonly force?: boolean;
  readonly idempotencyKey?: string;
}

/**
 * Rejects with `UsageError` if a download would overwrite a file. Not with an idempotency key: the command may be the
 * repeat of one whose downloads were partly complete.
 */
async function rejectExistingNames(
  input: Pick<PreparedInput, 'fields' | 'input' | 'folder'>,
  { download, force, idempotencyKey }: DownloadOptions,
): Promise<void> {
  if (download === undefined || force === true || idempotencyKey !== undefined) return;
  const { requireAbsent } = await import('../../shared/util/check-destinations.js');
  await requireAbsent(await downloadPaths(input, download), 'another folder');
}

/**
 * Throws `UsageError` if outputs of several inputs would have the same destination: a common `--filename` or `--url`,
 * or the same URL in two requests. `settings` are those of the flags and the preset.
 */
function rejectSharedDestinations(
  inputs: readonly { readonly name: string; readonly fields: RequestFields }[],
  { settings, hasPreset }: { readonly settings: RequestFields; readonly hasPreset: boolean },
): void {
  for (const output of outputsIn(settings)) {
    const sharedSetting = ['url', 'filename', 'secondary_url'].find(
      (name) => typeof output[name] === 'string',
    );
    if (sharedSetting === undefined) continue;
    const flag = `--${sharedSetting.replace('_', '-')}`;
    throw new VencError(
      'UsageError',
      `${hasPreset ? `The ${sharedSetting} of the flags or the preset` : flag} names one file, but there are several inputs. Nothing was submitted.`,
      {
        hint:
          sharedSetting !== 'filename'
            ? `submit the inputs one by one, each with its own ${flag}`
            : "name them with --name '{stem}.{ext}'; or submit the inputs one by one",
      },
    );
  }
  const owners = new Map<string, string>();
  for (const { name, fields } of inputs) {
    for (const externalUrl of new Set(outputsIn(fields).flatMap(externalUrls))) {
      const otherInput = owners.get(externalUrl);
      owners.set(externalUrl, name);
      if (otherInput === undefined) continue;
      throw new VencError(
        'UsageError',
        `${name} and ${otherInput} have an output with the same destination. Nothing was submitted.`,
        { hint: 'give each output its own url or filename' },
      );
    }
  }
}

/** Whether a request has an output that the service hosts. */
export function hostsOutputs(request: RequestFields): boolean {
  const outputs = outputsIn(request);
  return outputs.length === 0 || outputs.some(isHosted);
}

/**
 * The URLs of an output that is uploaded to a named file elsewhere, or to a second one if that fails; empty for other
 * outputs.
 */
function externalUrls({ url, base_url: base, filename, secondary_url: second }: RequestFields) {
  const secondUrls = typeof second === 'string' ? [second] : [];
  if (typeof url === 'string') return [url, ...secondUrls];
  if (typeof base !== 'string' || typeof filename !== 'string') return secondUrls;
  return [`${base.replace(/\/$/, '')}/${filename}`, ...secondUrls];
}
