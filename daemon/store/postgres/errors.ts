import { type Kysely, sql } from 'kysely';
import { isVencError, VencError } from '../../../src/shared/errors.js';
import { systemCode } from '../../../src/shared/util/system-code.js';
import { settleWithin } from '../../../src/shared/util/timing.js';
import type { DatabaseSchema } from './schema.js';

/** What error messages say of a database. Contains no password. */
export interface DatabaseTarget {
  /** The host and port, or the path of the socket. */
  readonly server: string;
  readonly database: string;
  readonly user: string;
}

/** Seconds after which a client may retry while the database does not answer. */
const retryAfterSeconds = 5;

/** Sentences about errors of the connection, by code of the system. */
const connectionReasons: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'the connection was refused',
  ECONNRESET: 'the connection was reset',
  EPIPE: 'the connection was closed',
  ENOTFOUND: 'its name is unknown',
  EAI_AGAIN: 'its name could not be resolved',
  EHOSTUNREACH: 'there is no route to it',
  ENETUNREACH: 'there is no route to it',
  ETIMEDOUT: 'it did not answer in time',
  ENOENT: 'there is no such socket',
  EACCES: 'this user may not use its socket',
};

/**
 * Maps an error of a statement or connection: `OutOfSpaceError` if the disk of the database is full, `UsageError` if
 * the database does not admit the user, and `UnavailableError` if it cannot answer now. Other errors are returned
 * unchanged: they are errors of the program.
 */
export function toDatabaseError(error: unknown, target: DatabaseTarget): unknown {
  if (error instanceof VencError) return error;
  if (error instanceof Error && /password must be a.* string/.test(error.message))
    return missingPassword(error, target);
  const state = sqlState(error);
  if (state === null) return unavailable(error, target, connectionReason(error));
  if (state === '53100')
    return new VencError('OutOfSpaceError', `There is no space left on the disk of ${nameOf(target)}.`, {
      cause: error,
    });
  return rejectedUser(state, error, target) ?? temporary(state, error, target) ?? error;
}

/**
 * Maps an error of a database that was open before. What made it unusable, such as a right that was revoked, is
 * corrected in the database: until then it is not available.
 */
export function toOpenDatabaseError(error: unknown, target: DatabaseTarget): unknown {
  const mapped = toDatabaseError(error, target);
  const isUnusable = isVencError(mapped, 'UsageError') || unusableStates.has(sqlState(error) ?? '');
  if (!isUnusable || !(mapped instanceof Error)) return mapped;
  const hint = isVencError(mapped) ? mapped.hint : null;
  const message = isVencError(mapped)
    ? mapped.message
    : `The database ${nameOf(target)} is not available: ${mapped.message}.`;
  return new VencError('UnavailableError', message, {
    cause: error,
    ...(hint === null ? {} : { hint }),
    retryAfterSeconds,
  });
}

/** The state of a change in a database that only answers reads. */
const readOnlyState = '25006';

/**
 * States of a database that somebody has changed while it was in use: it admits nobody, or a table or schema is
 * missing.
 */
const unusableStates: ReadonlySet<string> = new Set(['55000', '42P01', '3F000', '42703']);

/**
 * Whether an error leaves the connection unusable, or in an unknown state. One that became read-only stays so, although
 * the next one may reach a server that is not.
 */
export function isConnectionLost(error: unknown): boolean {
  const state = sqlState(error);
  return state === null || state === readOnlyState || state.startsWith('08') || state.startsWith('57P');
}

/** The error for a DSN that cannot be parsed. Its text is not repeated, because it may contain a password. */
export function invalidDsn(reason: string): VencError {
  return new VencError('UsageError', `The address of the database is not valid: ${reason}.`, {
    hint: 'write it as postgres://USER:PASSWORD@HOST:PORT/DATABASE, with special characters of the password percent-encoded',
  });
}

/** The error for a database whose settings would lose or change data. */
export function unusableDatabase(target: DatabaseTarget, reason: string, hint: string): VencError {
  return new VencError('UsageError', `The database ${nameOf(target)} cannot be used: ${reason}.`, { hint });
}

function missingPassword(error: unknown, { server, user }: DatabaseTarget): VencError {
  return new VencError(
    'UsageError',
    `The database server ${server} asks for the password of the user "${user}".`,
    {
      cause: error,
      hint: 'put it into VENC_DATABASE, PGPASSWORD or ~/.pgpass',
    },
  );
}

function rejectedUser(state: string, error: unknown, target: DatabaseTarget): VencError | null {
  const { server, database, user } = target;
  if (state === '28P01' || state === '28000')
    return new VencError('UsageError', `The database server ${server} rejected the user "${user}".`, {
      cause: error,
      hint: 'check the user and the password in the address of the database, and pg_hba.conf on the server',
    });
  if (state === '3D000')
    return new VencError('UsageError', `There is no database "${database}" on ${server}.`, {
      cause: error,
      hint: `create it with "createdb ${database}", or correct the address of the database`,
    });
  if (state === '42501')
    return new VencError('UsageError', `The user "${user}" lacks rights in ${nameOf(target)}.`, {
      cause: error,
      hint: `make it the owner: ALTER DATABASE "${database}" OWNER TO "${user}", and the same for the schema venc if it exists`,
    });
  return null;
}

