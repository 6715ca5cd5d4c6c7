import { resolve } from 'node:path';
import { isVencError, VencError } from '../../shared/errors.js';
import { type ExitCode, exitCodes } from '../../shared/exit-codes.js';
import { isUrl } from '../../shared/text/url-text.js';
import { isObject } from '../../shared/util/is-object.js';
import {
  type Alternative,
  rejectInputAsOutput,
  requireAbsent,
  requireWritable,
} from '../destinations/check-destinations.js';
import { withValidation } from '../input/command-errors.js';
import type { Io } from '../terminal/io.js';
import { reportError } from '../terminal/report-error.js';
import {
  assignDestinations,
  localPathOf,
  type OutputDestinations,
  type ResolvedRequest,
} from './assign-destinations.js';
import { replaceableCaptions } from './caption-files.js';

/** One input of `venc run`, ready to be encoded. */
export interface PreparedRun {
  /** The input as it was typed. */
  readonly name: string;
  readonly resolvedRequest: ResolvedRequest;
}

/** Options for preparing the inputs of `venc run`. */
export interface PrepareRunsOptions {
  readonly io: Io;
  readonly destinations: OutputDestinations;
  readonly isForced: boolean;
  /** What to name instead of a destination that cannot be used. */
  readonly alternative: Alternative;
  readonly readRequest: (name: string) => Promise<Readonly<Record<string, unknown>>>;
}

/**
 * Reads inputs and assigns destinations to their outputs. The error of one of several inputs is reported, and the
 * others are still prepared; `exitCode` is that of the first error. Rejects with the error of a single input, and with
 * `UsageError` if two inputs would write the same file or an output is an input.
 */
export async function prepareRuns(
  names: readonly string[],
  { io, destinations, isForced, alternative, readRequest }: PrepareRunsOptions,
): Promise<{ readonly runs: readonly PreparedRun[]; readonly exitCode: ExitCode }> {
  const runs: PreparedRun[] = [];
  let exitCode: ExitCode = exitCodes.done;
  const onError = (error: unknown, name: string) => {
    if (names.length === 1 || !isVencError(error)) throw error;
    exitCode = reportError(io, error, name, exitCode);
  };
  const all: PreparedRun[] = [];
  for (const name of names) {
    try {
      all.push({ name, resolvedRequest: await resolvedRequest(await readRequest(name), destinations) });
    } catch (error) {
      onError(error, name);
    }
  }
  rejectCollisions(all, names, destinations.cwd);
  for (const run of all) {
    try {
      await checkDestinations(run.resolvedRequest, isForced, alternative);
      runs.push(run);
    } catch (error) {
      onError(error, run.name);
    }
  }
  return { runs, exitCode };
}

/** Rejects with `UsageError` if an encode could not be written to its destinations. */
export async function checkDestinations(
  { body, paths, thumbnails }: ResolvedRequest,
  isForced: boolean,
  alternative: Alternative = 'another file with -o',
): Promise<void> {
  await requireWritable(paths, alternative);
  if (!isForced) {
    const outputs: readonly unknown[] = Array.isArray(body.outputs) ? body.outputs : [];
    const captions = outputs.map((settings, index) =>
      isObject(settings) ? replaceableCaptions(paths[index] ?? '', settings) : [],
    );
    await requireAbsent(
      [...paths, ...thumbnails.flat(), ...(await Promise.all(captions)).flat()],
      alternative,
    );
  }
  await rejectInputAsOutput(body.input, [...paths, ...thumbnails.flat()], alternative);
}

function resolvedRequest(
  request: Readonly<Record<string, unknown>>,
  destinations: OutputDestinations,
): Promise<ResolvedRequest> {
  return withValidation(request, () => assignDestinations(request, destinations));
}

function rejectCollisions(runs: readonly PreparedRun[], names: readonly string[], cwd: string): void {
  const toAbsolute = (path: string) => (isUrl(path) ? path : resolve(cwd, path));
  // Inputs that could not be prepared count as well.
  const inputs = new Map(names.filter((name) => !isUrl(name)).map((name) => [resolve(cwd, name), name]));
  for (const { name, resolvedRequest } of runs) {
    const path = localPathOf(resolvedRequest.body.input);
    if (path !== null) inputs.set(path, name);
  }
  const owners = new Map<string, string>();
  for (const { name, resolvedRequest } of runs) {
    for (const path of [...resolvedRequest.paths, ...resolvedRequest.thumbnails.flat()]) {
      const input = inputs.get(toAbsolute(path));
      const other = owners.get(toAbsolute(path));
      owners.set(toAbsolute(path), name);
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
