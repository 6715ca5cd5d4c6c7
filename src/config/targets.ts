import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { VencError } from '../shared/errors.js';
import { findSuggestions } from '../shared/text/suggestions.js';
import { diskReason, systemCode } from '../shared/util/system-code.js';
import { changeFile } from './change-file.js';
import { parseFile } from './config.js';
import { type Environment, userFolders } from './folders.js';

/** A service with a name on this machine. */
export interface NamedTarget {
  readonly name: string;
  readonly url: string;
  readonly apiKey: string;
  /** The service accepts the key of GET, cancel and resubmit only in the query. */
  readonly isKeyInQuery: boolean;
}

/** The reserved name of the daemon of this machine. */
export const localTarget = 'local';

const fileName = 'targets';

/** The path of the file of named services. Only its owner can read it, because it contains their keys. */
function targetsPath(env: Environment): string {
  return join(userFolders(env).config, `${fileName}.json`);
}

/** The named services, sorted by name. Rejects with `UsageError` if the file exists but cannot be read. */
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
      { cause: error, hint: 'repair the file, or delete it and add the targets again' },
    );
  }
}

/** Saves a service under its name. Resolves to the new path of a broken earlier file, or null. */
export async function saveTarget(
  env: Environment,
  { name, url, apiKey }: Omit<NamedTarget, 'isKeyInQuery'>,
): Promise<string | null> {
  return changeFile(userFolders(env).config, fileName, (store) => store.set(name, { url, key: apiKey }));
}

/**
 * Saves with a target that its service accepts the key only in the query, unless the target has changed in the
 * meantime. Never rejects: if the file cannot be written, the next command detects it again.
 */
async function saveKeyInQuery(env: Environment, { name, url, apiKey }: NamedTarget): Promise<void> {
  await changeFile(userFolders(env).config, fileName, (store) => {
    const saved = targetOf(name, store.get(name));
    if (saved?.url === url && saved.apiKey === apiKey)
      store.set(name, { url, key: apiKey, key_in_query: true });
  }).catch(() => {});
}

/** Removes a service. */
export async function removeTarget(env: Environment, name: string): Promise<void> {
  await changeFile(userFolders(env).config, fileName, (store) => store.delete(name));
}

function targetOf(name: string, value: unknown): NamedTarget | null {
  if (typeof value !== 'object' || value === null) return null;
  const { url, key, key_in_query: keyInQuery } = Object.fromEntries(Object.entries(value));
  if (typeof url !== 'string' || typeof key !== 'string') return null;
  return { name, url, apiKey: key, isKeyInQuery: keyInQuery === true };
}

/** The target with this name, as the client takes it; null for the local daemon. Rejects with `UsageError` if there is no such target. */
export async function findTarget(env: Environment, name: string) {
  if (name === localTarget) return null;
  const targets = await readTargets(env);
  const found = targets.find((target) => target.name === name);
  if (found === undefined) throw unknownTarget(name, targets);
  return {
    url: found.url,
    apiKey: found.apiKey,
    isKeyInQuery: found.isKeyInQuery,
    rememberKeyInQuery: () => saveKeyInQuery(env, found),
    hint: `check the address of the target ${name}: venc target list`,
  };
}

/** The error for an unknown target name. */
export function unknownTarget(name: string, targets: readonly NamedTarget[]): VencError {
  const suggestions = findSuggestions(name, [...targets.map((target) => target.name), localTarget]);
  return new VencError('UsageError', `There is no target ${JSON.stringify(name)}.`, {
    hint:
      suggestions.length > 0
        ? `did you mean ${suggestions.join(', ')}?`
        : 'venc target list shows all targets, venc target add adds one',
  });
}
