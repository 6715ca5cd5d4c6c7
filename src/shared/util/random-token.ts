import { randomBytes } from 'node:crypto';

/** An unguessable token of 32 hexadecimal digits (128 bits), for addresses, names and claims. */
export function randomToken(): string {
  return randomBytes(16).toString('hex');
}
