import { productVersion } from '../../../src/shared/version.js';

/** What the whole document is about, and what goes for every address of it. */
export const info = {
  title: 'venc',
  version: productVersion,
  summary: 'Encodes video: a local daemon that speaks the API of an encoding service.',
  description: `A job names one input and any number of outputs; the daemon fetches the input, encodes each output and delivers it.

**Addresses.** Every path is also there below \`/api\`. Repeated slashes and one at the end make no difference.

**Forms of an answer.** JSON, XML or, where it is told, JSONP. The suffix \`.json\`, \`.xml\` or \`.js\` decides; without one \`format\` in the query; then the header \`Accept\`; then it is JSON. XML mirrors the JSON: the root is \`api-response\`, elements have the names of the JSON, \`type\` is \`integer\`, \`float\`, \`boolean\` or \`array\` where a value is no text, and \`nil="true"\` is null.

**Keys.** In the header \`Service-Api-Key\` (or \`Zencoder-Api-Key\`), in the query as \`api_key\`, or in the body as \`api_key\`; the first of these that is there decides. Without a good key collections answer 401, and what is addressed by an id 404. A read-only key may read inputs, outputs and their progress.

**Refusals.** Every complaint at once, as \`{"errors": ["..."]}\`, in the form that was asked for. Beside what is told of each operation: 404 at addresses that are not there, 405 with \`Allow\` for methods that an address does not take, 500 where something went wrong inside, and 400, 408, 417 or 431 for what is no valid HTTP.

**Methods.** \`HEAD\` answers like \`GET\` without the body. \`OPTIONS\` answers 204 with what scripts of other origins may do.

**Requests.** Numbers and booleans may come as text, 1 and 0 are booleans, null is the same as leaving out, one object will do where an array of one is meant. Fields that nobody knows are ignored.`,
  license: { name: 'MIT', identifier: 'MIT' },
} as const;

/** Where a key is put. */
export const securitySchemes = {
  'Service-Api-Key': {
    type: 'apiKey',
    in: 'header',
    name: 'Service-Api-Key',
    description: 'The key in a header, which is preferred (section 5).',
  },
  api_key: { type: 'apiKey', in: 'query', name: 'api_key', description: 'The key in the query (section 5).' },
} as const;
