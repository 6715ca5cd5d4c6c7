import { join } from 'node:path';
import { homeFolder } from '../shared/util/environment.js';

/** Environment variables by name. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** The default folders of the current user, by the convention of the platform (XDG on Linux). */
interface UserFolders {
  readonly config: string;
  readonly data: string;
}

/**
 * The folders on a platform. Absolute XDG variables apply everywhere except on Windows, because users set them on
 * purpose.
 */
export function userFolders(
  env: Environment,
  platform: NodeJS.Platform = process.platform,
  home: string = homeFolder(),
): UserFolders {
  if (platform === 'win32') {
    return {
      config: join(env.APPDATA ?? join(home, 'AppData', 'Roaming'), 'venc', 'Config'),
      data: join(env.LOCALAPPDATA ?? join(home, 'AppData', 'Local'), 'venc', 'Data'),
    };
  }
  const isMac = platform === 'darwin';
  const folder = (variable: string | undefined, otherwise: string) =>
    variable?.startsWith('/') === true ? join(variable, 'venc') : join(home, otherwise, 'venc');
  return {
    config: folder(env.XDG_CONFIG_HOME, isMac ? 'Library/Preferences' : '.config'),
    data: folder(env.XDG_DATA_HOME, isMac ? 'Library/Application Support' : '.local/share'),
  };
}
