import type { Parameter } from './document-types.js';
import { refTo } from './schema.js';

const headers = [
  ['webhook-id', 'Id of the notice: the same each time that it is sent.'],
  ['webhook-timestamp', 'When it was sent, in seconds since 1970.'],
  [
    'webhook-signature',
    'Signature with the notification secret of the account, as Standard Webhooks has it.',
  ],
] as const;

const parameters: readonly Parameter[] = headers.map(([name, description]) => ({
  name,
  in: 'header',
  required: true,
  description,
  schema: { type: 'string' },
}));

/** What a daemon posts to the addresses that `notifications` of a request names. */
export const webhooks = {
  jobEnded: { post: webhookOperation('jobEnded', 'JobNotice', 'A job came to its end') },
  outputEnded: { post: webhookOperation('outputEnded', 'OutputNotice', 'An output came to its end') },
} as const;

function webhookOperation(operationId: string, schema: string, summary: string) {
  return {
    operationId,
    summary,
    description: 'An addition to the service. What is not taken is sent again, up to 20 times in all.',
    security: [],
    parameters,
    requestBody: {
      description: 'The notice, in the form that the request asked for.',
      required: true,
      content: {
        'application/json': { schema: refTo(schema) },
        'application/xml': { schema: refTo(schema) },
      },
    },
    responses: { '2XX': { description: 'The notice is taken.' } },
  };
}
