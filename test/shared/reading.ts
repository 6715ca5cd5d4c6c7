import * as assert from 'uvu/assert';
import type { JobRequest, OutputSettings } from '../../src/shared/settings/index.js';
import { parseJobRequest } from '../../src/shared/settings/parse-job-request.js';

/** What requests are read with, unless a test is about limits. */
export const limits = { maxOutputs: 50 };
/** An input that nothing is wrong with. */
export const input = 'http://example.com/in.mp4';

/** The request that a body is read to; fails the test where it is refused. */
export function requestOf(body: unknown): JobRequest {
  const parseRequest = parseJobRequest(body, limits);
  assert.ok(parseRequest.ok, JSON.stringify(parseRequest));
  return parseRequest.request;
}

/** The settings that a request's only output is read to. */
export function settingsOf(output: unknown): OutputSettings {
  return requestOf({ input, outputs: [output] }).outputs[0] ?? {};
}

/** Every complaint about a body; none where it is valid. */
export function validationErrorsFor(body: unknown): readonly string[] {
  const parseRequest = parseJobRequest(body, limits);
  return parseRequest.ok ? [] : parseRequest.validationErrors;
}
