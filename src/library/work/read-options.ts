import { VencError } from '../../shared/errors.js';
import { jobTable, outputTable } from '../../shared/settings/index.js';
import { nestedSettings } from '../../shared/settings/kinds/groups.js';
import type { SettingsTable } from '../../shared/settings/setting.js';
import { canonicalName, spellingsOf } from '../../shared/settings/spellings.js';
import { memoizeByKey } from '../../shared/util/collections.js';
import { isObject } from '../../shared/util/is-object.js';

type Fields = Readonly<Record<string, unknown>>;

/** The options of `encode`, with the names of the service. */
export interface ReadOptions {
  /** The settings of the job. */
  readonly job: Fields;
  readonly outputs: readonly ReadOutput[];
  readonly overwrite: boolean;
  readonly allowPrivateNetwork: boolean;
  readonly concurrency: number;
  /** The name of a field as the caller wrote it, for that of the service (`outputs[0].video_bitrate`). */
  readonly fieldOf: (field: string) => string;
}

/** One output: its settings, and where it goes, which may be anything yet. */
interface ReadOutput {
  readonly settings: Fields;
  readonly destination: unknown;
  /** The option that names the destination. */
  readonly field: string;
}

/** The error of an option. The message begins with its name. */
export function optionError(field: string, rule: string, hint?: string): VencError {
  return new VencError('InvalidRequestError', `${field} ${rule}.`, {
    field,
    ...(hint === undefined ? {} : { hint }),
  });
}

/** What to do about a destination that is missing or no destination. */
export const destinationHint = 'name the destination: a path, a URL or a stream';

/** The options that are no settings. */
const ownNames = ['output', 'outputs', 'overwrite', 'allow_private_network', 'concurrency'] as const;
type OwnName = (typeof ownNames)[number];

/** Settings of a request that have no place here, and what to do. */
const elsewhere: Readonly<Record<string, readonly [string, string]>> = {
  input: ['is not an option', 'the input is the first argument'],
  url: ['is not an option of encode', 'output names the destination: a path, a URL or a stream'],
  base_url: ['is not an option of encode', 'output names the destination: a path, a URL or a stream'],
  filename: ['is not an option of encode', 'output names the destination: a path, a URL or a stream'],
  notifications: ['needs the daemon', 'await the result, or submit a job to a service'],
  mock: ['needs the daemon', 'plan() shows what would be done'],
};

/**
 * Whether a name in flat options is that of a setting of the output. Settings that a job has as well are, except for
 * `strict`, and unknown names.
 */
const isOfOutput = (name: string) => {
  const isOfJob = Object.hasOwn(jobTable, canonicalName(jobTable, name));
  return name !== 'strict' && (!isOfJob || Object.hasOwn(outputTable, canonicalName(outputTable, name)));
};

/** How deep options are read. */
const maxDepth = 20;

/** Reads the options of `encode` and `plan`. Throws `InvalidRequestError`, with the name of the option. */
export function readEncodeOptions(options: unknown): ReadOptions {
  if (!isObject(options)) throw optionError('options', 'must be an object');
  const reader = new OptionReader();
  const { own, settings } = reader.readOutput(options, '', { ...jobTable, ...outputTable }, ownNames);
  const entries = Object.entries(settings);
  const job = Object.fromEntries(entries.filter(([name]) => !isOfOutput(name)));
  const flat = Object.fromEntries(entries.filter(([name]) => isOfOutput(name)));
  const outputs = own.outputs === undefined ? null : reader.readOutputs(own.outputs);
  if (outputs !== null && own.output !== undefined)
    throw optionError('output', 'cannot be combined with outputs', 'put it into outputs');
  const [stray] = outputs === null ? [] : Object.keys(flat);
  if (stray !== undefined)
    throw optionError(
      reader.given(stray),
      'belongs to an output, and there are several',
      `put it into each of outputs: outputs: [{ output: 'a.mp4', ${reader.given(stray)}: ... }]`,
    );
  if (outputs === null) reader.flatten();
  return {
    job,
    outputs: outputs ?? [{ settings: flat, destination: own.output, field: 'output' }],
    overwrite: readBoolean(own.overwrite, 'overwrite'),
    allowPrivateNetwork: readBoolean(own.allow_private_network, reader.given('allow_private_network')),
    concurrency: readCount(own.concurrency),
    fieldOf: (field) => reader.given(field),
  };
}

/** Reads settings in a table, such as those of a set of thumbnails, and the options that are `own`. */
export function readSettings(
  options: unknown,
  table: SettingsTable,
  own: readonly string[],
): { readonly own: Fields; readonly settings: Fields; readonly fieldOf: (field: string) => string } {
  if (!isObject(options)) throw optionError('options', 'must be an object');
  const reader = new OptionReader();
  const read = reader.readOutput(options, '', table, own);
  return { ...read, fieldOf: (field) => reader.given(field) };
}

/** The path or address of a destination that is no stream; null if there is none. */
export function destinationText(destination: unknown, field: string): string | null {
  if (destination === undefined || destination === null) return null;
  const text = destination instanceof URL ? destination.href : destination;
  if (typeof text === 'string' && text !== '') return text;
  throw optionError(field, 'is no destination', destinationHint);
}

/** Reads an option that is true or false; false if it is omitted. */
export function readBoolean(value: unknown, field: string): boolean {
  if (value === undefined || value === null) return false;
  if (typeof value !== 'boolean') throw optionError(field, 'must be true or false');
  return value;
}

function readCount(value: unknown): number {
  if (value === undefined || value === null) return Number.POSITIVE_INFINITY;
  if (typeof value !== 'number' || !Number.isInteger(value) || value < 1)
    throw optionError('concurrency', 'must be a whole number from 1');
  return value;
}

