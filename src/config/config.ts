import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Environment, userFolders } from './folders.js';
import { parseFile } from './parse-file.js';

/** What can be configured, and the words that it may be where these are few; each key is the name of the flag it stands for, but `url`, which is `VENC_URL`. */
export const configTable = {
  ffmpeg: { help: 'the ffmpeg to use', choices: null },
  ffprobe: { help: 'the ffprobe to use', choices: null },
  data: { help: 'data folder of the local daemon', choices: null },
  target: { help: 'the service to talk to, by its name in venc target list', choices: null },
  url: { help: 'address of a service whose key is in VENC_API_KEY', choices: null },
  progress: { help: 'how progress is shown', choices: ['auto', 'tty', 'plain', 'json', 'none'] },
  color: { help: 'whether there are colours on a terminal', choices: ['auto', 'never'] },
} as const satisfies Readonly<
  Record<string, { readonly help: string; readonly choices: readonly string[] | null }>
>;

/** A key of {@link configTable}. */
export type ConfigKey = keyof typeof configTable;

/** The keys, in the order of the table. */
export const configKeys: readonly ConfigKey[] = [
  'ffmpeg',
  'ffprobe',
  'data',
  'target',
  'url',
  'progress',
  'color',
];

/** What the user has configured; keys that are not configured are absent. */
export type Config = {
  readonly [Key in ConfigKey]?: (typeof configTable)[Key]['choices'] extends readonly (infer Word)[]
    ? Word
    : string;
};

/** A configuration as it was found. */
export interface FoundConfig {
  readonly config: Config;
  /** What was wrong with the file, one sentence each; what is wrong is left out. */
  readonly complaints: readonly string[];
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
export async function readConfig(env: Environment): Promise<FoundConfig> {
  const path = configPath(env);
  let text: string;
  try {
    text = await readFile(path, 'utf8');
  } catch (error) {
    const isMissing =
      error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ENOTDIR');
    return { config: {}, complaints: isMissing ? [] : [ignored(path, error)] };
  }
  try {
    return sortOut(path, parseFile(text));
  } catch (error) {
    return { config: {}, complaints: [ignored(path, error)] };
  }
}

/** The rule that a value breaks, as the end of a sentence that begins with the key; null for a good one. */
export function brokenConfigRule(key: ConfigKey, value: unknown): string | null {
  if (typeof value !== 'string' || value === '') return 'must be a text that is not empty';
  const choices: readonly string[] | null = configTable[key].choices;
  return choices === null || choices.includes(value) ? null : `must be ${choices.join(', ')}`;
}

function ignored(path: string, error: unknown): string {
  return `The configuration file ${path} was ignored: ${error instanceof Error ? error.message : String(error)}`;
}

function sortOut(path: string, found: Readonly<Record<string, unknown>>): FoundConfig {
  const config: { [key: string]: unknown } = {};
  const complaints: string[] = [];
  for (const [key, value] of Object.entries(found)) {
    const known = configKeys.find((name) => name === key);
    const rule = known === undefined ? null : brokenConfigRule(known, value);
    if (known === undefined) complaints.push(`The configuration file ${path} has an unknown key: ${key}.`);
    else if (rule === null) config[known] = value;
    else complaints.push(`${key} in the configuration file ${path} ${rule}.`);
  }
  // Every value has passed the rule of its key, which the compiler cannot follow.
  return { config: config as Config, complaints };
}
