import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import type { AtomicFiles } from '../../../src/shared/util/atomic-files.js';
import { readTextFile } from '../../../src/shared/util/disk.js';
import { isObject } from '../../../src/shared/util/is-object.js';
import type { Credential } from '../../jobs/saved-credentials.js';
import { DurableJsonFile, JsonDocument } from '../data-folder/document.js';
import type { DataLayout } from '../data-folder/layout.js';

/** Saved credentials of an account, as `credentials.json` has them. */
export interface StoredCredential {
  readonly accountId: string;
  readonly name: string;
  /** The scheme of the URLs that they are for; null for all. */
  readonly scheme: string | null;
  /** Whether they are used for URLs of their scheme that name no credentials. */
  readonly isDefault: boolean;
  readonly createdAt: string;
  /** User and secret, encrypted with the key of the data folder: base64 of the nonce, the tag and the text. */
  readonly encrypted: string;
}

const algorithm = 'aes-256-gcm';
const nonceBytes = 12;
const tagBytes = 16;
const keyBytes = 32;

/** Creates a key for `encrypt`, as the text of its file. */
export function newCredentialsKey(): string {
  return `${randomBytes(keyBytes).toString('base64')}\n`;
}

/** Reads the key of the data folder; null if there is none. Rejects if the file is damaged. */
export async function readCredentialsKey(layout: DataLayout): Promise<Buffer | null> {
  const text = await readTextFile(layout.credentialsKey);
  if (text === null) return null;
  const key = parseCredentialsKey(text);
  if (key === null) throw new TypeError(`${layout.credentialsKey} is damaged`);
  return key;
}

/** The key of the data folder; the first use creates it. */
export async function openCredentialsKey(layout: DataLayout, files: AtomicFiles): Promise<Buffer> {
  const known = await readCredentialsKey(layout);
  if (known !== null) return known;
  await files.write(layout.credentialsKey, newCredentialsKey());
  const key = await readCredentialsKey(layout);
  if (key === null) throw new TypeError('the key of the credentials was written, but is not there');
  return key;
}

/** Parses the text of a file with a key; null if it is not one. */
export function parseCredentialsKey(text: string): Buffer | null {
  const key = Buffer.from(text.trim(), 'base64');
  return key.byteLength === keyBytes ? key : null;
}

/** Encrypts user and secret. The account and the name are authenticated, so that entries cannot be exchanged. */
export function encrypt(credential: Credential, key: Buffer, owner: CredentialId): string {
  const nonce = randomBytes(nonceBytes);
  const cipher = createCipheriv(algorithm, key, nonce).setAAD(authenticatedText(owner));
  const text = Buffer.concat([cipher.update(JSON.stringify(credential), 'utf8'), cipher.final()]);
  return Buffer.concat([nonce, cipher.getAuthTag(), text]).toString('base64');
}

/** Decrypts user and secret. Throws if the key is another one or the entry was changed. */
export function decrypt({ encrypted, ...owner }: StoredCredential, key: Buffer): Credential {
  const bytes = Buffer.from(encrypted, 'base64');
  const decipher = createDecipheriv(algorithm, key, bytes.subarray(0, nonceBytes), {
    authTagLength: tagBytes,
  })
    .setAAD(authenticatedText(owner))
    .setAuthTag(bytes.subarray(nonceBytes, nonceBytes + tagBytes));
  const text = Buffer.concat([decipher.update(bytes.subarray(nonceBytes + tagBytes)), decipher.final()]);
  return JSON.parse(text.toString('utf8')) as Credential;
}

type CredentialId = Pick<StoredCredential, 'accountId' | 'name'>;

function authenticatedText({ accountId, name }: CredentialId): Buffer {
  return Buffer.from(JSON.stringify([accountId, name]));
}

/** The content of `credentials.json`. */
interface CredentialsDocument {
  readonly credentials: readonly StoredCredential[];
}

/** `DATA/credentials.json`. Reading it rejects with `damagedError` if the file is damaged. */
export function credentialsDocument(
  layout: DataLayout,
  options: { readonly damagedError: (reason: string) => unknown; readonly files?: AtomicFiles },
): JsonDocument<CredentialsDocument> {
  const file = new DurableJsonFile({ path: layout.credentials, parse: parseCredentials, ...options });
  return new JsonDocument(file, { credentials: [] });
}

function parseCredentials(value: unknown): CredentialsDocument | null {
  if (!isObject(value) || !Array.isArray(value.credentials)) return null;
  const credentials: unknown[] = value.credentials;
  return credentials.every(isStoredCredential) ? { credentials } : null;
}

function isStoredCredential(value: unknown): value is StoredCredential {
  return (
    isObject(value) &&
    ['accountId', 'name', 'createdAt', 'encrypted'].every((name) => typeof value[name] === 'string') &&
    (value.scheme === null || typeof value.scheme === 'string') &&
    typeof value.isDefault === 'boolean'
  );
}
