import { sql } from 'kysely';
import { settleWithin } from '../../../src/shared/util/time-limit.js';
import { type ReadOnlyKind, readOnlyReason } from './database-errors.js';
import type { PostgresDatabase } from './open-database.js';

/**
 * Resolves to why the database cannot be used at the moment, as a sentence, or to null if it can. With a limit it resolves in time: a server
 * that has not answered by then counts as one that does not answer.
 */
type DatabaseProblem = (maxWaitMs?: number) => Promise<string | null>;

/** How long an answer of the database is reused, in milliseconds. */
const answerTtlMs = 1000;
/** How long an answer is waited for before the database is asked again, in milliseconds. Each question may occupy a connection. */
const repeatAfterMs = 10_000;

/** A question to the database. */
interface Question {
  readonly atMs: number;
  readonly answer: Promise<string | null>;
  isAnswered: boolean;
}

/**
 * Creates the check of a database: whether it answers, has the tables and accepts changes. With a limit also whether `checkQueue` resolves:
 * without one the caller needs an answer now, and is about to use the queue itself.
 */
export function createDatabaseCheck(
  { queries, name }: Pick<PostgresDatabase, 'queries' | 'name'>,
  checkQueue: () => Promise<void>,
): DatabaseProblem {
  const subject = `${name[0]?.toUpperCase()}${name.slice(1)}`;
  const readOnly = async () => {
    const kind = await queries.connection().execute(readOnlyKind);
    return kind === null ? null : readOnlyReason(subject, kind);
  };
  const database = reuseAnswers(readOnly);
  const all = reuseAnswers(async () => (await readOnly()) ?? (await checkQueue().then(() => null)));
  return async (maxWaitMs) => {
    if (maxWaitMs === undefined) return database().answer;
    const { atMs, answer } = all();
    const late = `${subject} is not available: it does not answer.`;
    return settleWithin(answer, Math.max(0, maxWaitMs - (performance.now() - atMs)), late);
  };
}

/** Asks, or returns the latest question if it is recent. Errors become answers. */
function reuseAnswers(ask: () => Promise<string | null>): () => Question {
  let latest: Question | null = null;
  return () => {
    const ageMs = latest === null ? 0 : performance.now() - latest.atMs;
    if (latest !== null && ageMs <= (latest.isAnswered ? answerTtlMs : repeatAfterMs)) return latest;
    const answer = ask().catch((error: unknown) => (error instanceof Error ? error.message : String(error)));
    const question: Question = { atMs: performance.now(), answer, isAnswered: false };
    void answer.then(() => {
      question.isAnswered = true;
    });
    latest = question;
    return question;
  };
}

/** Why the database rejects changes on this connection; null if it accepts them. Rejects if it has no tables. */
async function readOnlyKind(connection: PostgresDatabase['queries']): Promise<ReadOnlyKind | null> {
  const { rows } = await sql<{ isReadOnly: boolean; isStandby: boolean }>`
    select current_setting('transaction_read_only') = 'on' as "isReadOnly", pg_is_in_recovery() as "isStandby",
      exists (select from venc.ids)`.execute(connection);
  if (rows[0]?.isReadOnly !== true) return null;
  // A lock is rejected like a change. The pool then replaces the connection, which would stay read-only when new ones no longer are.
  await connection
    .selectFrom('ids')
    .select('last_id')
    .forKeyShare()
    .execute()
    .catch(() => undefined);
  return rows[0].isStandby ? 'standby' : 'setting';
}
