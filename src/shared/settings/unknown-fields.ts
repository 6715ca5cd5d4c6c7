import { findSuggestions } from '../text/suggestions.js';
import { memoizeByKey } from '../util/memoize-by-key.js';
import { nestedSettings } from './describe-setting.js';
import { jobTable, outputTable } from './index.js';
import { pathTo } from './parse-result.js';
import type { RequestWarning, UnknownName } from './request-warning.js';
import { canonicalName } from './sent-paths.js';
import type { Setting, SettingsTable } from './setting.js';

/** Fields of a request that are not in the table of the job: its outputs, its API key, and the schema that an editor checks it with. */
export const nonSettingFields: readonly string[] = ['outputs', 'output', 'api_key', '$schema'];

/** The warning about a name that is not in the table of its object. */
export function unknownFieldWarning(unknown: UnknownName): RequestWarning {
  return {
    field: pathTo(unknown.parent, unknown.name),
    message: 'is not known and was ignored',
    strictError: 'is not known',
    unknown,
  };
}

/** A name shorter than this is similar to too many others. */
const minNameLength = 3;

/** What was probably meant by an unknown name, as the end of a sentence; null if nothing is similar. */
export function hintFor({ table, parent, name }: UnknownName): string | null {
  const isJobField = parent === '';
  // A known setting in the wrong object is more likely than a typing error.
  if (table !== outputTable && namesOf(outputTable).includes(name))
    return `${name} belongs in ${isJobField ? 'outputs' : 'the output'}`;
  if (!isJobField && (namesOf(jobTable).includes(name) || name === 'api_key'))
    return `${name} belongs in the job`;
  const places = Object.entries<Setting>(outputTable).filter(([, setting]) =>
    namesOf(nestedSettings(setting)).includes(name),
  );
  if (places.length > 0) return `${name} belongs in ${places.map(([place]) => place).join(' or ')}`;
  if (name.length < minNameLength) return null;
  const suggestions = similarNames(name, table, isJobField ? nonSettingFields : []);
  if (suggestions.length > 0) return `did you mean ${suggestions.join(', ')}?`;
  const [outputSuggestion] = isJobField ? similarNames(name, outputTable) : [];
  return outputSuggestion === undefined
    ? null
    : `did you mean ${outputSuggestion}, which belongs in outputs?`;
}

/** The names of the settings that are spelled like a name, best first; settings that are not applied come last. */
function similarNames(name: string, table: SettingsTable, others: readonly string[] = []): readonly string[] {
  const found = findSuggestions(name, [...namesOf(table), ...others]).map((one) => canonicalName(table, one));
  const isApplied = (one: string) => table[one]?.kind !== 'unchecked';
  const distinct = [...new Set(found)];
  return [...distinct.filter(isApplied), ...distinct.filter((one) => !isApplied(one))];
}

const namesOf = memoizeByKey((table: SettingsTable): readonly string[] =>
  Object.entries(table).flatMap(([name, { spellings = [] }]) => [name, ...spellings]),
);
