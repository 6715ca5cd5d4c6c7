import { type ResponseName, responses } from '../../../src/shared/records/answers.js';
import { toXml } from '../../../src/shared/to-xml.js';
import { corsHeaders, headerList } from '../cors.js';
import { jsonType, toCachedJson, toJson } from './json.js';
import { jsonpType, toJsonp } from './jsonp.js';

/** The form of an answer: JSONP names its callback. */
export type Form = { readonly type: 'json' | 'xml' } | { readonly type: 'jsonp'; readonly callback: string };

/** A body and the headers that go with it, as names and values in turn. */
export interface EncodedAnswer {
  readonly text: string;
  readonly headers: readonly string[];
}

const headersOf = {
  json: headerList({ ...corsHeaders, 'Content-Type': jsonType }),
  xml: headerList({ ...corsHeaders, 'Content-Type': 'application/xml; charset=utf-8' }),
  jsonp: headerList({ ...corsHeaders, 'Content-Type': jsonpType, 'X-Content-Type-Options': 'nosniff' }),
} as const;

/** Answers whose records are made once for a stored job, so that their texts are worth keeping. */
const cachedAnswers: ReadonlySet<ResponseName> = new Set<ResponseName>([
  'job',
  'jobs',
  'inputDetails',
  'outputDetails',
]);

/** A record in the form that was asked for. */
export function represent(record: unknown, answer: ResponseName, form: Form): EncodedAnswer {
  const headers = headersOf[form.type];
  switch (form.type) {
    case 'json':
      return { text: cachedAnswers.has(answer) ? toCachedJson(record) : toJson(record), headers };
    case 'xml':
      return { text: toXml(record, responses[answer]), headers };
    case 'jsonp':
      return { text: toJsonp(toJson(publicPart(record)), form.callback), headers };
  }
}

/** What anybody may see: `md5_checksum` is absent from the JSONP form (sections 2.1 and 2.2). */
function publicPart(record: unknown): unknown {
  if (typeof record !== 'object' || record === null) return record;
  return Object.fromEntries(Object.entries(record).filter(([name]) => name !== 'md5_checksum'));
}
