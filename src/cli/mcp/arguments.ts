import { VencError } from '../../shared/errors.js';
import { isObject } from '../../shared/util/is-object.js';

type Fields = Readonly<Record<string, unknown>>;

/** The arguments of a call, checked. Throws `UsageError` for others than `names`. */
export function readArguments(args: Fields, names: readonly string[]): Fields {
  const unknown = Object.keys(args).find((name) => !names.includes(name));
  if (unknown === undefined) return args;
  throw new VencError('UsageError', `${JSON.stringify(unknown.slice(0, 64))} is not an argument.`, {
    hint: `the arguments are ${names.join(', ')}; settings of the file belong into settings`,
  });
}

/** A required text. */
export function readText(args: Fields, name: string): string {
  const value = args[name];
  if (typeof value === 'string' && value !== '') return value;
  throw new VencError('UsageError', `${name} must be a text that is not empty.`);
}

/** A text that may be omitted. */
export function readOptionalText(args: Fields, name: string): string | undefined {
  return args[name] === undefined || args[name] === null ? undefined : readText(args, name);
}

/** An object that may be omitted. */
export function readFields(args: Fields, name: string): Fields {
  const value = args[name] ?? {};
  if (isObject(value)) return value;
  throw new VencError('UsageError', `${name} must be an object.`);
}

/** True or false, or omitted. */
export function readFlag(args: Fields, name: string): boolean {
  const value = args[name] ?? false;
  if (typeof value === 'boolean') return value;
  throw new VencError('UsageError', `${name} must be true or false.`);
}
