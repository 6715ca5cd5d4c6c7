import { outputTable } from '../../shared/settings/index.js';
import { kindOf } from '../../shared/settings/kinds/groups.js';
import type { Setting } from '../../shared/settings/setting.js';

/** The settings that `--output name=value` accepts, or the values of the setting `name`. */
export function settingWords(name: string | null): readonly string[] {
  const all = Object.entries<Setting>(outputTable).filter(([, { kind }]) => kind !== 'unchecked');
  if (name === null) return all.map(([one]) => one);
  const setting = all.find(([one]) => one === name)?.[1];
  return setting === undefined ? [] : (kindOf(setting).words?.(setting) ?? []);
}
