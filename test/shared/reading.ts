import * as assert from 'uvu/assert';
import type { JobRequest, OutputSettings } from '../../src/shared/settings/index.js';
import { parseJobRequest } from '../../src/shared/settings/parse-job-request.js';

/** Options for reading requests, for tests that are not about limits. */
export const limits = { maxOutputs: 50 };
/** A valid input. */
export const input = 'http://example.com/in.mp4';

/** Reads a body to a request; fails the test if it is rejected. */
export function requestOf(body: unknown): JobRequest {
  const parseRequest = parseJobRequest(body, limits);
  assert.ok(parseRequest.ok, JSON.stringify(parseRequest));
  return parseRequest.request;
}

/** Reads the settings of a request's only output. */
export function settingsOf(output: unknown): OutputSettings {
  return requestOf({ input, outputs: [output] }).outputs[0] ?? {};
}

/** All validation errors of a body; empty if it is valid. */
export function validationErrorsFor(body: unknown): readonly string[] {
  const parseRequest = parseJobRequest(body, limits);
  return parseRequest.ok ? [] : parseRequest.validationErrors;
}
