import type { Setting, SettingsTable } from '../../../src/shared/settings/setting.js';
import type { SourceFile } from './source-file.js';

/**
 * What the daemon does with each setting, by its path. `by` names the file that reads the setting; `unsupported` or `noEffect` is the
 * reason why no file does. Other shapes are violations.
 */
export type SupportedSettings = Readonly<Record<string, unknown>>;

/** The path of every setting of a table, including nested ones: `thumbnails.number`. */
export function settingPaths(table: SettingsTable, prefix = ''): readonly string[] {
  return Object.entries(table).flatMap(([name, setting]) => {
    const fields = fieldsOf(setting);
    const nested = fields === null ? [] : settingPaths(fields, `${prefix}${name}.`);
    return [`${prefix}${name}`, ...nested];
  });
}

function fieldsOf(setting: Setting): SettingsTable | null {
  if (setting.kind === 'list') return fieldsOf(setting.of);
  return setting.kind === 'object' ? setting.fields : null;
}

/**
 * Reports every setting that is neither supported nor listed as unsupported, every entry for an unknown setting, and every file that is
 * named as supporting a setting but does not mention it in its code.
 */
export function checkSettings(
  paths: readonly string[],
  supported: SupportedSettings,
  files: readonly SourceFile[],
): readonly string[] {
  const known = new Set(paths);
  return [
    ...paths.flatMap((path) => entryViolations(path, supported[path], files)),
    ...Object.keys(supported)
      .filter((path) => !known.has(path))
      .map((path) => `${path}: is in the table, but there is no such setting.`),
  ];
}

function entryViolations(path: string, entry: unknown, files: readonly SourceFile[]): readonly string[] {
  if (typeof entry !== 'object' || entry === null)
    return [`${path}: is neither supported nor listed as unsupported.`];
  if (!('by' in entry)) {
    const reason = 'unsupported' in entry ? entry.unsupported : 'noEffect' in entry ? entry.noEffect : '';
    const hasReason = typeof reason === 'string' && reason.trim().includes(' ');
    return hasReason ? [] : [`${path}: is not supported, and no reason is given.`];
  }
  const named = Array.isArray(entry.by) ? entry.by : [entry.by];
  return named.flatMap((by) => {
    const file = files.find((candidate) => candidate.path === by);
    if (file === undefined) return [`${path}: is supported by ${by}, which does not exist.`];
    const name = path.split('.').at(-1) ?? path;
    return new RegExp(`\\b${name}\\b`).test(file.bare) ? [] : [`${path}: ${by} does not mention it.`];
  });
}
