import type { RequestFields } from '../../../src/shared/settings/setting.js';
import { parseJsonSyntax } from '../../../src/shared/text/json-syntax.js';
import { isObject } from '../../../src/shared/util/is-object.js';
import { ask } from './transfer.js';

/** What the form asks for. */
interface FormSettings {
  /** The name of a preset; empty without one. */
  readonly preset: string;
  /** Whether renditions for streaming are made. */
  readonly hasLadder: boolean;
  /** JSON; empty without more settings. */
  readonly more: string;
}

/** A request without its input, or what is wrong with the form. */
export type FormRequest = { readonly request: RequestFields } | { readonly errors: readonly string[] };

/** Fields of a request that the form sets itself. */
const ownFields = ['input', 'mock', 'api_key'];

/** The request that the form asks for. */
export async function requestOfForm({ preset, hasLadder, more }: FormSettings): Promise<FormRequest> {
  const parsed = more.trim() === '' ? { value: {} } : parseJsonSyntax(more);
  if (!('value' in parsed)) {
    const place = parsed.position === null ? '' : ` at ${parsed.position}`;
    return { errors: [`More settings: there is a syntax error in the JSON${place}.`] };
  }
  const { value } = parsed;
  if (!isObject(value))
    return { errors: ['More settings must be a JSON object, such as {"outputs": [{"height": 720}]}.'] };
  const own = ownFields.find((name) => name in value);
  if (own !== undefined) return { errors: [`More settings must not have ${own}: leave it out.`] };
  const request = { ...(preset === '' ? {} : { preset }), ...value };
  return hasLadder ? withLadder(request) : { request };
}

/** The request with the outputs of a ladder, which the daemon makes. */
async function withLadder(request: RequestFields): Promise<FormRequest> {
  const { status, body, messages } = await ask({
    ...{ method: 'POST', path: 'ladder', body: JSON.stringify(request) },
    headers: { 'Content-Type': 'application/json' },
  });
  return status === 200 && isObject(body) ? { request: body } : { errors: messages };
}
