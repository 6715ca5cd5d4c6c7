import * as assert from 'uvu/assert';
import { jobTable, outputTable } from '../../../src/shared/settings/index.js';
import { parseJobRequest } from '../../../src/shared/settings/parse-job-request.js';
import { flatSkipNames } from '../../../src/shared/settings/sources.js';
import { spellingsOf } from '../../../src/shared/settings/spellings.js';
import type { FuzzAnswer, FuzzClient } from './fuzz-client.js';
import type { Fields } from './generate-request.js';
import { fieldsOfRequest, findField, namedPath } from './named-fields.js';

/**
 * Sends a request as JSON with every number and boolean as text, and as XML. Both answers must have the same status and be about the same
 * fields. Resolves to false if XML cannot express the request.
 */
export async function checkXmlEquivalent(client: FuzzClient, given: Fields): Promise<boolean> {
  const body = withTexts(given);
  if (!isExpressible(body, '')) return false;
  const [json, xml] = [
    await client.create(body),
    await client.create(body, { isXml: true, path: '/v2/jobs?format=json' }),
  ];
  const about = JSON.stringify(body);
  const [fromXml, fromJson] = [fieldsIn(xml), fieldsIn(json)];
  assert.is(fromXml, fromJson, `XML and JSON differ: ${fromXml} | ${fromJson}: ${about}`);
  return true;
}

/** The fields that an answer names, on one line each. Names in XML are read with `_` for `-`. */
function fieldsIn(answer: FuzzAnswer): string {
  const fields = answer.ok
    ? (answer.created.warnings ?? []).map(({ field }) => field)
    : answer.errors.map(namedPath);
  return [
    answer.ok ? 'accepted' : 'rejected',
    ...fields.map((field) => field.replaceAll('-', '_')).sort(),
  ].join('\n');
}

function withTexts<T>(value: T): T {
  return JSON.parse(JSON.stringify(value), (_, one: unknown) =>
    typeof one === 'number' || typeof one === 'boolean' ? String(one) : one,
  );
}

/** Whether XML has the same request: it trims texts, has no empty values, and has one name for the entries of a list. */
function isExpressible(value: unknown, name: string): boolean {
  if (Array.isArray(value))
    return value.length > 1 && value.every((one) => !Array.isArray(one) && isExpressible(one, name));
  if (typeof value === 'object' && value !== null) {
    const entries = Object.entries(value);
    return (
      entries.length > 0 &&
      // Elements with one name are a list: a setting in two spellings is rejected for another reason.
      new Set(entries.map(([key]) => key.replaceAll('-', '_'))).size === entries.length &&
      entries.every(([key, one]) => /^[a-z_][\w-]*$/i.test(key) && isExpressible(one, key))
    );
  }
  return (
    typeof value === 'string' && value !== '' && value === value.trim() && !/[\p{Cc}\p{Cs}]/u.test(value)
  );
}

/** Values that mean the same as an omitted setting, by the documentation of each. */
function meansOmitted(value: unknown): boolean {
  return value === null || value === '' || value === 'auto' || isEmpty(value);
}

function isEmpty(value: unknown): boolean {
  return typeof value === 'object' && value !== null && Object.keys(value).length === 0;
}

/**
 * Checks that no field of an accepted request is ignored in silence: without the field, the parsed request is another one, unless a
 * warning names the field or an object that contains it, or the value means omitted.
 */
export function checkNothingIgnored(body: Fields, warnedFields: readonly string[]): void {
  const parsed = parsedText(body);
  for (const path of fieldsOfRequest(body)) {
    const isWarned = warnedFields.some(
      (field) =>
        field === path ||
        path.startsWith(`${field}.`) ||
        field.startsWith(`${path}.`) ||
        field.startsWith(`${path}[`),
    );
    const rest = structuredClone(body);
    const field = findField(rest, path);
    if (field === null || isWarned) continue;
    const value: unknown = Reflect.get(field.container, field.key);
    const isOff = value === false || value === 0 || /^(?:false|0)$/i.test(String(value));
    if (meansOmitted(value) || isOff || isRepeated(rest, field)) continue;
    Reflect.deleteProperty(field.container, field.key);
    assert.is.not(parsedText(rest), parsed, `${path} was ignored without a warning: ${JSON.stringify(body)}`);
  }
}

/** Whether the same setting is also given by another name, or as a skip rule outside `skip`. */
function isRepeated(
  body: Fields,
  { container, key }: { readonly container: object; readonly key: string },
): boolean {
  const name = key.replaceAll('-', '_');
  const names = [outputTable, jobTable].flatMap((table) => spellingsOf(table, name));
  const others = Object.keys(container).filter(
    (one) => one !== key && names.includes(one.replaceAll('-', '_')),
  );
  const isSkipRule =
    flatSkipNames.some((one) => one === name) && JSON.stringify(body).split(`"${name}"`).length > 2;
  return others.length > 0 || isSkipRule;
}

function parsedText(body: Fields): string {
  const parsed = parseJobRequest(body, { maxOutputs: 50 });
  return JSON.stringify(parsed.ok ? parsed.request : parsed.validationErrors);
}
