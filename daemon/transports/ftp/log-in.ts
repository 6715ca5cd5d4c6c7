import { FTPError } from 'basic-ftp';
import type { Credentials } from '../../transfer/remote-url.js';
import type { ControlConnection } from './control-connection.js';

/** What a server is like, as far as it matters. */
export interface ServerTraits {
  /** Names of what it knows beyond the oldest commands, in capitals. */
  readonly features: ReadonlySet<string>;
  /** Folder that the user lands in; null where the server does not tell it as a path. */
  readonly home: string | null;
}

const anonymous: Credentials = { user: 'anonymous', password: 'anonymous@' };

/** Logs in, as `anonymous` without credentials, and sets up what every transfer needs. Rejects with the `FTPError` of a refusal. */
export async function logIn(
  control: ControlConnection,
  credentials: Credentials | null,
): Promise<ServerTraits> {
  // Most servers want this after the login; some need it for names in other letters before.
  await control.ask('OPTS UTF8 ON');
  const { user, password } = credentials ?? anonymous;
  const answer = await control.ask(`USER ${user}`);
  if (answer.code === 331) await control.demand(`PASS ${password}`);
  else if (answer.code >= 300) throw new FTPError(answer);
  if (control.hasTLS) {
    await control.ask('PBSZ 0');
    // Never without: what is said to be encrypted is.
    await control.demand('PROT P');
  }
  await control.demand('TYPE I');
  const features = featuresOf((await control.ask('FEAT')).message);
  if (features.has('UTF8')) await control.ask('OPTS UTF8 ON');
  if (features.has('MLST')) await control.ask('OPTS MLST type;size;modify;unique;');
  return { features, home: homeOf((await control.ask('PWD')).message) };
}

function featuresOf(message: string): ReadonlySet<string> {
  const lines = message.split('\n').slice(1, -1);
  return new Set(lines.map((line) => line.trim().split(' ')[0]?.toUpperCase() ?? ''));
}

/** A quotation mark in a path is told as two. */
function homeOf(message: string): string | null {
  const path = /"((?:[^"]|"")*)"/.exec(message)?.[1]?.replaceAll('""', '"');
  return path?.startsWith('/') === true ? path : null;
}
