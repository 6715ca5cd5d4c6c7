import { FTPContext, FTPError, type FTPResponse } from 'basic-ftp';
import type { Credentials } from '../../transfer/remote-url.js';

/** What a server may say before a line of it ends. */
const maxLineLength = 1 << 16;

/**
 * The connection that commands and answers pass on. Answers are handed to the library by whole lines: by itself it loses those whose
 * bytes come in two packets.
 */
export class ControlConnection extends FTPContext {
  #partialLine = '';
  #isGreeted = false;

  /** Ends it, and whatever waits for an answer. */
  end(): void {
    this.closeWithError(new Error('the connection was let go of'));
  }

  /** Forgets what came in the clear, for a connection that is encrypted from now on: none of it may pass for an answer. */
  discardPartialReply(): void {
    this.#partialLine = '';
  }

  /** Waits for the greeting of the server. */
  async readGreeting(): Promise<void> {
    await this.#reply(undefined);
  }

  /** Sends a command and gives the answer, be it a refusal. Rejects where the connection is lost, and where the server lets go of it. */
  async sendCommand(command: string): Promise<FTPResponse> {
    try {
      return await this.#reply(command);
    } catch (error) {
      if (error instanceof FTPError && error.code !== 421)
        return { code: error.code, message: error.message };
      throw error;
    }
  }

  /** Sends a command and gives the answer. Rejects with an `FTPError` where it is refused. */
  async sendCommandOrThrow(command: string): Promise<FTPResponse> {
    const reply = await this.#reply(command);
    if (reply.code >= 300) throw new FTPError(reply);
    return reply;
  }

  protected override _onControlSocketData(chunk: string): void {
    const text = this.#partialLine + chunk;
    const end = text.lastIndexOf('\n') + 1;
    this.#partialLine = text.slice(end);
    if (this.#partialLine.length > maxLineLength) {
      this.closeWithError(new Error('a line has no end'));
      return;
    }
    if (end === 0) return;
    if (!this.#isGreeted && !/^\s*\d{3}[ \-\r\n]/.test(text)) {
      this.closeWithError(new Error('this is no FTP'));
      return;
    }
    this.#isGreeted = true;
    super._onControlSocketData(text.slice(0, end));
  }

  #reply(command: string | undefined): Promise<FTPResponse> {
    return this.handle(command, (reply, task) => {
      if (reply instanceof Error) task.reject(reply);
      // Below 200 a server only says that it is at it.
      else if (reply.code >= 200) task.resolve(reply);
    });
  }
}

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
