import { FTPContext, FTPError, type FTPResponse } from 'basic-ftp';

/** What a server may say before a line of it ends. */
const maxLineLength = 1 << 16;

/**
 * The connection that commands and answers pass on. Answers are handed to the library by whole lines: by itself it loses those whose
 * bytes come in two packets.
 */
export class ControlConnection extends FTPContext {
  #unfinished = '';
  #isGreeted = false;

  /** Ends it, and whatever waits for an answer. */
  end(): void {
    this.closeWithError(new Error('the connection was let go of'));
  }

  /** Forgets what came in the clear, for a connection that is encrypted from now on: none of it may pass for an answer. */
  forgetUnfinished(): void {
    this.#unfinished = '';
  }

  /** Waits for the greeting of the server. */
  async greeting(): Promise<void> {
    await this.#answer(undefined);
  }

  /** Sends a command and gives the answer, be it a refusal. Rejects where the connection is lost, and where the server lets go of it. */
  async ask(command: string): Promise<FTPResponse> {
    try {
      return await this.#answer(command);
    } catch (error) {
      if (error instanceof FTPError && error.code !== 421)
        return { code: error.code, message: error.message };
      throw error;
    }
  }

  /** Sends a command and gives the answer. Rejects with an `FTPError` where it is refused. */
  async demand(command: string): Promise<FTPResponse> {
    const answer = await this.#answer(command);
    if (answer.code >= 300) throw new FTPError(answer);
    return answer;
  }

  protected override _onControlSocketData(chunk: string): void {
    const text = this.#unfinished + chunk;
    const end = text.lastIndexOf('\n') + 1;
    this.#unfinished = text.slice(end);
    if (this.#unfinished.length > maxLineLength) {
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

  #answer(command: string | undefined): Promise<FTPResponse> {
    return this.handle(command, (answer, task) => {
      if (answer instanceof Error) task.reject(answer);
      // Below 200 a server only says that it is at it.
      else if (answer.code >= 200) task.resolve(answer);
    });
  }
}
