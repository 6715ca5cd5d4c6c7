import { randomUUID } from 'node:crypto';

/**
 * An unguessable token of 32 hexadecimal digits (122 random bits), for addresses, names and claims. Not from
 * `randomBytes`, which takes ten times as long: it fetches no bits in advance.
 */
export function randomToken(): string {
  return randomUUID().replaceAll('-', '');
}
