import { VencError } from '../../../src/shared/errors.js';
import { type ResponseName, responses } from '../../../src/shared/records/answers.js';
import type { RecordOf } from '../../../src/shared/records/field.js';
import type { logFields } from '../../../src/shared/records/log.js';
import { logText } from '../../../src/shared/text/safe-text.js';
import { toXml } from '../../../src/shared/to-xml.js';
import { corsHeaders, headerList } from '../cors.js';

/** The exact Content-Type of every JSON answer. */
export const jsonType = 'application/json; charset=utf-8';

/** The exact Content-Type of every JSONP answer. */
const jsonpType = 'application/javascript; charset=utf-8';

/** The representation of an answer; JSONP has a callback. */
export type Form =
  | { readonly type: 'json' | 'xml' | 'text' }
  | { readonly type: 'jsonp'; readonly callback: string };

/** A body and its headers, as alternating names and values. */
interface EncodedAnswer {
  readonly text: string | Buffer;
  readonly headers: readonly string[];
}

const headersOf = {
  json: headerList({ ...corsHeaders, 'Content-Type': jsonType }),
  xml: headerList({ ...corsHeaders, 'Content-Type': 'application/xml; charset=utf-8' }),
  text: headerList({
    ...corsHeaders,
    'Content-Type': 'text/plain; charset=utf-8',
    'X-Content-Type-Options': 'nosniff',
  }),
  jsonp: headerList({ ...corsHeaders, 'Content-Type': jsonpType, 'X-Content-Type-Options': 'nosniff' }),
} as const;

/** Answers whose records are made once per stored job, so that caching their JSON pays off. */
const cachedAnswers: ReadonlySet<ResponseName> = new Set<ResponseName>([
  'job',
  'jobs',
  'inputDetails',
  'outputDetails',
]);

/** Encodes a record in the requested representation. */
export function represent(record: unknown, answer: ResponseName, form: Form): EncodedAnswer {
  const headers = headersOf[form.type];
  switch (form.type) {
    case 'json':
      return { text: cachedAnswers.has(answer) ? cachedJson(record) : toJson(record), headers };
    case 'xml':
      return { text: toXml(record, responses[answer]), headers };
    case 'text':
      return { text: toText(record), headers };
    case 'jsonp':
      return { text: toJsonp(toJson(publicPart(record)), form.callback), headers };
  }
}

/** A record that is a log, the only one with a text form, as lines. */
function toText(record: unknown): string {
  const { log } = record as RecordOf<typeof logFields>;
  return log.map((line) => `${logText(line)}\n`).join('');
}

/** The record without `md5_checksum`, which the JSONP form omits (sections 2.1 and 2.2). */
function publicPart(record: unknown): unknown {
  if (typeof record !== 'object' || record === null) return record;
  return Object.fromEntries(Object.entries(record).filter(([name]) => name !== 'md5_checksum'));
}

const jsonByRecord = new WeakMap<object, string>();

/** Encodes a record as the body of a JSON answer. */
export function toJson(record: unknown): string {
  return JSON.stringify(record);
}

/** The latest lists, by their first record, as bytes: a client that polls gets the same list many times. */
const latestLists = new Map<unknown, { readonly records: readonly unknown[]; readonly bytes: Buffer }>();
/** A list of 50 jobs has about 70 kB. */
const maxLatestLists = 16;

/** Encodes a record that later requests get too, or a list of such records. */
function cachedJson(record: unknown): string | Buffer {
  if (!Array.isArray(record) || record.length === 0) return toCachedJson(record);
  const latest = latestLists.get(record[0]);
  const isSame = (one: unknown, index: number): boolean => one === latest?.records[index];
  if (latest?.records.length === record.length && record.every(isSame)) return latest.bytes;
  const bytes = Buffer.from(`[${record.map(toCachedJson).join(',')}]`);
  latestLists.delete(record[0]);
  latestLists.set(record[0], { records: record, bytes });
  if (latestLists.size > maxLatestLists) latestLists.delete(latestLists.keys().next().value);
  return bytes;
}

/** Encodes a record. The text is made once and cached for the lifetime of the record. */
function toCachedJson(record: unknown): string {
  if (typeof record !== 'object' || record === null) return toJson(record);
  const cached = jsonByRecord.get(record);
  if (cached !== undefined) return cached;
  const text = toJson(record);
  jsonByRecord.set(record, text);
  return text;
}

const callbackPattern = /^[A-Za-z_$][\w$.]{0,63}$/;
// Line terminators in JavaScript before ES2019, but plain characters in JSON.
const lineSeparators = /[\u2028\u2029]/g;

/**
 * The name of the callback: the requested one, or the default of the route. Throws `InvalidCallbackError` if
 * it is not a function name.
 */
export function callbackOf(requested: string | null, fallback: string): string {
  if (requested === null) return fallback;
  if (callbackPattern.test(requested)) return requested;
  throw new VencError(
    'InvalidCallbackError',
    'callback must be the name of a function: a letter, _ or $, then up to 63 letters, digits, _, $ or dots.',
  );
}

/** Wraps JSON in a call of a callback (contract, section 7). */
function toJsonp(json: string, callback: string): string {
  const escaped = json.replace(lineSeparators, (separator) =>
    separator === '\u2028' ? '\\u2028' : '\\u2029',
  );
  return `${callback}(${escaped})`;
}
