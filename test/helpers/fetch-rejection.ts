import * as assert from 'uvu/assert';
import type { ErrorsRecord } from '../../src/shared/records.js';
import { readXmlAnswer } from './read-xml.js';

/** Sends a request and checks the rejection: its status, its format, its sentences, and that it contains no stack trace. */
export async function fetchRejection(
  url: string,
  init: RequestInit,
  status: number,
  form: 'json' | 'xml' = 'json',
): Promise<readonly string[]> {
  const response = await fetch(url, init);
  const text = await response.text();
  assert.is(response.status, status, `${init.method ?? 'GET'} ${url}: ${text}`);
  assert.is(response.headers.get('content-type'), `application/${form}; charset=utf-8`);
  assert.is(response.headers.get('access-control-allow-origin'), '*');
  const record = (form === 'json' ? JSON.parse(text) : readXmlAnswer(text)) as ErrorsRecord;
  const { errorClass: _, ...others } = record;
  assert.equal(Object.keys(others), ['errors']);
  assert.ok(record.errors.length > 0 && record.errors.every((sentence) => /^\S.{8,}/.test(sentence)), text);
  assert.not.match(text, /\bat .*\.[jt]s:\d/);
  if (status === 429 || status === 503) assert.match(response.headers.get('retry-after') ?? '', /^[1-9]\d*$/);
  return record.errors;
}
