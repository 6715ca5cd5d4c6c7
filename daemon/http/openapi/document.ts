import type { DocumentBody, OpenApiDocument, ResponseNote } from './document-types.js';
import { headers } from './headers.js';
import { info, securitySchemes } from './info.js';
import { sharedParameters } from './parameters.js';
import { pathItems } from './paths.js';
import { recordSchemas } from './record-schemas.js';
import { requestBodies } from './request-bodies.js';
import { requestSchemas } from './request-schemas.js';
import { errorResponseComponents } from './responses.js';
import { tags } from './tags.js';
import { webhooks } from './webhooks.js';

const version = '3.1.1';

/**
 * The service as an OpenAPI document, derived from the tables of routes, records, settings and errors: its bytes in two pieces for any base
 * address, which is that of the daemon as the client knows it, without a slash at its end. The second piece, all but the servers, is made once and
 * shared by all answers. `maxOutputs` is the greatest number of outputs of a job.
 */
export function openApiBytes(maxOutputs: number): (baseUrl: string) => readonly Buffer[] {
  const body = Buffer.from(JSON.stringify(documentBody(maxOutputs)).slice(1));
  return (baseUrl) => [
    Buffer.from(`{"openapi":"${version}","servers":${JSON.stringify(serversAt(baseUrl))},`),
    body,
  ];
}

function serversAt(baseUrl: string): OpenApiDocument['servers'] {
  return [
    { url: baseUrl, description: 'This daemon' },
    { url: `${baseUrl}/api`, description: 'The same, as existing client libraries address it' },
  ];
}

function documentBody(maxOutputs: number): DocumentBody {
  const paths = pathItems();
  return {
    info,
    tags,
    paths,
    webhooks,
    components: {
      schemas: { ...requestSchemas({ maxOutputs }), ...recordSchemas() },
      responses: referredTo(errorResponseComponents(), JSON.stringify(paths)),
      parameters: sharedParameters,
      requestBodies,
      headers,
      securitySchemes,
    },
  };
}

/** Refusals that belong to no operation: see what is said of refusals as such. */
const ofNoOperation: readonly string[] = ['NotFound', 'MethodNotAllowed', 'InternalServerError'];

/** Not every refusal is answered in every form. */
function referredTo(
  responses: Readonly<Record<string, ResponseNote>>,
  text: string,
): Readonly<Record<string, ResponseNote>> {
  const used = Object.entries(responses).filter(
    ([name]) => ofNoOperation.includes(name) || text.includes(`"#/components/responses/${name}"`),
  );
  return Object.fromEntries(used);
}
