import { type Kysely, sql } from 'kysely';
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
export function splitPayloads<T>(
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
