import { access } from 'node:fs/promises';
import { join } from 'node:path';
import { type Environment, userFolders } from './folders.js';

/** Names of what can be configured; each is the name of the flag it stands for, but `url`, which is `VENC_URL`. */
export const configKeys = ['ffmpeg', 'ffprobe', 'data', 'url'] as const;

/** One of {@link configKeys}. */
export type ConfigKey = (typeof configKeys)[number];

/** What the user has configured; keys that are not configured are absent. */
export type Config = { readonly [Key in ConfigKey]?: string };

/** A configuration as it was found. */
export interface FoundConfig {
  readonly config: Config;
  /** What was wrong with the file, one sentence each; what is wrong is left out. */
  readonly complaints: readonly string[];
}

const fileName = 'config';

/** Where the configuration file is looked for. */
export function configPath(env: Environment): string {
  return join(userFolders(env).config, `${fileName}.json`);
}

/**
 * Reads the configuration file, if there is one. Never rejects: a broken file is complained of and counts as empty.
 * conf takes longer to load than a whole `venc list`, so it is loaded only where there is something for it to read.
 */
export async function readConfig(env: Environment): Promise<FoundConfig> {
  const path = configPath(env);
  const exists = await access(path).then(
    () => true,
    () => false,
  );
  if (!exists) return { config: {}, complaints: [] };
  try {
    const { default: Conf } = await import('conf');
    const store = new Conf({ cwd: userFolders(env).config, configName: fileName });
    return sortOut(path, store.store);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    return { config: {}, complaints: [`The configuration file ${path} was ignored: ${reason}`] };
  }
}

function sortOut(path: string, found: Readonly<Record<string, unknown>>): FoundConfig {
  const config: { [Key in ConfigKey]?: string } = {};
  const complaints: string[] = [];
  for (const [key, value] of Object.entries(found)) {
    const known = configKeys.find((name) => name === key);
    if (known === undefined) complaints.push(`The configuration file ${path} has an unknown key: ${key}.`);
    else if (typeof value !== 'string' || value === '') {
      complaints.push(`${key} in the configuration file ${path} must be a text that is not empty.`);
    } else config[known] = value;
  }
  return { config, complaints };
}
