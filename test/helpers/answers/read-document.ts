import { openApiBytes } from '../../../daemon/http/openapi/document.js';

/** The document that {@link at} looks into, and what it is made for. */
export const readOptions = { baseUrl: 'https://encode.example.com/venc', maxOutputs: 7 } as const;

/** As a reader has it, who knows no type of ours. */
const read: unknown = JSON.parse(
  Buffer.concat(openApiBytes(readOptions.maxOutputs)(readOptions.baseUrl)).toString(),
);

/** What stands in the document at a path of keys; references on the way are followed. undefined where nothing does. */
export function at(...keys: readonly string[]): unknown {
  return keys.reduce((place: unknown, key) => property(resolved(place), key), read);
}

/** The property of a value of any kind; undefined where it has none. */
export function property(value: unknown, key: string): unknown {
  return typeof value === 'object' && value !== null
    ? Object.getOwnPropertyDescriptor(value, key)?.value
    : undefined;
}

/** What a reference leads to; anything else is itself. */
export function resolved(value: unknown): unknown {
  const reference = property(value, '$ref');
  if (typeof reference !== 'string') return value;
  return at(...reference.replace('#/', '').split('/'));
}
