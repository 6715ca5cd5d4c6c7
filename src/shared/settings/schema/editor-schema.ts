import { jobSchemas } from './job-schemas.js';
import type { Schema } from './schema.js';
import { given } from './setting-schemas.js';

/**
 * The JSON Schema (draft-07) of a request file, with which editors complete and check it. `maxOutputs` is the maximum
 * number of outputs of a job.
 */
export function editorSchema(maxOutputs: number): Schema & { readonly $schema: string } {
  const { job, named } = jobSchemas(
    { name: 'editor', refTo: (name) => ({ $ref: `#/definitions/${name}` }) },
    maxOutputs,
  );
  return {
    $schema: 'http://json-schema.org/draft-07/schema#',
    title: 'A request to venc',
    ...job,
    properties: {
      $schema: { type: 'string', description: 'The path or the URL of this schema.' },
      ...job.properties,
    },
    not: { allOf: [given('output'), given('outputs')] },
    definitions: named,
  };
}
