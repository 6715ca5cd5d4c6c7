import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isVencError } from '../shared/errors.js';
import { findSuggestions } from '../shared/text/suggestions.js';
import { isObject } from '../shared/util/is-object.js';
import { diskReason, systemCode } from '../shared/util/system-code.js';
import { type DaemonFlag, type DaemonFlagName, daemonFlags } from './daemon-flags.js';
import { type Environment, userFolders } from './folders.js';

/** Something that can be configured. */
export interface ConfigEntry {
  readonly help: string;
  /** The words that it may be; null where it is not one of a few. */
  readonly choices: readonly string[] | null;
  /** The environment variable that wins over it; null where there is none. */
  readonly variable: string | null;
  /** Throws `UsageError`, whose message begins with the name of the flag, for a text that is no value of it; null for texts of any kind. */
  readonly read: ((text: string) => unknown) | null;
}

const generalTable = {
  ffmpeg: text('the ffmpeg to use', 'VENC_FFMPEG'),
  ffprobe: text('the ffprobe to use', 'VENC_FFPROBE'),
  data: text('data folder of the local daemon', 'VENC_DATA'),
  target: text('the service to talk to, by its name in venc target list', 'VENC_TARGET'),
  url: text('address of a service whose key is in VENC_API_KEY', 'VENC_URL'),
  progress: choice('how progress is shown', ['auto', 'tty', 'plain', 'json', 'none']),
  color: choice('whether there are colours on a terminal', ['auto', 'never']),
} as const;

/** A key that applies to every command. */
type GeneralKey = keyof typeof generalTable;

/** What can be configured; each key is the name of the flag it stands for, but `url`, which is `VENC_URL`. */
export type ConfigKey = GeneralKey | DaemonFlagName;

/** Every key: those that apply to all commands, and those of `venc daemon`. */
export const configTable: Readonly<Record<ConfigKey, ConfigEntry>> = { ...generalTable, ...daemonTable() };

const unsetDescriptions: { readonly [Key in ConfigKey]?: string } = {
  ffmpeg: 'the first that venc doctor finds',
  ffprobe: 'the first that venc doctor finds',
  target: 'local',
  url: 'none',
  progress: 'auto',
  color: 'auto',
  jobs: 'one for every two cores',
  'files-root': 'none',
  'allow-private-network': 'false',
  'public-url': 'the address of the request',
  'min-free': '1GB, at most 5 % of the disk',
  'rate-limit': 'any number',
};

/** What applies where a key is not configured, as people read it. */
export function defaultOf(key: ConfigKey, env: Environment): string {
  if (key === 'data') return userFolders(env).data;
  const flag: DaemonFlag | undefined = Object.entries<DaemonFlag>(daemonFlags).find(
    ([name]) => name === key,
  )?.[1];
  const { value, text: shown } = flag?.fallback ?? {};
  return shown ?? (value === undefined ? (unsetDescriptions[key] ?? '') : String(value));
}

// Object.keys forgets what the keys are.
/** The keys, in the order of the table. */
export const configKeys = Object.keys(configTable) as readonly ConfigKey[];

/** What the user has configured; keys that are not configured are absent. */
export type Config = {
  readonly [Key in GeneralKey]?: (typeof generalTable)[Key]['choices'] extends readonly (infer Word)[]
    ? Word
    : string;
} & { readonly [Key in DaemonFlagName]?: string };

/** A configuration as it was found. */
export interface LoadedConfig {
  readonly config: Config;
  /** What was wrong with the file, one sentence each; what is wrong is left out. */
  readonly warnings: readonly string[];
}

/** The name of the configuration file, without its extension. */
export const configName = 'config';

/** Where the configuration file is looked for. */
export function configPath(env: Environment): string {
  return join(userFolders(env).config, `${configName}.json`);
}

/**
 * Reads the configuration file, if there is one. Never rejects: a broken file is complained of and counts as empty.
 * conf, which writes it, takes longer to load than a whole `venc list`: to read JSON there is no need of it.
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

/** The rule that a value breaks, as the end of a sentence that begins with the key; null for a good one. */
export function findConfigViolation(key: ConfigKey, value: unknown): string | null {
  if (typeof value !== 'string' || value === '') return 'must be a text that is not empty';
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
  const entries = Object.entries<DaemonFlag>(daemonFlags).map(([name, { help, read }]) => {
    const choices = 'choices' in read && Array.isArray(read.choices) ? read.choices.map(String) : null;
    return [name, { help, choices, variable: null, read }] as const;
  });
  // Its keys are those of daemonFlags, which Object.entries forgets.
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
    else warnings.push(`${key} in the configuration file ${path} ${rule}.`);
  }
  // Every value has passed the rule of its key, which the compiler cannot follow.
  return { config: config as Config, warnings };
}

/** Who writes the file by hand may well write `"port": 8080`. */
function plainValue(key: ConfigKey, value: unknown): unknown {
  const isPlain = typeof value === 'number' || typeof value === 'boolean';
  return isPlain && configTable[key].read !== null ? String(value) : value;
}

function unknownKeyWarning(path: string, key: string): string {
  const suggestions = findSuggestions(key, configKeys);
  const hint = suggestions.length === 0 ? '' : `; did you mean ${suggestions.join(', ')}?`;
  return `The configuration file ${path} has an unknown key: ${key}${hint === '' ? '.' : hint}`;
}

/** The object that the text of a file of ours holds. An empty file holds an empty one. Throws an error whose message repeats nothing of the text. */
export function parseFile(text: string): Readonly<Record<string, unknown>> {
  const plain = text.replace(/^\uFEFF/, '');
  if (plain.trim() === '') return {};
  const value = parsed(plain);
  if (isObject(value)) return { ...value };
  throw new Error('it is no JSON object.');
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // The parser's own message repeats a part of the text, which may be secret.
    throw new Error('it is no valid JSON.');
  }
}