/** The name in camel case: `videoBitrate` for `video_bitrate`. */
function camelCase(name: string): string {
  return name.replace(/_+([a-z0-9])/gi, (_, letter: string) => letter.toUpperCase());
}

/** The names of a table, and their other spellings, by their camel case. */
const camelNames = memoizeByKey(
  (table: SettingsTable) =>
    new Map(
      Object.keys(table).flatMap((name) =>
        spellingsOf(table, name).map((spelling) => [camelCase(spelling), spelling] as const),
      ),
    ),
);

/** Converts the names of options, and remembers those of the caller. */
class OptionReader {
  /** The paths of the caller by those of the service. */
  readonly #given = new Map<string, string>();
  #isFlat = false;

  /** From now on, `outputs[0].width` is `width`. */
  flatten(): void {
    this.#isFlat = true;
  }

  /** The path as the caller wrote it. Parts that are not known remain as they are. */
  given(field: string): string {
    const path = this.#isFlat ? field.replace(/^outputs\[0\]\.?/, '') : field;
    for (let end = path.length; end > 0; end = path.slice(0, end).search(/[.[][^.[]*$/)) {
      const known = this.#given.get(path.slice(0, end));
      if (known !== undefined) return known + path.slice(end);
    }
    return path === '' ? 'output' : path;
  }

  /** The settings of an output or a job, apart from the options of the library. */
  readOutput(
    options: Fields,
    path: string,
    table: SettingsTable,
    own: readonly string[],
  ): { readonly own: { readonly [Name in OwnName]?: unknown }; readonly settings: Fields } {
    const ownFields: Record<string, unknown> = {};
    const settings: Record<string, unknown> = {};
    for (const [name, given, value] of this.#named(options, path, table, own)) {
      const [rule, hint] = Object.hasOwn(elsewhere, name) ? (elsewhere[name] ?? []) : [];
      if (rule !== undefined && !own.includes(name)) throw optionError(given, rule, hint);
      if (own.includes(name)) ownFields[name] = value;
      else settings[name] = this.#convert(value, joinPath(path, name), given, nestedOf(table, name));
    }
    return { own: ownFields, settings };
  }

  /** The entries of `outputs`. */
  readOutputs(value: unknown): readonly ReadOutput[] {
    if (!Array.isArray(value) || value.length === 0)
      throw optionError('outputs', 'must be a list of objects', "such as [{ output: 'a.mp4', width: 640 }]");
    return value.map((one: unknown, index) => {
      const path = `outputs[${index}]`;
      if (!isObject(one)) throw optionError(path, 'must be an object');
      const { own, settings } = this.readOutput(one, path, outputTable, ['output']);
      return { settings, destination: own.output, field: `${path}.output` };
    });
  }

  /** The fields of an object: the name of the service, the path of the caller, and the value. */
  #named(
    object: Fields,
    path: string,
    table: SettingsTable,
    own: readonly string[] = [],
  ): readonly (readonly [string, string, unknown])[] {
    const seen = new Map<string, readonly [string, unknown]>();
    const fields: (readonly [string, string, unknown])[] = [];
    for (const [givenName, value] of Object.entries(object)) {
      if (value === undefined) continue;
      const snake = own.find((one) => camelCase(one) === givenName);
      const name = snake ?? camelNames(table).get(givenName) ?? givenName;
      const given = joinPath(this.#given.get(path) ?? path, givenName);
      const canonical = canonicalName(table, name);
      const other = seen.get(canonical);
      if (other !== undefined) {
        if (!isSame(other[1], value))
          throw optionError(given, `has another value than ${other[0]}, which is the same option`);
        continue;
      }
      seen.set(canonical, [given, value]);
      this.#given.set(joinPath(path, name), given);
      this.#given.set(joinPath(path, canonical), given);
      // The service has the destination in `url`.
      if (name === 'output' && own.includes(name)) this.#given.set(joinPath(path, 'url'), given);
      fields.push([name, given, value]);
    }
    return fields;
  }

  /** A value with the names of the service. Throws for values that no request can have. */
  #convert(value: unknown, path: string, given: string, table: SettingsTable, depth = 0): unknown {
    if (depth > maxDepth) throw optionError(given, 'is nested too deeply');
    if (value instanceof URL) return value.href;
    if (Array.isArray(value))
      return value.map((item: unknown, index) => {
        const itemPath = `${path}[${index}]`;
        this.#given.set(itemPath, `${given}[${index}]`);
        return this.#convert(item, itemPath, `${given}[${index}]`, table, depth + 1);
      });
    if (isPlain(value)) {
      const entries = this.#named(value, path, table).map(([name, itsGiven, one]) => [
        name,
        this.#convert(one, joinPath(path, name), itsGiven, nestedOf(table, name), depth + 1),
      ]);
      return Object.fromEntries(entries);
    }
    if (value === null || ['string', 'number', 'boolean'].includes(typeof value)) return value;
    throw optionError(given, 'must be text, a number, true or false, a list or an object');
  }
}

function joinPath(path: string, name: string): string {
  return path === '' ? name : `${path}.${name}`;
}

function nestedOf(table: SettingsTable, name: string): SettingsTable {
  const canonical = canonicalName(table, name);
  const setting = Object.hasOwn(table, canonical) ? table[canonical] : undefined;
  return setting === undefined ? {} : nestedSettings(setting);
}

function isPlain(value: unknown): value is Fields {
  if (!isObject(value)) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  // Objects of another realm, such as those of a test runner, have another prototype of the same kind.
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}

function isSame(one: unknown, other: unknown): boolean {
  return one === other || (typeof one === 'object' && JSON.stringify(one) === JSON.stringify(other));
}
