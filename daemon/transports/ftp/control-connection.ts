import { FTPContext, FTPError, type FTPResponse } from 'basic-ftp';
import type { Credentials } from '../../transfer/remote-url.js';

/** Maximum length of a reply line, in characters. */
const maxLineLength = 1 << 16;

/**
 * An FTP control connection. It passes replies to the library as whole lines, because the library loses replies that
 * are split across packets.
 */
export class ControlConnection extends FTPContext {
  #partialLine = '';
  #isGreeted = false;

  /** Closes the connection, and rejects pending commands. */
  end(): void {
    this.closeWithError(new Error('the connection was closed'));
  }

  /** Discards buffered plaintext when TLS starts, so that it cannot be taken for a reply. */
  discardPartialReply(): void {
    this.#partialLine = '';
  }

  /** Waits for the greeting of the server. */
  async readGreeting(): Promise<void> {
    await this.#reply(undefined);
  }

  /**
   * Sends a command. Resolves to the reply, including error replies. Rejects if the connection is lost, or the server
   * closes it (421).
   */
  async sendCommand(command: string): Promise<FTPResponse> {
    try {
      return await this.#reply(command);
    } catch (error) {
      if (error instanceof FTPError && error.code !== 421)
        return { code: error.code, message: error.message };
      throw error;
    }
  }

  /** Sends a command. Resolves to the reply. Rejects with an `FTPError` for an error reply. */
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
      this.closeWithError(new Error('a reply line is too long'));
      return;
    }
    if (end === 0) return;
    if (!this.#isGreeted && !/^\s*\d{3}[ \-\r\n]/.test(text)) {
      this.closeWithError(new Error('the server does not speak FTP'));
      return;
    }
    this.#isGreeted = true;
    super._onControlSocketData(text.slice(0, end));
  }

  #reply(command: string | undefined): Promise<FTPResponse> {
    return this.handle(command, (reply, task) => {
      if (reply instanceof Error) task.reject(reply);
      // A code below 200 is a preliminary reply.
      else if (reply.code >= 200) task.resolve(reply);
    });
  }
}

/** What a server supports, as far as transfers need it. */
export interface ServerCapabilities {
  /** Features of the FEAT reply, in upper case. */
  readonly features: ReadonlySet<string>;
  /** Initial folder of the user; null if the server does not report it as an absolute path. */
  readonly home: string | null;
}

const anonymous: Credentials = { user: 'anonymous', password: 'anonymous@' };

/**
 * Logs in (as `anonymous` without credentials) and configures the session. Rejects with an `FTPError` for an error
 * reply.
 */
export async function logIn(
  control: ControlConnection,
  credentials: Credentials | null,
): Promise<ServerCapabilities> {
  // Most servers expect this after the login. Some need it before, for user names with non-ASCII characters.
  await control.sendCommand('OPTS UTF8 ON');
  const { user, password } = credentials ?? anonymous;
  const reply = await control.sendCommand(`USER ${user}`);
  if (reply.code === 331) await control.sendCommandOrThrow(`PASS ${password}`);
  else if (reply.code >= 300) throw new FTPError(reply);
  if (control.hasTLS) {
    await control.sendCommand('PBSZ 0');
    // Never transfer unencrypted data over ftps.
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

/** Parses the PWD reply, which doubles quotation marks in the path. */
function homeOf(message: string): string | null {
  const path = /"((?:[^"]|"")*)"/.exec(message)?.[1]?.replaceAll('""', '"');
  return path?.startsWith('/') === true ? path : null;
}