/** Classes of errors that pass without a change of the program, by the first characters of their SQLSTATE. */
const temporaryReasons: readonly (readonly [prefix: string, reason: string])[] = [
  ['08', 'the connection was lost'],
  [readOnlyState, 'it is read-only at the moment'],
  ['25P03', 'a transaction took too long'],
  ['40', 'a concurrent change interfered'],
  ['53300', 'it has no free connection'],
  ['53', 'it lacks resources'],
  ['55P03', 'a lock was not available in time'],
  ['57014', 'a statement took too long'],
  ['57P', 'it is starting, stopping or ended the connection'],
  ['58', 'its system failed'],
];

function temporary(state: string, error: unknown, target: DatabaseTarget): VencError | null {
  const found = temporaryReasons.find(([prefix]) => state.startsWith(prefix));
  if (found === undefined) return null;
  return unavailable(error, target, found[1], state === readOnlyState ? readOnlyHint : unavailableHint);
}

const unavailableHint = 'check that PostgreSQL runs at that address and accepts connections, then try again';
const readOnlyHint =
  'promote the standby or use the address of the primary; of a primary, set default_transaction_read_only to off';

/** Why a database only answers reads: its server is a standby, or `default_transaction_read_only` is on. */
type ReadOnlyKind = 'standby' | 'setting';

/**
 * Why a database that only answers reads cannot be used, and what to do, as sentences. The subject is what the first
 * one begins with.
 */
function readOnlyReason(subject: string, kind: ReadOnlyKind): string {
  return kind === 'standby'
    ? `${subject} is read-only: the server is a standby. Promote it, or start the daemon with the address of the primary.`
    : `${subject} is read-only: default_transaction_read_only is on. Set it to off for the server, the database or the user, wherever it is on.`;
}

function unavailable(
  error: unknown,
  target: DatabaseTarget,
  reason: string,
  hint = unavailableHint,
): VencError {
  return new VencError('UnavailableError', `The database ${nameOf(target)} is not available: ${reason}.`, {
    cause: error,
    hint,
    retryAfterSeconds,
  });
}

function connectionReason(error: unknown): string {
  // Connecting to a name with several addresses fails with one error for each of them.
  const first: unknown = error instanceof AggregateError ? error.errors[0] : error;
  const known = connectionReasons[systemCode(first) ?? ''];
  if (known !== undefined) return known;
  const message = first instanceof Error ? first.message : '';
  if (/does not support SSL/i.test(message)) return 'it does not offer TLS, which sslmode demands';
  return /timeout|timed out/i.test(message) ? 'it did not answer in time' : 'the connection was lost';
}

/** The database and its server, as messages name them. */
export function nameOf({ server, database }: DatabaseTarget): string {
  return `"${database}" on ${server}`;
}

/** The SQLSTATE of an error that the server reported; null for errors of the connection. */
function sqlState(error: unknown): string | null {
  if (!(error instanceof Error) || !('severity' in error) || !('code' in error)) return null;
  return typeof error.code === 'string' && /^[0-9A-Z]{5}$/.test(error.code) ? error.code : null;
}

/**
 * Resolves to why the database cannot be used at the moment, as a sentence, or to null if it can. With a limit it
 * resolves in time: a server that has not answered by then counts as one that does not answer.
 */
type DatabaseProblem = (maxWaitMs?: number) => Promise<string | null>;

/** How long an answer of the database is reused, in milliseconds. */
const answerTtlMs = 1000;
/**
 * How long an answer is waited for before the database is asked again, in milliseconds. Each question may occupy a
 * connection.
 */
const repeatAfterMs = 10_000;

/** A question to the database. */
interface Question {
  readonly atMs: number;
  readonly answer: Promise<string | null>;
  isAnswered: boolean;
}

/**
 * Creates the check of a database: whether it answers, has the tables and accepts changes. With a limit also whether
 * `checkQueue` resolves: without one the caller needs an answer now, and is about to use the queue itself.
 */
export function createDatabaseCheck(
  { queries, name }: { readonly queries: Kysely<DatabaseSchema>; readonly name: string },
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
async function readOnlyKind(connection: Kysely<DatabaseSchema>): Promise<ReadOnlyKind | null> {
  const { rows } = await sql<{ isReadOnly: boolean; isStandby: boolean }>`
    select current_setting('transaction_read_only') = 'on' as "isReadOnly", pg_is_in_recovery() as "isStandby",
      exists (select from venc.ids)`.execute(connection);
  if (rows[0]?.isReadOnly !== true) return null;
  // A lock is rejected like a change. The pool then replaces the connection, which would stay read-only when new ones
  // no longer are.
  await connection
    .selectFrom('ids')
    .select('last_id')
    .forKeyShare()
    .execute()
    .catch(() => undefined);
  return rows[0].isStandby ? 'standby' : 'setting';
}
