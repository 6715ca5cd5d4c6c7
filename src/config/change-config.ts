import { type ConfigKey, configName } from './config.js';
import { type Environment, userFolders } from './folders.js';
import { openFile, write } from './open-file.js';

/**
 * Configures a key, or with null takes its value away. Gives the file that a broken one was set aside to, or null. Rejects with
 * `UsageError` where the file cannot be written.
 */
export async function changeConfig(
  env: Environment,
  key: ConfigKey,
  value: string | null,
): Promise<string | null> {
  const opened = await openFile(userFolders(env).config, configName);
  write(opened, (store) => (value === null ? store.delete(key) : store.set(key, value)));
  return opened.setAside;
}
