import * as assert from 'uvu/assert';
import { errorClasses } from '../../../src/shared/error-classes.js';
import type { JobRecord } from '../../../src/shared/records.js';
import { isFinal } from '../../../src/shared/states.js';
import type { FuzzClient } from './fuzz-client.js';
import type { Fields } from './generate-request.js';

/** A job that runs for longer is cancelled, and a finding. */
const maxJobMs = 60_000;
const pollMs = 25;

/**
 * Runs a job to its end and removes it. Each file of it must be finished or skipped, or have an error class that is not an error of the
 * daemon, with a message. Resolves to the states and classes of its outputs.
 */
export async function runCase(
  client: FuzzClient,
  request: Fields,
  about: string,
): Promise<readonly string[]> {
  const answer = await client.create(request, { isStored: true });
  if (!answer.ok) throw new Error(`the request was rejected: ${answer.errors.join(' | ')}\n${about}`);
  const path = `/v2/jobs/${answer.created.id}`;
  const job = await waitForEnd(client, path, about);
  const files = [job.input_media_file, ...job.output_media_files];
  for (const { error_class: name, error_message: message } of files) {
    if (name === null || name === undefined) continue;
    const isKnown = name in errorClasses && name !== 'InternalError';
    assert.ok(isKnown && (message ?? '').length > 8, `${name}: ${message}\n${about}`);
    assert.not.match(message ?? '', /undefined|\bNaN\b|\[object/, about);
  }
  await client.send(path, { method: 'DELETE' });
  const { error_class: inputClass } = job.input_media_file;
  return inputClass == null
    ? job.output_media_files.map(({ state, error_class: name }) => name ?? state)
    : [`input ${inputClass}`];
}

async function waitForEnd(client: FuzzClient, path: string, about: string): Promise<JobRecord> {
  const end = Date.now() + maxJobMs;
  for (;;) {
    const { text } = await client.send(path);
    const { job } = JSON.parse(text) as { job: JobRecord };
    if (isFinal(job.state)) return job;
    if (Date.now() > end) {
      await client.send(`${path}/cancel`, { method: 'PUT' });
      throw new Error(`the job did not end within ${maxJobMs / 1000} s, cancelled: ${about}`);
    }
    await new Promise((resolve) => setTimeout(resolve, pollMs));
  }
}
