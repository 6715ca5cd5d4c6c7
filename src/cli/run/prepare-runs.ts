import { resolve } from 'node:path';
import { isVencError, VencError } from '../../shared/errors.js';
import { type ExitCode, exitCodes } from '../../shared/exit-codes.js';
import { isUrl } from '../../shared/text/url-text.js';
import { refuseInput, refuseToOverwrite, refuseUnwritable } from '../destinations/check-destinations.js';
import { withValidation } from '../input/with-settings-errors.js';
import type { Io } from '../terminal/io.js';
import { reportError } from '../terminal/report-error.js';
import { localPathOf, type OutputPlaces, type PlacedRequest, placeFiles } from './run-files.js';

/** One input of `venc run`, ready to be encoded. */
export interface PreparedRun {
  /** The input as it was typed. */
  readonly name: string;
  readonly placed: PlacedRequest;
}

/** What the inputs of `venc run` are prepared with. */
export interface Preparing {
  readonly io: Io;
  readonly places: OutputPlaces;
  readonly isForced: boolean;
  readonly read: (name: string) => Promise<Readonly<Record<string, unknown>>>;
}

/**
 * Reads inputs and decides where their outputs go. The error of one of several inputs is reported, and the others are prepared all the
 * same; `code` is the exit code of the first. Rejects with the error of an only input, and with `UsageError` where an output would be
 * written by two inputs or is an input itself.
 */
export async function prepareRuns(
  names: readonly string[],
  { io, places, isForced, read }: Preparing,
): Promise<{ readonly runs: readonly PreparedRun[]; readonly code: ExitCode }> {
  const runs: PreparedRun[] = [];
  let code: ExitCode = exitCodes.done;
  const failed = (error: unknown, name: string) => {
    if (names.length === 1 || !isVencError(error)) throw error;
    code = reportError(io, error, name, code);
  };
  const all: PreparedRun[] = [];
  for (const name of names) {
    try {
      all.push({ name, placed: await placed(await read(name), places) });
    } catch (error) {
      failed(error, name);
    }
  }
  refuseCollisions(all, names, places.cwd);
  for (const run of all) {
    try {
      await refuseTaken(run.placed, isForced);
      runs.push(run);
    } catch (error) {
      failed(error, run.name);
    }
  }
  return { runs, code };
}

/** Refuses places that one encode cannot be written to. Rejects with `UsageError`. */
export async function refuseTaken(
  { body, paths, thumbnails }: PlacedRequest,
  isForced: boolean,
): Promise<void> {
  await refuseUnwritable(paths);
  if (!isForced) await refuseToOverwrite([...paths, ...thumbnails.flat()]);
  await refuseInput(body.input, [...paths, ...thumbnails.flat()]);
}

function placed(request: Readonly<Record<string, unknown>>, places: OutputPlaces): Promise<PlacedRequest> {
  return withValidation(request, () => placeFiles(request, places));
}

function refuseCollisions(runs: readonly PreparedRun[], names: readonly string[], cwd: string): void {
  const full = (path: string) => (isUrl(path) ? path : resolve(cwd, path));
  // Those that could not be prepared are inputs all the same.
  const inputs = new Map(names.filter((name) => !isUrl(name)).map((name) => [resolve(cwd, name), name]));
  for (const { name, placed } of runs) {
    const path = localPathOf(placed.body.input);
    if (path !== null) inputs.set(path, name);
  }
  const owners = new Map<string, string>();
  for (const { name, placed } of runs) {
    for (const path of [...placed.paths, ...placed.thumbnails.flat()]) {
      const input = inputs.get(full(path));
      const other = owners.get(full(path));
      owners.set(full(path), name);
      if (other === undefined && (input === undefined || input === name)) continue;
      const problem =
        other === undefined
          ? `The output ${path} of ${name} is the input ${input}.`
          : `${other} and ${name} would both be written to ${path}.`;
      throw new VencError('UsageError', `${problem} Nothing was encoded.`, {
        hint: 'encode these files one by one, each with a -o of its own',
      });
    }
  }
}
