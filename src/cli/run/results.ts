import { isVencError, type VencError } from '../../shared/errors.js';
import type { JobRecord } from '../../shared/records.js';
import { withoutPassword } from '../../shared/redact.js';
import { jsonText } from '../../shared/text/safe-text.js';
import { isUrl } from '../../shared/text/url-text.js';
import type { Io } from '../terminal/io.js';

/** What is printed about an input: its job, or why there is none. */
type Result =
  | { readonly job: JobRecord }
  | Readonly<Record<'input' | 'error_class' | 'error_message', string>>;

/** The results of `venc run` as JSON: a line for each input as it ends, or one array at the end. */
export interface Results {
  readonly add: (name: string, job: JobRecord) => Promise<void>;
  /** Adds the error of an input that has no job. Errors of the program are ignored. */
  readonly addError: (name: string, error: unknown) => Promise<void>;
  /** Prints the array, in the order of the inputs. */
  readonly end: (names: readonly string[]) => Promise<void>;
}

/** Creates the results of a run. Nothing is printed without `json` or `jsonl`. */
export function createResults(
  io: Pick<Io, 'writeStdout'>,
  { json = false, jsonl = false }: { readonly json?: boolean; readonly jsonl?: boolean },
): Results {
  const found: { readonly name: string; readonly result: Result }[] = [];
  const add = async (name: string, result: Result) => {
    found.push({ name, result });
    if (jsonl) await io.writeStdout(`${jsonText(result)}\n`);
  };
  return {
    add: (name, job) => add(name, { job }),
    addError: async (name, error) => {
      if (isVencError(error)) await add(name, failureOf(name, error));
    },
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

function failureOf(name: string, { errorClass, message }: VencError): Result {
  return {
    input: isUrl(name) ? withoutPassword(name) : name,
    error_class: errorClass,
    error_message: message,
  };
}
