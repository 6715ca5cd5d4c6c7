import { dirname } from 'node:path';
import { redact } from '../../src/shared/redact.js';
import { stateClause } from '../../src/shared/states.js';
import { timeoutSignal } from '../../src/shared/util/timing.js';
import type { Job, Notification } from '../jobs/job.js';
import { notificationRecord } from '../jobs/view.js';
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

/**
 * Makes the mail of a notification: a few headers and a short text about the current state of the job or output. Only
 * the address of the target, ids, states and words of our own are in its headers.
 */
export function createMail(job: Job, notification: Notification): string {
  const output = job.outputs.find(({ id }) => id === notification.outputId);
  const subject =
    output === undefined
      ? `Job ${job.id} ${stateClause(job.state)}`
      : `Output ${output.id} of job ${job.id}: ${output.state}`;
  const headers = [
    `To: ${notification.target.url}`,
    `Subject: ${subject}`,
    // The same for every attempt, so that a repeated one can be recognised.
    `Message-ID: <${notification.id}@venc.invalid>`,
    // Answering machines do not answer mails with this header.
    'Auto-Submitted: auto-generated',
    'MIME-Version: 1.0',
  ];
  const text = textOf(job, notification, subject);
  // Other texts may be changed on their way: mail servers limit lines to 998 bytes and need not accept 8-bit
  // characters.
  const isPlain = /^(?:[\x20-\x7e]{0,900}\n)*$/.test(text);
  const content = isPlain
    ? ['Content-Type: text/plain; charset=utf-8', '', text]
    : [
        'Content-Type: text/plain; charset=utf-8',
        'Content-Transfer-Encoding: base64',
        '',
        `${Buffer.from(text)
          .toString('base64')
          .replace(/.{76}(?=.)/g, '$&\n')}\n`,
      ];
  return [...headers, ...content].join('\n');
}

/** The text of a mail; each line ends with a line break. */
function textOf(job: Job, notification: Notification, subject: string): string {
  const record = notificationRecord(job, notification);
  const outputs = 'output' in record ? [record.output] : record.outputs;
  const lines = [
    `${subject}.`,
    '',
    `Input: ${record.input.url} (${record.input.state})`,
    ...errorLines(record.input),
    ...outputs.flatMap((one) => [
      '',
      `Output ${one.id}${one.label === null ? '' : ` (${one.label})`}: ${one.state}`,
      ...(one.state === 'finished' ? [`  ${one.url}`] : []),
      ...errorLines(one),
      ...(one.warnings ?? []).map((warning) => `  ${warning}`),
    ]),
  ];
  return `${redact(lines.map(singleLine).join('\n'))}\n`;
}

function errorLines(file: { readonly error_class: string | null; readonly error_message: string | null }) {
  return file.error_class === null ? [] : [`  ${file.error_class}: ${file.error_message}`];
}

function singleLine(text: string): string {
  return text.replaceAll(/\p{Cc}+/gu, ' ');
}
