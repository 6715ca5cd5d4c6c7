import { changeFile } from './change-file.js';
import { type ConfigKey, configName } from './config.js';
import { type Environment, userFolders } from './folders.js';

/**
 * Configures a key, or with null takes its value away. Gives the file that a broken one was set aside to, or null. Rejects with
 * `UsageError` where the file cannot be written.
 */
export async function changeConfig(
  env: Environment,
  key: ConfigKey,
  value: string | null,
): Promise<string | null> {
  return changeFile(userFolders(env).config, configName, (store) =>
    value === null ? store.delete(key) : store.set(key, value),
  );
}
