import { outputListOf } from '../../../src/shared/settings/presets.js';
import type { RequestFields, SettingsTable } from '../../../src/shared/settings/setting.js';
import { groupBySpelling, hasValue, rowsOf, spellingsOf } from '../../../src/shared/settings/spellings.js';
import { findSuggestions } from '../../../src/shared/text/suggestions.js';
import { isObject } from '../../../src/shared/util/is-object.js';
import { tables } from './form-settings.js';

/** An object of a request: the job, or an output by its position. */
export type Place = 'job' | number;

/** The table of an object. */
export function tableOf(place: Place): SettingsTable {
  return place === 'job' ? tables.job : tables.output;
}

/** The fields of an object; none of an output that the request does not have. Null for an output that is no object. */
export function fieldsAt(request: RequestFields, place: Place): RequestFields | null {
  if (place === 'job') return request;
  const output = outputListOf(request)[place] ?? {};
  return isObject(output) ? output : null;
}

/** The value of a setting, under any of its spellings; undefined without one. */
export function valueIn(fields: RequestFields, place: Place, name: string): unknown {
  const [spelling] = givenSpellings(fields, place, name);
  return spelling === undefined ? undefined : fields[spelling];
}

/** The request with another value of a setting; undefined removes it. An only output without settings is removed. */
export function withSetting(
  request: RequestFields,
  place: Place,
  name: string,
  value: unknown,
): RequestFields {
  const fields = fieldsAt(request, place);
  if (fields === null) return request;
  const given = givenSpellings(fields, place, name);
  const used = given[0] ?? name;
  const kept = Object.entries(fields).filter(([field]) => field === used || !given.includes(field));
  const { [used]: _, ...others } = Object.fromEntries(kept);
  const changed = value === undefined ? others : { ...Object.fromEntries(kept), [used]: value };
  if (place === 'job') return changed;
  const outputs = outputListOf(request);
  const next = [...outputs.slice(0, place), changed, ...outputs.slice(place + 1)];
  return withOutputs(request, next.length === 1 && Object.keys(changed).length === 0 ? [] : next);
}

/** The request with one more output, which has no settings yet. */
export function withNewOutput(request: RequestFields): RequestFields {
  const outputs = outputListOf(request);
  return withOutputs(request, [...(outputs.length === 0 ? [{}] : outputs), {}]);
}

/** The request without one of its outputs. */
export function withoutOutput(request: RequestFields, index: number): RequestFields {
  return withOutputs(
    request,
    outputListOf(request).filter((_, at) => at !== index),
  );
}

/** What is to be said about fields that have no control: one sentence each. `shown` are the settings that have one. */
export function otherFields(
  fields: RequestFields,
  place: Place,
  shown: ReadonlySet<string>,
): readonly string[] {
  const table = tableOf(place);
  const { rows, positions } = rowsOf(table);
  const own = place === 'job' ? ['output', 'outputs', 'preset'] : [];
  return [...groupBySpelling(fields, positions)].flatMap(([known, names]) =>
    names
      .filter((name) => hasValue(fields, name) && !own.includes(name))
      .flatMap((name) => {
        if (known === null) return [unknownName(name, table)];
        const { name: canonical = '', setting } = rows[positions.get(known) ?? -1] ?? {};
        if (shown.has(canonical) || setting === undefined) return [];
        if (setting.rejected !== undefined) return [`${name} ${setting.rejected}.`];
        if (setting.noEffect !== undefined) return [`${name} has no effect here: ${setting.noEffect}.`];
        return [`${name} is set by the page itself: remove it.`];
      }),
  );
}

function unknownName(name: string, table: SettingsTable): string {
  const similar = findSuggestions(name, Object.keys(table));
  const question = similar.length === 0 ? '' : ` Did you mean ${similar.join(', ')}?`;
  return `${name} is not known, and is ignored.${question}`;
}

/** The names under which an object has a setting: `-` may stand for `_`. */
function givenSpellings(fields: RequestFields, place: Place, name: string): readonly string[] {
  const table = tableOf(place);
  const given = groupBySpelling(fields, rowsOf(table).positions);
  return spellingsOf(table, name)
    .flatMap((spelling) => given.get(spelling) ?? [])
    .filter((spelling) => hasValue(fields, spelling));
}

function withOutputs(request: RequestFields, outputs: readonly unknown[]): RequestFields {
  const field = hasValue(request, 'output') && !hasValue(request, 'outputs') ? 'output' : 'outputs';
  const { [field]: given, ...others } = request;
  if (outputs.length === 0) return others;
  return { ...others, [field]: isObject(given) && outputs.length === 1 ? outputs[0] : outputs };
}
