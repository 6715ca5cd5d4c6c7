import { type Kysely, sql } from 'kysely';
import { isObject } from '../../../src/shared/util/is-object.js';
import type { FileProgress } from '../../jobs/progress.js';
import type { WorkerTableChange } from '../worker-table.js';
import type { DatabaseSchema } from './schema.js';

/** Bytes of one notification that PostgreSQL accepts, and some to spare. */
const maxPayloadBytes = 7900;

/** Sends notifications of a channel in one statement, also within a transaction: then they are delivered with its commit. */
export async function notifyAll(
  queries: Kysely<DatabaseSchema>,
  channel: string,
  payloads: readonly string[],
): Promise<void> {
  await sql`select pg_notify(${channel}, payload) from unnest(${[...payloads]}::text[]) as payload`.execute(
    queries,
  );
}

/** Distributes items, as JSON, over as few payloads as fit into notifications. `payloadOf` writes a payload for some items. */
function splitPayloads<T>(
  items: readonly T[],
  payloadOf: (items: readonly T[]) => string,
): readonly string[] {
  const payloads: string[] = [];
  const emptyBytes = Buffer.byteLength(payloadOf([]));
  let part: T[] = [];
  let bytes = emptyBytes;
  for (const item of items) {
    const itemBytes = Buffer.byteLength(JSON.stringify(item)) + 1;
    if (part.length > 0 && bytes + itemBytes > maxPayloadBytes) {
      payloads.push(payloadOf(part));
      part = [];
      bytes = emptyBytes;
    }
    part.push(item);
    bytes += itemBytes;
  }
  if (part.length > 0) payloads.push(payloadOf(part));
  return payloads;
}

/** The channel on which daemons report changes of `venc.workers`. */
export const workersChannel = 'venc_workers';

/** The payloads that report changes. `from` names the daemon. */
export function writeWorkerChanges(from: string, changes: readonly WorkerTableChange[]): readonly string[] {
  return splitPayloads(changes.flatMap(partsOf), (part) => JSON.stringify({ from, changes: part }));
}

/** Parses a payload: the changes that another daemon reports. Those that this version does not know are left out. */
export function parseWorkerChanges(payload: string, own: string): readonly WorkerTableChange[] {
  try {
    const message: unknown = JSON.parse(payload);
    if (!isObject(message) || message.from === own || !Array.isArray(message.changes)) return [];
    return message.changes.filter(isChange);
  } catch {
    return [];
  }
}

/** One change for each worker that has left: together they might not fit into a notification. */
function partsOf(change: WorkerTableChange): readonly WorkerTableChange[] {
  return change.type === 'left' ? change.ids.map((id) => ({ type: 'left', ids: [id] })) : [change];
}

function isChange(value: unknown): value is WorkerTableChange {
  if (!isObject(value)) return false;
  const { type, id, ids, endedNames, name, isDraining } = value;
  if (type === 'joined') return typeof id === 'string' && areTexts(endedNames);
  if (type === 'left') return areTexts(ids);
  return type === 'draining' && typeof name === 'string' && typeof isDraining === 'boolean';
}

function areTexts(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((one) => typeof one === 'string');
}

/** The channel on which daemons publish the progress of the jobs that they run. */
export const progressChannel = 'venc_progress';

/** What is published of one file of a run, or of the run alone. */
interface ProgressItem {
  readonly job: number;
  readonly run: number;
  /** Absent for a run without progress so far. */
  readonly file?: FileProgress & { readonly id: number };
  readonly isEnded?: true;
}

/** A published message. */
export interface ProgressMessage {
  /** Names the daemon. */
  readonly from: string;
  /** Whether the daemon needs the progress of all runs of the others. */
  readonly isRequest: boolean;
  readonly items: readonly ProgressItem[];
}

/** The payloads of a message, which are shorter than a notification may be. */
export function writeProgressMessage({ from, isRequest, items }: ProgressMessage): readonly string[] {
  const payloads = splitPayloads(items, (part) => JSON.stringify({ from, items: part }));
  return isRequest ? [JSON.stringify({ from, isRequest }), ...payloads] : payloads;
}

/** Parses a payload. Returns null if it is none of this version: the daemons may have different ones. */
export function parseProgressMessage(payload: string): ProgressMessage | null {
  try {
    const message: unknown = JSON.parse(payload);
    if (!isObject(message) || typeof message.from !== 'string') return null;
    const items = Array.isArray(message.items) ? message.items.filter(isItem) : [];
    return { from: message.from, isRequest: message.isRequest === true, items };
  } catch {
    return null;
  }
}

function isItem(item: unknown): item is ProgressItem {
  if (!isObject(item) || typeof item.job !== 'number' || typeof item.run !== 'number') return false;
  const { file } = item;
  if (file === undefined) return true;
  const isNumber = (value: unknown) => typeof value === 'number';
  return (
    isObject(file) &&
    typeof file.event === 'string' &&
    [file.id, file.percent, file.overallPercent].every(isNumber)
  );
}
