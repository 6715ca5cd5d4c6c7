import type { Setting, SettingsTable } from '../../../src/api/settings/setting.js';
import type { SourceFile } from './source-file.js';

/**
 * What becomes of each setting, by its path: `by` names the file that reads it, `declined` or `moot` say why none does.
 * Other shapes are complained about.
 */
export type Honoured = Readonly<Record<string, unknown>>;

/** The path of every setting of a table, those of nested tables too: `thumbnails.number`. */
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
 * Complains about every setting that is neither honoured nor declined, about entries for settings that there are
 * not, and about files that are named as honouring a setting and do not so much as mention it in their code.
 */
export function checkSettings(
  paths: readonly string[],
  honoured: Honoured,
  files: readonly SourceFile[],
): readonly string[] {
  const known = new Set(paths);
  return [
    ...paths.flatMap((path) => entryComplaints(path, honoured[path], files)),
    ...Object.keys(honoured)
      .filter((path) => !known.has(path))
      .map((path) => `${path}: is honoured or declined, but there is no such setting.`),
  ];
}

function entryComplaints(path: string, entry: unknown, files: readonly SourceFile[]): readonly string[] {
  if (typeof entry !== 'object' || entry === null) return [`${path}: is neither honoured nor declined.`];
  if (!('by' in entry)) {
    const reason = 'declined' in entry ? entry.declined : 'moot' in entry ? entry.moot : '';
    const isSaid = typeof reason === 'string' && reason.trim().includes(' ');
    return isSaid ? [] : [`${path}: is not honoured, and no reason is given.`];
  }
  const named = Array.isArray(entry.by) ? entry.by : [entry.by];
  return named.flatMap((by) => {
    const file = files.find((candidate) => candidate.path === by);
    if (file === undefined) return [`${path}: is honoured by ${by}, which does not exist.`];
    const name = path.split('.').at(-1) ?? path;
    return new RegExp(`\\b${name}\\b`).test(file.bare) ? [] : [`${path}: ${by} does not mention it.`];
  });
}
