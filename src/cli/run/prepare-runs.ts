import { resolve } from 'node:path';
import { isVencError, VencError } from '../../shared/errors.js';
import { type ExitCode, exitCodes } from '../../shared/exit-codes.js';
import { isUrl } from '../../shared/text/url-text.js';
import {
  type Alternative,
  rejectInputAsOutput,
  requireAbsent,
  requireWritable,
  type WritableFolders,
} from '../../shared/util/check-destinations.js';
import { placeIdentity } from '../../shared/util/disk.js';
import { isObject } from '../../shared/util/is-object.js';
import { numberNames, type OnConflict, reportConflicts } from '../destinations/number-names.js';
import { withOverwrite } from '../destinations/output-names.js';
import { destinationsOf } from '../destinations/resolve-destinations.js';
import type { FoundInput } from '../input/find-inputs.js';
import { withValidation } from '../input/typed-request.js';
import type { Io } from '../terminal/io.js';
import { reportError } from '../terminal/report-error.js';
import {
  assignDestinations,
  localPathOf,
  type OutputDestinations,
  type ResolvedRequest,
  withPaths,
} from './assign-destinations.js';
import type { Results } from './results.js';
import { replaceableSidecars } from './sidecar-files.js';

/** One input of `venc run`, ready to be encoded. */
export interface PreparedRun {
  /** The input as it was typed. */
  readonly name: string;
  readonly resolvedRequest: ResolvedRequest;
}

/** Options for preparing the inputs of `venc run`. */
interface PrepareRunsOptions {
  readonly io: Io;
  readonly destinations: OutputDestinations;
  readonly isForced: boolean;
  readonly onConflict: OnConflict;
  /** Whether the outputs of an input are all there; null if that makes no difference. */
  readonly areWhole: ((run: ResolvedRequest) => Promise<boolean>) | null;
  /** What to name instead of a destination that cannot be used. */
  readonly alternative: Alternative;
  readonly results: Results;
  /** Rejects with `UsageError` if the input cannot be read. */
  readonly readRequest: (input: FoundInput) => Promise<Readonly<Record<string, unknown>>>;
  /** The request of an input if it could be read; rejects if that is not known. */
  readonly assumeRequest: (input: FoundInput) => Promise<Readonly<Record<string, unknown>>>;
}

/** The inputs of `venc run`, read. */
interface PreparedRuns {
  readonly runs: readonly PreparedRun[];
  /** The inputs whose outputs are there (`--skip-existing`). */
  readonly skipped: readonly PreparedRun[];
  /** That of the first error. */
  readonly exitCode: ExitCode;
}

/**
 * Reads inputs and assigns destinations to their outputs. Outputs of several inputs with the same path get numbers; the
 * number does not depend on which inputs can be read or are skipped. The error of one of several inputs is reported,
 * and the others are still prepared. Rejects with the error of a single input, and with `UsageError` if two inputs
 * would write the same file and `onConflict` is `fail`, or an output is an input.
 */
