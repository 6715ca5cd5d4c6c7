import { findSuggestions } from '../text/suggestions.js';
import { jobTable, outputTable } from './index.js';
import { parseJobRequest } from './parse-job-request.js';
import type { Setting, SettingsTable } from './setting.js';

/** A field of a request that is in no table. */
export interface UnknownField {
  /** Its path, such as `outputs[0].widht`. */
  readonly path: string;
  /** A suggestion for the field that was meant, as the end of a hint; null if there is none. */
  readonly hint: string | null;
}

/** Fields of the request that are not in the table of the job. */
const nonSettingFields = ['outputs', 'output', 'api_key'] as const;

/** Finds the unknown fields of a request, with a suggestion for each (section 4.1). Pure; never throws. */
export function findUnknownFields(request: unknown): readonly UnknownField[] {
  const { unknownFields } = parseJobRequest(request, { maxOutputs: Number.POSITIVE_INFINITY });
  return unknownFields.map((path) => ({ path, hint: hintFor(path) }));
}

function hintFor(path: string): string | null {
  const parts = path.split('.');
  const name = parts.at(-1) ?? '';
  const parents = parts.slice(0, -1).map((part) => part.replace(/\[.*$/, ''));
  const isJobField = parents.length === 0;
  const table = isJobField ? jobTable : tableAt(parents);
  const suggestions = findSuggestions(name, [...namesOf(table), ...(isJobField ? nonSettingFields : [])]);
  if (suggestions.includes(name)) return null;
  // A known setting in the wrong object is more likely than a typing error.
  if (isJobField && namesOf(outputTable).includes(name)) return `${name} belongs in outputs`;
  if (parents.length === 1 && [...namesOf(jobTable), 'api_key'].includes(name)) {
    return `${name} belongs to the job, next to outputs`;
  }
  if (suggestions.length > 0) return `did you mean ${suggestions.join(', ')}?`;
  const outputSuggestion = isJobField ? findSuggestions(name, namesOf(outputTable))[0] : undefined;
  return outputSuggestion === undefined
    ? null
    : `did you mean ${outputSuggestion}, which belongs in outputs?`;
}

function tableAt([, ...names]: readonly string[]): SettingsTable {
  let table: SettingsTable = outputTable;
  for (const name of names) table = fieldsOf(settingOf(table, name));
  return table;
}

function settingOf(table: SettingsTable, settingName: string): Setting | undefined {
  const found = Object.entries(table).find(
    ([name, { spellings = [] }]) => name === settingName || spellings.includes(settingName),
  );
  return found?.[1];
}

function fieldsOf(setting: Setting | undefined): SettingsTable {
  if (setting?.kind === 'list') return fieldsOf(setting.of);
  return setting?.kind === 'object' ? setting.fields : {};
}

function namesOf(table: SettingsTable): readonly string[] {
  return Object.entries(table).flatMap(([name, { spellings = [] }]) => [name, ...spellings]);
}
