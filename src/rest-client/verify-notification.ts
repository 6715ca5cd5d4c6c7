import type { JobNotification, OutputNotification } from '../api-types/api-types.js';
import type { NotificationHeaders, ReceivedNotification } from './declarations.js';
import { invalidOption, SignatureError } from './errors.js';

/** How much the clocks may differ, in seconds. */
const toleranceSeconds = 300;

/** Verifies a notification by the Standard Webhooks specification. See declarations.ts. */
export async function verifyNotification(
  request: ReceivedNotification,
  secret: string | readonly string[],
): Promise<JobNotification | OutputNotification> {
  const secrets = [secret].flat();
  if (secrets.length === 0 || secrets.some((one) => typeof one !== 'string' || one === ''))
    throw invalidOption('secret', 'There is no notification secret.', 'it begins with whsec_');
  const { id, timestamp, signatures } = signatureOf(request.headers);
  // A number of the time that is not valid is not near now.
  if (!(Math.abs(Date.now() / 1000 - Number(timestamp)) <= toleranceSeconds))
    throw rejection('The notification is older than 5 minutes, or the clocks differ.');
  const bytes = await bytesOf(request);
  const prefix = new TextEncoder().encode(`${id}.${timestamp}.`);
  const signed = new Uint8Array(prefix.length + bytes.length);
  signed.set(prefix);
  signed.set(bytes, prefix.length);
  for (const one of secrets) {
    const key = await crypto.subtle.importKey(
      'raw',
      keyBytes(one),
      { name: 'HMAC', hash: 'SHA-256' },
      false,
      ['verify'],
    );
    for (const signature of signatures)
      if (await crypto.subtle.verify('HMAC', key, signature, signed)) return parse(bytes);
  }
  throw rejection('The signature of the notification is not one of this secret.');
}

function signatureOf(headers: NotificationHeaders) {
  const get = (name: string): string | undefined => {
    if (typeof headers.get === 'function') return headers.get(name) ?? undefined;
    const entry = Object.entries(headers).find(([key]) => key.toLowerCase() === name);
    return [entry?.[1] as string | readonly string[] | undefined].flat()[0];
  };
  const [id, timestamp, signature] = [get('webhook-id'), get('webhook-timestamp'), get('webhook-signature')];
  if (!id || !timestamp || !signature) throw rejection('The notification is not signed.');
  const signatures = signature.split(' ').flatMap((part) => {
    const [version, text = ''] = part.split(',');
    return version === 'v1' ? (decodeBase64(text) ?? []) : [];
  });
  return { id, timestamp, signatures };
}

async function bytesOf(request: ReceivedNotification): Promise<Uint8Array> {
  const body =
    'text' in request && typeof request.text === 'function'
      ? await request.text()
      : (request as { readonly body?: unknown }).body;
  if (typeof body === 'string') return new TextEncoder().encode(body);
  if (body instanceof ArrayBuffer) return new Uint8Array(body);
  if (body instanceof Uint8Array) return body;
  throw invalidOption(
    'body',
    'body must be the text or the bytes that were received.',
    'read it before it is parsed as JSON',
  );
}

function keyBytes(secret: string): Uint8Array<ArrayBuffer> {
  const bytes = decodeBase64(secret.replace(/^whsec_/, ''));
  if (bytes === null || bytes.length === 0)
    throw invalidOption('secret', 'The notification secret is not valid.', 'it begins with whsec_');
  return bytes;
}

function decodeBase64(text: string): Uint8Array<ArrayBuffer> | null {
  try {
    return Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
  } catch {
    return null;
  }
}

function parse(bytes: Uint8Array): JobNotification | OutputNotification {
  try {
    return JSON.parse(new TextDecoder().decode(bytes));
  } catch {
    throw invalidOption('body', 'The notification is not JSON.', 'choose the format json for it');
  }
}

function rejection(message: string): SignatureError {
  return new SignatureError(message, {
    code: 'invalid_signature',
    hint: 'answer it with 401, and check the secret',
  });
}
