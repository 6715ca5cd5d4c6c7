import * as assert from 'uvu/assert';
import type { JobRequest, OutputSettings } from '../../src/shared/settings/index.js';
import { readJobRequest } from '../../src/shared/settings/read.js';

/** What requests are read with, unless a test is about limits. */
export const limits = { maxOutputs: 50 };
/** An input that nothing is wrong with. */
export const input = 'http://example.com/in.mp4';

/** The request that a body is read to; fails the test where it is refused. */
export function requestOf(body: unknown): JobRequest {
  const reading = readJobRequest(body, limits);
  assert.ok(reading.ok, JSON.stringify(reading));
  return reading.request;
}

/** The settings that a request's only output is read to. */
export function settingsOf(output: unknown): OutputSettings {
  return requestOf({ input, outputs: [output] }).outputs[0] ?? {};
}

/** Every complaint about a body; none where it is valid. */
export function complaintsAbout(body: unknown): readonly string[] {
  const reading = readJobRequest(body, limits);
  return reading.ok ? [] : reading.complaints;
}
