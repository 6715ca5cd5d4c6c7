import * as assert from 'uvu/assert';
import type { CreatedRecord, ErrorsRecord } from '../../../src/shared/records.js';
import { toRequestXml } from '../../http/xml-request.js';
import type { Fields } from './generate-request.js';
import type { SuiteReport } from './suite-report.js';

/** An answer to a generated request that was not rejected, or its errors. */
export type FuzzAnswer =
  | { readonly ok: true; readonly created: CreatedRecord }
  | { readonly ok: false; readonly status: number; readonly errors: readonly string[] };

/** A request that takes longer is a hang. */
const maxAnswerMs = 20_000;

/** Sends generated requests to a daemon whose answers are checked against its OpenAPI document. */
export class FuzzClient {
  constructor(
    readonly url: string,
    private readonly key: string,
    private readonly report: SuiteReport,
  ) {}

  /** Sends any request. Its answer must come in time, and must not be an error of the daemon. */
  async send(
    path: string,
    init: RequestInit = {},
  ): Promise<{ readonly status: number; readonly text: string }> {
    const headers = new Headers(init.headers);
    if (!headers.has('Service-Api-Key')) headers.set('Service-Api-Key', this.key);
    const began = performance.now();
    const response = await fetch(`${this.url}${path}`, {
      ...init,
      headers,
      signal: AbortSignal.timeout(maxAnswerMs),
    });
    const text = await response.text();
    const what = `${init.method ?? 'GET'} ${path.slice(0, 60)}`;
    this.report.took(performance.now() - began, what);
    this.report.count(String(response.status));
    assert.ok(
      response.status < 500,
      `${what} was answered with ${response.status}: ${text}\n${String(init.body).slice(0, 4000)}`,
    );
    return { status: response.status, text };
  }

  /** Posts a create request, with `mock` unless it is to be stored. */
  async create(
    body: Fields,
    {
      isStored = false,
      isXml = false,
      path = '/v2/jobs',
    }: { isStored?: boolean; isXml?: boolean; path?: string } = {},
  ): Promise<FuzzAnswer> {
    const sent = isStored ? body : { ...body, mock: true };
    const content = isXml
      ? toRequestXml(sent, { isTyped: true, isHyphened: false, isIndented: false })
      : JSON.stringify(sent);
    const headers = { 'Content-Type': isXml ? 'application/xml' : 'application/json' };
    const { status, text } = await this.send(path, { method: 'POST', body: content, headers });
    const record = JSON.parse(text) as CreatedRecord & ErrorsRecord;
    if (status === 201) return { ok: true, created: record };
    assert.ok(
      status === 422 || status === 400,
      `a create was answered with ${status}: ${text}\n${content.slice(0, 4000)}`,
    );
    return { ok: false, status, errors: record.errors };
  }
}
