import { createHash, createHmac } from 'node:crypto';

/** How many records of a kind there are, and a checksum of all. */
export interface TallyResult {
  readonly count: number;
  /** 64 hexadecimal digits. */
  readonly checksum: string;
}

const modulus = 2n ** 256n;

/**
 * Counts records and adds up their checksums. The sum does not depend on the order of the records, which a data folder and a database read
 * differently.
 */
export class Tally {
  #count = 0;
  #sum = 0n;

  /** Adds a record by its checksum. `amount` is what it counts as. */
  add(checksum: string, amount = 1): void {
    this.#count += amount;
    this.#sum = (this.#sum + BigInt(`0x${checksum}`)) % modulus;
  }

  get result(): TallyResult {
    return { count: this.#count, checksum: this.#sum.toString(16).padStart(64, '0') };
  }
}

/** The SHA-256 of a record, in which the order of fields does not count. */
export function checksumOf(record: unknown): string {
  return createHash('sha256').update(canonicalText(record)).digest('hex');
}

/** The checksum of a record with secrets: without the key, nobody can find a weak secret by guessing. */
export function keyedChecksumOf(record: unknown, key: Buffer): string {
  return createHmac('sha256', key).update(canonicalText(record)).digest('hex');
}

/** JSON with the fields of every object in the order of their names. */
function canonicalText(record: unknown): string {
  return JSON.stringify(record, (_name, value: unknown) =>
    typeof value === 'object' && value !== null && !Array.isArray(value)
      ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)))
      : value,
  );
}
