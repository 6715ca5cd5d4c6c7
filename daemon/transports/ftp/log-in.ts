import { FTPError } from 'basic-ftp';
import type { Credentials } from '../../transfer/remote-url.js';
import type { ControlConnection } from './control-connection.js';

/** What a server is like, as far as it matters. */
export interface ServerCapabilities {
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
): Promise<ServerCapabilities> {
  // Most servers want this after the login; some need it for names in other letters before.
  await control.sendCommand('OPTS UTF8 ON');
  const { user, password } = credentials ?? anonymous;
  const reply = await control.sendCommand(`USER ${user}`);
  if (reply.code === 331) await control.sendCommandOrThrow(`PASS ${password}`);
  else if (reply.code >= 300) throw new FTPError(reply);
  if (control.hasTLS) {
    await control.sendCommand('PBSZ 0');
    // Never without: what is said to be encrypted is.
    await control.sendCommandOrThrow('PROT P');
  }
  await control.sendCommandOrThrow('TYPE I');
  const features = featuresOf((await control.sendCommand('FEAT')).message);
  if (features.has('UTF8')) await control.sendCommand('OPTS UTF8 ON');
  if (features.has('MLST')) await control.sendCommand('OPTS MLST type;size;modify;unique;');
  return { features, home: homeOf((await control.sendCommand('PWD')).message) };
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
