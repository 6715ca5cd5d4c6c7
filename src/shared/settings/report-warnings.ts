import { findSuggestions } from '../text/suggestions.js';
import { memoizeByKey } from '../util/collections.js';
import { jobTable, outputTable } from './index.js';
import { nestedSettings } from './kinds/groups.js';
import { createPositionOf, sentPath } from './sent-paths.js';
import type { ReportedWarning, RequestWarning, Setting, SettingsTable, UnknownName } from './setting.js';
import { canonicalName } from './spellings.js';

/** Maximum number of warnings in a response, which also keeps records small. */
const maxWarnings = 100;

/**
 * Splits warnings into those that remain, and the validation errors that strict mode makes of the others. `maxHints` is
 * how many unknown names are compared with the known ones.
 */
export function applyStrictMode(
  warnings: readonly RequestWarning[],
  isStrict: boolean,
  maxHints = maxWarnings,
): { readonly warnings: readonly RequestWarning[]; readonly validationErrors: readonly string[] } {
  if (!isStrict) return { warnings, validationErrors: [] };
  return {
    warnings: warnings.filter(({ strictError }) => strictError === undefined),
    validationErrors: warnings
      .filter(({ strictError }) => strictError !== undefined)
      .slice(0, maxWarnings)
      .map(
        ({ field, strictError = '', unknown }, index) =>
          `${field} ${withHint(strictError, index < maxHints ? unknown : undefined)}`,
      ),
  };
}

function withHint(text: string, unknown: UnknownName | undefined): string {
  const hint = unknown === undefined ? null : hintFor(unknown);
  return hint === null ? text : `${text}; ${hint}`;
}

/**
 * The warnings as responses have them: with the names and in the order of the fields in the request, at most 100. The
 * last one then says how many more there are.
 */
export function toReportedWarnings(
  warnings: readonly RequestWarning[],
  request: unknown,
): readonly ReportedWarning[] {
  if (warnings.length === 0) return [];
  const listable = listableWarnings(warnings);
  // An unknown name has the path that was sent.
  const sent = listable.map((warning) =>
    warning.unknown === undefined ? { ...warning, field: sentPath(warning.field, request) } : warning,
  );
  // Settings that come from the same one may have the same warning.
  const distinct = new Map(sent.map((warning) => [`${warning.field} ${warning.message}`, warning]));
  const positionOf = createPositionOf(request);
  const sorted = [...distinct.values()]
    .map((warning) => ({ warning, position: positionOf(warning.field) }))
    .toSorted((a, b) => comparePositions(a.position, b.position));
  const moreCount = sorted.length + warnings.length - listable.length - maxWarnings;
  return sorted.slice(0, maxWarnings).map(({ warning: { field, message, unknown } }, index) => {
    const more =
      index === maxWarnings - 1 && moreCount > 0 ? `; ${moreCount} more warnings are not listed` : '';
    return { field, message: `${withHint(message, unknown)}${more}` };
  });
}

/**
 * Leaves out the unknown names of an object after the first 100: they are in the order of the request, so that none of
 * them is listed.
 */
function listableWarnings(warnings: readonly RequestWarning[]): readonly RequestWarning[] {
  const counts = new Map<string, number>();
  return warnings.filter(({ unknown }) => {
    if (unknown === undefined) return true;
    const count = (counts.get(unknown.parent) ?? 0) + 1;
    counts.set(unknown.parent, count);
    return count <= maxWarnings;
  });
}

function comparePositions(a: readonly number[], b: readonly number[]): number {
  const index = a.findIndex((position, at) => position !== b[at]);
  const [one, other] = [a[index], b[index]];
  if (one !== undefined && other !== undefined) return one < other ? -1 : 1;
  return a.length - b.length;
}

/**
 * Fields of a request that are not in the table of the job: its outputs, its API key, and the schema that an editor
 * checks it with.
 */
export const nonSettingFields: readonly string[] = ['outputs', 'output', 'api_key', '$schema'];

/** A name shorter than this is similar to too many others. */
const minNameLength = 3;

/** What was probably meant by an unknown name, as the end of a sentence; null if nothing is similar. */
function hintFor({ table, parent, name }: UnknownName): string | null {
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
