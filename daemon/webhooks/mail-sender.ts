import { dirname } from 'node:path';
import { timeoutSignal } from '../../src/shared/util/timing.js';
import { runProgram } from '../transports/run-program.js';

/**
 * Sends one mail: headers, an empty line and the text. Resolves to null if the program accepted it, else to a sentence
 * that says why not and contains no secret. Rejects only if the signal is aborted.
 */
export type MailSender = (mail: string, signal: AbortSignal) => Promise<string | null>;

/**
 * Makes a sender that passes mails to a program such as sendmail, on its stdin. `-t` makes it read the recipient from
 * the header, so that no address is an argument; with `-i` a line with one dot does not end the mail.
 */
export function createMailSender(program: string, timeoutMs: number): MailSender {
  return async (mail, signal) => {
    signal.throwIfAborted();
    const timeout = timeoutSignal(timeoutMs);
    const searchPath = process.env.PATH ?? dirname(program);
    const { exitCode } = await runProgram({
      program,
      args: ['-t', '-i'],
      variables: { PATH: searchPath },
      stdin: mail,
      searchPath,
      // A mail program may deliver in the background.
      mayLeaveProcesses: true,
      signal: AbortSignal.any([signal, timeout]),
    });
    if (exitCode === 0) return null;
    signal.throwIfAborted();
    if (timeout.aborted) return `The mail program did not end within ${timeoutMs / 1000} seconds.`;
    return exitCode === null
      ? 'The mail program could not be started, or was killed.'
      : `The mail program exited with code ${exitCode}.`;
  };
}
