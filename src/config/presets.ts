import { readdir, readFile, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { VencError } from '../shared/errors.js';
import { isPresetName, presetHint } from '../shared/settings/presets.js';
import { diskReason, systemCode } from '../shared/util/system-code.js';
import { changeFile } from './change-file.js';
import { parseFile } from './config.js';
import { type Environment, userFolders } from './folders.js';

/** Named settings: a request without an input. */
type Preset = Readonly<Record<string, unknown>>;

/** The names of all presets, sorted. Rejects with `UsageError` if the folder cannot be read. */
export async function presetNames(env: Environment): Promise<readonly string[]> {
  const folder = presetsFolder(env);
  try {
    const names = (await readdir(folder)).filter((file) => file.endsWith('.json'));
    return names
      .map((file) => file.slice(0, -'.json'.length))
      .filter(isPresetName)
      .sort();
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return [];
    throw new VencError(
      'UsageError',
      `The presets in ${folder} cannot be read: ${diskReason(error, 'read')}.`,
      { cause: error },
    );
  }
}

/** Reads a preset. Rejects with `UsageError` if there is none with this name, or its file cannot be read. */
export async function readPreset(env: Environment, name: string): Promise<Preset> {
  if (!isPresetName(name)) throw await unknownPreset(env, name);
  const path = presetPath(env, name);
  try {
    return parseFile(await readFile(path, 'utf8'));
  } catch (error) {
    if (systemCode(error) === 'ENOENT') throw await unknownPreset(env, name);
    throw new VencError(
      'UsageError',
      `The preset ${name} in ${path} cannot be read: ${diskReason(error, 'read')}.`,
      {
        cause: error,
        hint: `correct the file, or remove the preset: venc preset remove ${name}`,
      },
    );
  }
}

/**
 * Writes a preset; only its owner can read the file. Resolves to the new path of a broken earlier file, or null.
 * Rejects with `UsageError` if the file cannot be written.
 */
export async function savePreset(env: Environment, name: string, preset: Preset): Promise<string | null> {
  return changeFile(presetsFolder(env), name, (store) => {
    store.store = { ...preset };
  });
}

/** Removes a preset. Rejects with `UsageError` if there is none with this name, or its file cannot be removed. */
export async function removePreset(env: Environment, name: string): Promise<void> {
  if (!isPresetName(name)) throw await unknownPreset(env, name);
  const path = presetPath(env, name);
  try {
    await unlink(path);
  } catch (error) {
    if (systemCode(error) === 'ENOENT') throw await unknownPreset(env, name);
    throw new VencError('UsageError', `${path} cannot be removed: ${diskReason(error, 'write')}.`, {
      cause: error,
    });
  }
}

function presetsFolder(env: Environment): string {
  return join(userFolders(env).config, 'presets');
}

function presetPath(env: Environment, name: string): string {
  return join(presetsFolder(env), `${name}.json`);
}

async function unknownPreset(env: Environment, name: string): Promise<VencError> {
  const names = await presetNames(env);
  const hint =
    names.length === 0
      ? 'you have no presets yet; venc preset save NAME creates one'
      : presetHint(name, names);
  return new VencError('UsageError', `There is no preset ${JSON.stringify(name)}.`, { hint });
}
