import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { VencError } from '../shared/errors.js';
import { diskReason, systemCode } from '../shared/util/system-code.js';
import { changeFile } from './change-file.js';
import { parseFile } from './config.js';
import { type Environment, userFolders } from './folders.js';

/** A service that has a name here. */
export interface NamedTarget {
  readonly name: string;
  readonly url: string;
  readonly apiKey: string;
  /** The service accepts the key of GET, cancel and resubmit only in the query. */
  readonly isKeyInQuery: boolean;
}

/** The name that always stands for the daemon of this machine. */
export const localTarget = 'local';

const fileName = 'targets';

/** Where the named services lie. Only their owner may read the file, as their keys are in it. */
function targetsPath(env: Environment): string {
  return join(userFolders(env).config, `${fileName}.json`);
}

/** The named services, by their names. Rejects with `UsageError` where the file is there and cannot be read. */
export async function readTargets(env: Environment): Promise<readonly NamedTarget[]> {
  const path = targetsPath(env);
  try {
    return Object.entries(parseFile(await readFile(path, 'utf8')))
      .flatMap(([name, value]) => targetOf(name, value) ?? [])
      .sort((a, b) => (a.name < b.name ? -1 : 1));
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return [];
    throw new VencError(
      'UsageError',
      `The targets in ${path} cannot be read: ${diskReason(error, 'read')}.`,
      {
        cause: error,
        hint: 'repair the file, or remove it and add the targets again',
      },
    );
  }
}

/** Keeps a service under its name. Gives the file that a broken one was set aside to, or null. */
export async function saveTarget(
  env: Environment,
  { name, url, apiKey }: Omit<NamedTarget, 'isKeyInQuery'>,
): Promise<string | null> {
  return changeFile(userFolders(env).config, fileName, (store) => store.set(name, { url, key: apiKey }));
}

/**
 * Keeps with a target that its service accepts the key only in the query, unless the target was changed in the meantime. Never rejects:
 * where the file cannot be written, the next command finds it out again.
 */
export async function saveKeyInQuery(env: Environment, { name, url, apiKey }: NamedTarget): Promise<void> {
  await changeFile(userFolders(env).config, fileName, (store) => {
    const saved = targetOf(name, store.get(name));
    if (saved?.url === url && saved.apiKey === apiKey)
      store.set(name, { url, key: apiKey, key_in_query: true });
  }).catch(() => {});
}

/** Forgets a service. */
export async function removeTarget(env: Environment, name: string): Promise<void> {
  await changeFile(userFolders(env).config, fileName, (store) => store.delete(name));
}

function targetOf(name: string, value: unknown): NamedTarget | null {
  if (typeof value !== 'object' || value === null) return null;
  const { url, key, key_in_query: keyInQuery } = Object.fromEntries(Object.entries(value));
  if (typeof url !== 'string' || typeof key !== 'string') return null;
  return { name, url, apiKey: key, isKeyInQuery: keyInQuery === true };
}
