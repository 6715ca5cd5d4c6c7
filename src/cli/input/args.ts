import type { Command, Option } from 'commander';
import { VencError } from '../../shared/errors.js';

/** Maximum id that is exact as a number; other services may exceed 2^31. */
const maxId = Number.MAX_SAFE_INTEGER;

/** Parses an id. Throws `UsageError` unless the argument is a whole number above 0. */
export function parseId(arg: string): number {
  const id = /^\d{1,16}$/.test(arg) ? Number(arg) : 0;
  if (id >= 1 && id <= maxId) return id;
  throw new VencError('UsageError', `"${arg}" is not an id: ids are whole numbers, for example 123.`, {
    hint: 'venc list shows the ids of jobs, venc show ID those of its input and outputs; @last is the newest job',
  });
}

/** Collects the values of a repeatable option. */
export function collectValues(arg: string, before: readonly string[] = []): readonly string[] {
  return [...before, arg];
}

/** The options of a command and of its parents. */
export function optionsAt(command: Command): readonly Option[] {
  return [...command.options, ...(command.parent === null ? [] : optionsAt(command.parent))];
}

/** The name of an option in messages, e.g. `--state`. */
export function nameOf({ long, flags }: Option): string {
  return long ?? flags;
}

/** The value of an option as its help shows it, e.g. `<state>`. */
export function argumentOf({ flags }: Option): string {
  return /[<[].*$/.exec(flags)?.[0] ?? 'a value';
}

/**
 * The arguments with the values of flags joined to them that may be `auto`, or have no value. Commander takes any next
 * argument for the value, and that may be the input: `--copy-video film.mkv`.
 */
export function withJoinedAuto(args: readonly string[], { options }: Command): readonly string[] {
  const end = args.includes('--') ? args.indexOf('--') : args.length;
  const flags = options.filter(({ flags }) => flags.endsWith('[auto]')).map(nameOf);
  const mayHaveValue = (index: number) => index < end && flags.includes(args[index] ?? '');
  const isValue = (arg = '') => ['auto', 'true', 'false'].includes(arg);
  return args.flatMap((arg, index) => {
    const next = args[index + 1];
    // An empty value is an error, as of `--copy-video "$COPY"` if the variable is not set.
    if (mayHaveValue(index) && next !== '') return [`${arg}=${isValue(next) ? next : 'true'}`];
    return isValue(arg) && mayHaveValue(index - 1) ? [] : [arg];
  });
}

/** Throws `UsageError` for flags with an empty value, such as `--host "$HOST"` if the variable is not set. */
export function rejectEmptyValues(command: Command): void {
  const values = command.optsWithGlobals<Readonly<Record<string, unknown>>>();
  for (const option of optionsAt(command)) {
    const value = values[option.attributeName()];
    if (value !== '' && !(Array.isArray(value) && value.includes(''))) continue;
    throw new VencError('UsageError', `${nameOf(option)} takes ${argumentOf(option)}, not an empty string.`);
  }
}

/** The section `Examples` of a help page, one command per line. */
export function formatExamples(...lines: readonly string[]): string {
  return `\nExamples:\n${lines.map((line) => `  ${line}`).join('\n')}`;
}
