import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isVencError } from '../shared/errors.js';
import { findSuggestions } from '../shared/text/suggestions.js';
import { isObject } from '../shared/util/is-object.js';
import { diskReason, systemCode } from '../shared/util/system-code.js';
import { type DaemonFlag, type DaemonFlagName, daemonFlags } from './daemon-flags.js';
import { type Environment, userFolders } from './folders.js';

/** One key of the configuration. */
interface ConfigEntry {
  readonly help: string;
  /** The allowed values; null if it is not a choice. */
  readonly choices: readonly string[] | null;
  /** The environment variable that overrides it; null if there is none. */
  readonly variable: string | null;
  /**
   * Parses a value. Throws `UsageError` for an invalid one, with a message that begins with the name of the flag.
   * Null if any text is valid.
   */
  readonly read: ((text: string) => unknown) | null;
}

const generalTable = {
  ffmpeg: text('path of ffmpeg', 'VENC_FFMPEG'),
  ffprobe: text('path of ffprobe', 'VENC_FFPROBE'),
  data: text('data folder of the local daemon', 'VENC_DATA'),
  target: text('the service to use, by its name in venc target list', 'VENC_TARGET'),
  url: text('URL of a service whose key is in VENC_API_KEY', 'VENC_URL'),
  progress: choice('how progress is shown', ['auto', 'tty', 'plain', 'json', 'none']),
  color: choice('whether to use colours on a terminal', ['auto', 'never']),
} as const;

/** A key that applies to every command. */
type GeneralKey = keyof typeof generalTable;

/**
 * The name of a key. Each key is the name of the corresponding flag, except `url`, which corresponds to `VENC_URL`.
 */
export type ConfigKey = GeneralKey | DaemonFlagName;

/** All keys: those that apply to every command, and those of `venc daemon`. */
export const configTable: Readonly<Record<ConfigKey, ConfigEntry>> = { ...generalTable, ...daemonTable() };

const unsetDescriptions: { readonly [Key in ConfigKey]?: string } = {
  ffmpeg: 'the first one that venc doctor finds',
  ffprobe: 'the first one that venc doctor finds',
  target: 'local',
  url: 'none',
  progress: 'auto',
  color: 'auto',
  jobs: 'one per two cores',
  'files-root': 'none',
  'allow-private-network': 'false',
  'public-url': 'the URL of the request',
  'ui-host': 'none',
  'ui-user-header': 'none',
  'trust-proxy': 'none',
  hosted: 'the data folder',
  'output-dir': 'none',
  database: 'the data folder',
  'min-free': '1GB, at most 5 % of the disk',
  'rate-limit': 'unlimited',
  'max-encode-time': 'unlimited',
  'max-input-duration': 'unlimited',
  'max-output-size': 'the free space',
  'max-encode-memory': 'half of the memory of the machine, divided by jobs, within limits',
  'encode-threads': 'all processors',
  'io-idle': 'false',
  hours: 'always',
  'when-idle': 'always',
  sendmail: 'none',
  'keep-days': 'all',
  'keep-jobs': 'all',
};

/** The default of a key, as shown to users. */
export function defaultOf(key: ConfigKey, env: Environment): string {
  if (key === 'data') return userFolders(env).data;
  const flag: DaemonFlag | undefined = Object.entries<DaemonFlag>(daemonFlags).find(
    ([name]) => name === key,
  )?.[1];
  const { value, text: shown } = flag?.fallback ?? {};
  return shown ?? (value === undefined ? (unsetDescriptions[key] ?? '') : String(value));
}

// Object.keys loses the type of the keys.
/** The keys, in the order of the table. */
export const configKeys = Object.keys(configTable) as readonly ConfigKey[];

/** The configuration of the user; keys that are not configured are absent. */
export type Config = {
  readonly [Key in GeneralKey]?: (typeof generalTable)[Key]['choices'] extends readonly (infer Word)[]
    ? Word
    : string;
} & { readonly [Key in DaemonFlagName]?: string };

/** The result of reading the configuration file. */
interface LoadedConfig {
  readonly config: Config;
  /** Problems of the file, one sentence each. Invalid values are ignored. */
  readonly warnings: readonly string[];
}

/** The name of the configuration file, without its extension. */
export const configName = 'config';

/** The path of the configuration file. */
export function configPath(env: Environment): string {
  return join(userFolders(env).config, `${configName}.json`);
}

