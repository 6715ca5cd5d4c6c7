import { nestedSettings } from '../../src/shared/settings/kinds/groups.js';
import type { SettingsTable } from '../../src/shared/settings/setting.js';

/** The path of every setting of a table, including nested ones: `thumbnails.number`. */
export function settingPaths(table: SettingsTable, prefix = ''): readonly string[] {
  return Object.entries(table).flatMap(([name, setting]) => [
    `${prefix}${name}`,
    ...settingPaths(nestedSettings(setting), `${prefix}${name}.`),
  ]);
}
