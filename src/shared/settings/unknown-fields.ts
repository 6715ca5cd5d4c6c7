import { findSuggestions } from '../text/suggestions.js';
import { jobTable, outputTable } from './index.js';
import { pathTo } from './parse-result.js';
import type { RequestWarning, UnknownName } from './request-warning.js';
import type { SettingsTable } from './setting.js';

/** Fields of a request that are not in the table of the job: its outputs and its API key. */
export const nonSettingFields: readonly string[] = ['outputs', 'output', 'api_key'];

/** The warning about a name that is not in the table of its object. */
export function unknownFieldWarning(unknown: UnknownName): RequestWarning {
  return {
    field: pathTo(unknown.parent, unknown.name),
    message: 'is not known and was ignored',
    strictError: 'is not known',
    unknown,
  };
}

/** What was probably meant by an unknown name, as the end of a sentence; null if nothing is similar. */
export function hintFor({ table, parent, name }: UnknownName): string | null {
  const isJobField = parent === '';
  // A known setting in the wrong object is more likely than a typing error.
  if (table !== outputTable && namesOf(outputTable).includes(name)) return `${name} belongs in outputs`;
  if (!isJobField && [...namesOf(jobTable), 'api_key'].includes(name)) return `${name} belongs in the job`;
  const suggestions = findSuggestions(name, [...namesOf(table), ...(isJobField ? nonSettingFields : [])]);
  if (suggestions.length > 0) return `did you mean ${suggestions.join(', ')}?`;
  const outputSuggestion = isJobField ? findSuggestions(name, namesOf(outputTable))[0] : undefined;
  return outputSuggestion === undefined
    ? null
    : `did you mean ${outputSuggestion}, which belongs in outputs?`;
}

function namesOf(table: SettingsTable): readonly string[] {
  return Object.entries(table).flatMap(([name, { spellings = [] }]) => [name, ...spellings]);
}