export async function prepareRuns(
  inputs: readonly FoundInput[],
  options: PrepareRunsOptions,
): Promise<PreparedRuns> {
  const { io, destinations, isForced, onConflict, alternative, results, areWhole } = options;
  let exitCode: ExitCode = exitCodes.done;
  const onError = async (error: unknown, name: string) => {
    await results.addError(name, error);
    if (inputs.length === 1 || !isVencError(error)) throw error;
    exitCode = reportError(io, error, name, exitCode);
  };
  const read: (PreparedRun & { readonly isReadable: boolean })[] = [];
  for (const input of inputs) {
    const { name } = input;
    const assign = async (request: Readonly<Record<string, unknown>>) =>
      resolvedRequest(request, destinationsOf(destinations, input));
    try {
      if (input.error !== null) throw input.error;
      const found = await assign(await options.readRequest(input));
      read.push({ name, resolvedRequest: found, isReadable: true });
    } catch (error) {
      await onError(error, name);
      const assumed = await options
        .assumeRequest(input)
        .then(assign)
        .catch(() => null);
      if (assumed !== null) read.push({ name, resolvedRequest: assumed, isReadable: false });
    }
  }
  const claims = read.map(({ name, resolvedRequest: { paths } }) => ({ input: name, paths }));
  const { paths, conflicts } = numberNames(claims);
  reportConflicts(conflicts, { onConflict, done: 'encoded' }, io.writeInfo);
  const named = read.flatMap(({ name, resolvedRequest: found, isReadable }, index) =>
    isReadable
      ? [{ name, resolvedRequest: withPaths(found, paths[index] ?? found.paths, destinations) }]
      : [],
  );
  const names = inputs.map(({ name }) => name);
  if (names.length > 1) await rejectCollisions(named, names, destinations.cwd);
  const [runs, skipped]: [PreparedRun[], PreparedRun[]] = [[], []];
  const writable: WritableFolders = new Set();
  for (const { name, resolvedRequest: found } of named) {
    try {
      if (areWhole !== null && (await areWhole(found))) {
        skipped.push({ name, resolvedRequest: found });
        await results.addSkipped(name);
        continue;
      }
      const isReplaced = isForced || areWhole !== null;
      const run = isReplaced ? { ...found, body: withOverwrite(found.body) } : found;
      await checkDestinations(run, alternative, writable);
      runs.push({ name, resolvedRequest: run });
    } catch (error) {
      await onError(error, name);
    }
  }
  return { runs, skipped, exitCode };
}

/**
 * Rejects with `UsageError` if an encode could not be written to its destinations, or would replace a file without
 * `overwrite`.
 */
export async function checkDestinations(
  { body, paths, thumbnails }: ResolvedRequest,
  alternative: Alternative = 'another file with -o',
  writable: WritableFolders = new Set(),
): Promise<void> {
  await requireWritable(paths, alternative, writable);
  const outputs: readonly unknown[] = Array.isArray(body.outputs) ? body.outputs : [];
  for (const [index, path] of paths.entries()) {
    const settings = outputs[index];
    if (isObject(settings) && settings.overwrite === true) continue;
    const sidecars = isObject(settings) ? await replaceableSidecars(path, settings) : [];
    await requireAbsent([path, ...(thumbnails[index] ?? []), ...sidecars], alternative);
  }
  await rejectInputAsOutput(body.input, [...paths, ...thumbnails.flat()], alternative);
}

function resolvedRequest(
  request: Readonly<Record<string, unknown>>,
  destinations: OutputDestinations,
): Promise<ResolvedRequest> {
  return withValidation(request, () => assignDestinations(request, destinations));
}

async function rejectCollisions(
  runs: readonly PreparedRun[],
  names: readonly string[],
  cwd: string,
): Promise<void> {
  const folders = new Map<string, Promise<string>>();
  const placeOf = async (path: string) => (isUrl(path) ? path : placeIdentity(resolve(cwd, path), folders));
  // Inputs that could not be prepared count as well.
  const nameOf = new Map(names.filter((name) => !isUrl(name)).map((name) => [resolve(cwd, name), name]));
  for (const { name, resolvedRequest } of runs) {
    const path = localPathOf(resolvedRequest.body.input);
    if (path !== null) nameOf.set(resolve(cwd, path), name);
  }
  const inputs = new Map<string, string>();
  for (const [path, name] of nameOf) inputs.set(await placeOf(path), name);
  const owners = new Map<string, string>();
  for (const { name, resolvedRequest } of runs) {
    for (const path of [...resolvedRequest.paths, ...resolvedRequest.thumbnails.flat()]) {
      const place = await placeOf(path);
      const input = inputs.get(place);
      const other = owners.get(place);
      owners.set(place, name);
      // Two outputs of one request with the same URL are rejected with the rest of the request.
      const isOwn = other === undefined ? input === undefined || input === name : other === name;
      if (isOwn) continue;
      const message =
        other === undefined
          ? `The output ${path} of ${name} is the input ${input}.`
          : `${other} and ${name} would both be written to ${path}.`;
      throw new VencError('UsageError', `${message} Nothing was encoded.`, {
        hint: 'encode these files one by one, each with its own -o',
      });
    }
  }
}
