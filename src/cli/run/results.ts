import { isVencError } from '../../shared/errors.js';
import type { JobRecord } from '../../shared/records.js';
import { withoutPassword } from '../../shared/redact.js';
import { jsonText } from '../../shared/text/safe-text.js';
import { isUrl } from '../../shared/text/url-text.js';
import { type BatchFailure, failureReason } from '../output/batch-text.js';
import { failureOf } from '../output/progress-text.js';
import type { Io } from '../terminal/io.js';

/** What is printed about an input. */
interface Result {
  readonly input: string;
  readonly state: string;
  readonly error_class: string | null;
  readonly error_message: string | null;
  /** The warnings about the request and about the outputs. */
  readonly warnings: readonly string[];
  readonly outputs: JobRecord['output_media_files'];
  /** Absent if no job was created. */
  readonly job?: JobRecord;
}

/** The results of `venc run` as JSON: a line for each input as it ends, or one array at the end. */
export interface Results {
  /** Adds an input with its job. `warnings` are those about its request. */
  readonly add: (name: string, job: JobRecord, warnings: readonly string[]) => Promise<void>;
  /** Adds the error of an input that has no job. Errors of the program are ignored. */
  readonly addError: (name: string, error: unknown) => Promise<void>;
  /** Adds an input whose outputs are there already. */
  readonly addSkipped: (name: string) => Promise<void>;
  /** The inputs that failed so far. */
  readonly failures: () => readonly BatchFailure[];
  /** Prints the array, in the order of the inputs. */
  readonly end: (names: readonly string[]) => Promise<void>;
}

/** Creates the results of a run. Nothing is printed without `json` or `jsonl`. */
export function createResults(
  io: Pick<Io, 'writeStdout'>,
  { json = false, jsonl = false }: { readonly json?: boolean; readonly jsonl?: boolean },
): Results {
  const found: { readonly name: string; readonly result: Result }[] = [];
  const add = async (name: string, facts: Omit<Result, 'input'>) => {
    const result = { input: isUrl(name) ? withoutPassword(name) : name, ...facts };
    found.push({ name, result });
    if (jsonl) await io.writeStdout(`${jsonText(result)}\n`);
  };
  return {
    add: (name, job, warnings) => {
      const { state, output_media_files: outputs } = job;
      const all = [...warnings, ...outputs.flatMap((output) => output.warnings ?? [])];
      return add(name, { state, ...failureOf(job), warnings: all, outputs, job });
    },
    addError: async (name, error) => {
      if (!isVencError(error)) return;
      const failure = { error_class: error.errorClass, error_message: error.message };
      await add(name, { state: 'failed', ...failure, warnings: [], outputs: [] });
    },
    addSkipped: (name) =>
      add(name, { state: 'skipped', error_class: null, error_message: null, warnings: [], outputs: [] }),
    failures: () =>
      found.flatMap(({ name, result }) =>
        result.state === 'failed' ? [{ name, reason: failureReason(result) }] : [],
      ),
    end: async (names) => {
      if (!json) return;
      const sorted = found.toSorted((one, other) => names.indexOf(one.name) - names.indexOf(other.name));
      await io.writeStdout(
        `${jsonText(
          sorted.map(({ result }) => result),
          2,
        )}\n`,
      );
    },
  };
}