/**
 * Reads the configuration file, if there is one. Never rejects: a broken file gives a warning and counts as empty.
 * Does not use conf, which writes the file: loading conf takes longer than a whole `venc list`.
 */
export async function readConfig(env: Environment): Promise<LoadedConfig> {
  const path = configPath(env);
  let text: string;
  try {
    text = await readFile(path, 'utf8');
  } catch (error) {
    const isMissing = ['ENOENT', 'ENOTDIR'].includes(systemCode(error) ?? '');
    return { config: {}, warnings: isMissing ? [] : [ignoredWarning(path, error)] };
  }
  try {
    return validateEntries(path, parseFile(text));
  } catch (error) {
    return { config: {}, warnings: [ignoredWarning(path, error)] };
  }
}

/**
 * Validates a value. Returns the rule that it violates, as the end of a sentence that begins with the key; null if it
 * is valid.
 */
export function findConfigViolation(key: ConfigKey, value: unknown): string | null {
  if (typeof value !== 'string' || value === '') return 'must be a non-empty string';
  const { choices, read } = configTable[key];
  if (choices !== null && !choices.includes(value)) return `must be ${choices.join(', ')}`;
  try {
    read?.(value);
    return null;
  } catch (error) {
    if (!isVencError(error, 'UsageError')) throw error;
    return error.message.replace(/^--\S+ |\.$/g, '');
  }
}

function text(help: string, variable: string) {
  return { help, choices: null, variable, read: null } as const;
}

function choice<const Words extends readonly string[]>(help: string, choices: Words) {
  return { help, choices, variable: null, read: null } as const;
}

function daemonTable(): Readonly<Record<DaemonFlagName, ConfigEntry>> {
  const entries = Object.entries<DaemonFlag>(daemonFlags).map(([name, { help, read, variable = null }]) => {
    const choices = 'choices' in read && Array.isArray(read.choices) ? read.choices.map(String) : null;
    return [name, { help, choices, variable, read }] as const;
  });
  // The keys are those of daemonFlags, but Object.entries loses their type.
  return Object.fromEntries(entries) as Record<DaemonFlagName, ConfigEntry>;
}

function ignoredWarning(path: string, error: unknown): string {
  return `The configuration file ${path} was ignored: ${diskReason(error, 'read')}.`;
}

function validateEntries(path: string, found: Readonly<Record<string, unknown>>): LoadedConfig {
  const config: { [key: string]: unknown } = {};
  const warnings: string[] = [];
  for (const [key, rawValue] of Object.entries(found)) {
    const known = configKeys.find((name) => name === key);
    const value = known === undefined ? rawValue : plainValue(known, rawValue);
    const rule = known === undefined ? null : findConfigViolation(known, value);
    if (known === undefined) warnings.push(unknownKeyWarning(path, key));
    else if (rule === null) config[known] = value;
    else warnings.push(`${key} in the configuration file ${path} ${rule}; ${ignoredText(known)}.`);
  }
  // Every value matches the rule of its key, but the compiler cannot infer that.
  return { config: config as Config, warnings };
}

/** Users who edit the file may write `"port": 8080`. */
function plainValue(key: ConfigKey, value: unknown): unknown {
  const isPlain = typeof value === 'number' || typeof value === 'boolean';
  return isPlain && configTable[key].read !== null ? String(value) : value;
}

function unknownKeyWarning(path: string, key: string): string {
  const suggestions = findSuggestions(key, configKeys);
  const hint = suggestions.length === 0 ? '' : `; did you mean ${suggestions.join(', ')}?`;
  return `The configuration file ${path} has the unknown key ${key}, which is ignored${hint === '' ? '.' : hint}`;
}

/** The end of a warning about an invalid value. The default of the data folder is not constant. */
function ignoredText(key: ConfigKey): string {
  const value = key === 'data' ? '' : defaultOf(key, {});
  return value === '' ? 'it is ignored' : `it is ignored, and the default is used: ${value}`;
}

/**
 * Parses the text of a configuration file, which is a JSON object. An empty file gives an empty object. The messages
 * of errors never repeat the text.
 */
export function parseFile(text: string): Readonly<Record<string, unknown>> {
  const plain = text.replace(/^\uFEFF/, '');
  if (plain.trim() === '') return {};
  const value = parsed(plain);
  if (isObject(value)) return { ...value };
  throw new Error('it is not a JSON object.');
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // The message of the parser repeats a part of the text, which may be secret.
    throw new Error('it is not valid JSON.');
  }
}
