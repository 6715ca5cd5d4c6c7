import * as assert from 'uvu/assert';
import type { JobRecord } from '../../../src/shared/records.js';
import { readXmlAnswer } from '../read-xml.js';
import type { FuzzClient } from './fuzz-client.js';
import type { Fields } from './generate-request.js';

/**
 * Stores an accepted request, reads its job, input and outputs back in every representation, and removes it again. The answers are checked
 * against the OpenAPI document as they arrive.
 */
export async function checkStoredJob(client: FuzzClient, body: Fields, path: string): Promise<void> {
  const answer = await client.create(body, { isStored: true, path });
  if (!answer.ok)
    throw new Error(`rejected only if it is stored: ${answer.errors.join(' | ')}\n${JSON.stringify(body)}`);
  const { id } = answer.created;
  const json = await readAll(client, `/v2/jobs/${id}`, ['json', 'xml']);
  const { job } = JSON.parse(json) as { job: JobRecord };
  assert.equal(
    job.output_media_files.map((file) => file.id),
    answer.created.outputs.map((output) => output.id),
  );
  await readAll(client, `/v2/jobs/${id}/progress`, ['json', 'xml']);
  await readAll(client, `/v2/inputs/${job.input_media_file.id}`, ['json', 'xml', 'js']);
  for (const { id: output } of job.output_media_files) {
    await readAll(client, `/v2/outputs/${output}`, ['json', 'xml', 'js']);
    await readAll(client, `/v2/outputs/${output}/progress`, ['json', 'xml', 'js']);
    await client.send(`/outputs/${output}/progress`);
    await client.send(`/v1/outputs/${output}/progress.xml`);
  }
  await readAll(client, '/v2/jobs', ['json', 'xml'], '?per_page=2');
  const cancelled = await client.send(`/v2/jobs/${id}/cancel`, { method: 'PUT' });
  assert.is(cancelled.status, 204, cancelled.text);
  const removed = await client.send(`/v2/jobs/${id}`, { method: 'DELETE' });
  assert.is(removed.status, 204, removed.text);
}

/** Reads a record in several representations. JSON and XML must be equal. Resolves to the JSON. */
async function readAll(
  client: FuzzClient,
  path: string,
  suffixes: readonly string[],
  query = '',
): Promise<string> {
  const texts = new Map<string, string>();
  for (const suffix of suffixes) {
    const { status, text } = await client.send(`${path}.${suffix}${query}`);
    assert.is(status, 200, `${path}.${suffix}: ${text}`);
    texts.set(suffix, text);
  }
  const json = texts.get('json') ?? '';
  // Jobs of other workers come and go between two lists.
  if (query === '') assert.equal(readXmlAnswer(texts.get('xml') ?? ''), JSON.parse(json), path);
  return json;
}
