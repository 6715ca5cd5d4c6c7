import { createHash, createHmac } from 'node:crypto';
import type { JobDailyUsage } from '../jobs/usage.js';
import { workerKeys } from '../store/accounts/accounts-document.js';
import type { SetupRecords, StoredJob, StoredRecords } from '../store/stored-records.js';

/** One kind of records, counted in the source and in the target. */
interface ComparedRecords {
  readonly what: string;
  readonly source: TallyResult;
  readonly target: TallyResult;
  readonly isEqual: boolean;
}

/** The result of a comparison. */
export interface Comparison {
  readonly rows: readonly ComparedRecords[];
  /** The ids of the first jobs that differ or are only on one side. */
  readonly differingJobs: readonly number[];
}

/** The options of `compareRecords`. */
interface CompareOptions {
  /** Keys the checksums of records with secrets. */
  readonly key: Buffer;
  /** Called after each job of the target. */
  readonly onJob: () => void;
}

const maxDifferingJobs = 10;

/** Reads all records of both sides and compares them. */
export async function compareRecords(
  source: StoredRecords,
  target: StoredRecords,
  { key, onJob }: CompareOptions,
): Promise<Comparison> {
  const [setup, targetSetup] = [await source.setup(), await target.setup()];
  const sides = [new Tallies(setup, key), new Tallies(targetSetup, key)] as const;
  const differingJobs: number[] = [];
  for await (const [a, b] of pairs(source.jobs(), target.jobs())) {
    const [checksumA, checksumB] = [a && sides[0].addJob(a), b && sides[1].addJob(b)];
    if (b !== null) onJob();
    if (checksumA !== checksumB && differingJobs.length < maxDifferingJobs)
      differingJobs.push((a ?? b)?.job.id ?? 0);
  }
  for (const [side, records] of [
    [sides[0], source],
    [sides[1], target],
  ] as const) {
    for await (const { entries, files } of records.removed()) {
      for (const entry of entries) side.addUsage(entry.id, entry.accountId, entry.usage);
      for (const url of files) side.add('files of removed jobs', checksumOf(url));
    }
    const lastId = await records.lastId();
    side.add('last id', checksumOf(lastId), lastId);
  }
  const [all, others] = [sides[0].results(), sides[1].results()];
  const none = new Tally().result;
  const rows = [...new Set([...all.keys(), ...others.keys()])].map((what): ComparedRecords => {
    const [found, copied] = [all.get(what) ?? none, others.get(what) ?? none];
    const isEqual = found.count === copied.count && found.checksum === copied.checksum;
    return { what, source: found, target: copied, isEqual };
  });
  return { rows, differingJobs };
}

/** The checksum of a job with what is stored along with it. */
export function checksumOfJob(stored: StoredJob): string {
  return withRest(checksumOf([stored.revision, stored.job]), stored);
}

function withRest(ofRecord: string, { usage, isFoundByKey }: StoredJob): string {
  return checksumOf([ofRecord, [...usage].sort((a, b) => (a.day < b.day ? -1 : 1)), isFoundByKey]);
}

/** The tallies of one side, by kind, in the order of the table. */
class Tallies {
  readonly #tallies = new Map<string, Tally>();
  readonly #accountNames: ReadonlyMap<string, string>;

  constructor(setup: SetupRecords, key: Buffer) {
    const { document, keyUses, ownerKey, credentials, drainedWorkers } = setup;
    this.#accountNames = new Map(document.accounts.map(({ id, name }) => [id, name]));
    for (const what of ['jobs', 'idempotency keys']) this.#tallies.set(what, new Tally());
    for (const account of document.accounts) this.add('accounts', keyedChecksumOf(account, key));
    for (const one of document.keys) this.add('API keys', checksumOf([one, keyUses[one.id] ?? null]));
    for (const one of workerKeys(document))
      this.add('worker keys', checksumOf([one, keyUses[one.id] ?? null]));
    for (const hash of document.retired ?? []) this.add('retired keys', checksumOf(hash));
    if (ownerKey !== null) this.add('owner key', keyedChecksumOf(ownerKey, key));
    for (const one of credentials) this.add('credentials', keyedChecksumOf(one, key));
    for (const name of drainedWorkers) this.add('drained workers', checksumOf(name));
  }

  /** Adds a job and returns its checksum. */
  addJob(stored: StoredJob): string {
    const { revision, job, usage, isFoundByKey } = stored;
    const ofRecord = checksumOf([revision, job]);
    this.add('jobs', ofRecord);
    if (isFoundByKey) this.add('idempotency keys', checksumOf([job.id, job.accountId, job.idempotency]));
    this.addUsage(job.id, job.accountId, usage);
    return withRest(ofRecord, stored);
  }

  addUsage(id: number, accountId: string, usage: readonly JobDailyUsage[]): void {
    const name = this.#accountNames.get(accountId) ?? accountId;
    for (const { day, grouping, encodedMs, billableMs } of usage) {
      const entry = [id, day, grouping];
      this.add(`usage of ${name} (ms)`, checksumOf([...entry, encodedMs]), encodedMs);
      this.add(`billable usage of ${name} (ms)`, checksumOf([...entry, billableMs]), billableMs);
    }
  }

  add(what: string, checksum: string, amount?: number): void {
    const tally = this.#tallies.get(what) ?? new Tally();
    this.#tallies.set(what, tally);
    tally.add(checksum, amount);
  }

  results(): ReadonlyMap<string, TallyResult> {
    return new Map([...this.#tallies].map(([what, tally]) => [what, tally.result]));
  }
}

/** Pairs the jobs of two sides by their ids. Both are in the order of ids. */
async function* pairs(
  left: AsyncIterable<readonly StoredJob[]>,
  right: AsyncIterable<readonly StoredJob[]>,
): AsyncIterable<readonly [StoredJob | null, StoredJob | null]> {
  const [lefts, rights] = [singly(left), singly(right)];
  let [a, b] = [await next(lefts), await next(rights)];
  while (a !== null || b !== null) {
    const [idA, idB] = [a?.job.id ?? Number.POSITIVE_INFINITY, b?.job.id ?? Number.POSITIVE_INFINITY];
    yield [idA <= idB ? a : null, idB <= idA ? b : null];
    if (idA <= idB) a = await next(lefts);
    if (idB <= idA) b = await next(rights);
  }
}

async function* singly(chunks: AsyncIterable<readonly StoredJob[]>): AsyncGenerator<StoredJob> {
  for await (const chunk of chunks) yield* chunk;
}

async function next(jobs: AsyncGenerator<StoredJob>): Promise<StoredJob | null> {
  const result = await jobs.next();
  return result.done === true ? null : result.value;
}

/** How many records of a kind there are, and a checksum of all. */
interface TallyResult {
  readonly count: number;
  /** 64 hexadecimal digits. */
  readonly checksum: string;
}

const modulus = 2n ** 256n;

/**
 * Counts records and adds up their checksums. The sum does not depend on the order of the records, which a data folder
 * and a database read differently.
 */
class Tally {
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
function checksumOf(record: unknown): string {
  return createHash('sha256').update(canonicalText(record)).digest('hex');
}

/** The checksum of a record with secrets: without the key, nobody can find a weak secret by guessing. */
function keyedChecksumOf(record: unknown, key: Buffer): string {
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
