import type { Direction } from '../../transfer/map-disk-error.js';
import { classOf, finalTrouble, passingTrouble, type Trouble } from '../../transfer/transfer-error.js';

/** An answer of Swift that brings no file. */
export interface SwiftAnswer {
  readonly status: number;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
}

/** What was asked for, to be named in messages. */
export interface Subject {
  /** The host with its port. */
  readonly host: string;
  readonly container: string;
  readonly object: string;
  readonly direction: Direction;
}

/** What a status that is none of success means. Messages never quote what the server says. */
export function statusTrouble({ status, headers }: SwiftAnswer, subject: Subject): Trouble {
  const { host, direction } = subject;
  const said = `${host} answered with status ${status}`;
  const failure = classOf('failure', direction);
  if (status === 401) return loginTrouble(host);
  if (status === 403) return finalTrouble(classOf('denied', direction), `${said}: access denied.`);
  if (status === 404) return missing(subject);
  if (status === 413 || status === 507)
    return finalTrouble(failure, `${host} has no room for the file: it answered with status ${status}.`);
  const isPassing = [408, 409, 422, 425, 429, 498, 499].includes(status) || status >= 500;
  if (!isPassing || status === 501 || status === 505) return finalTrouble(failure, `${said}.`);
  return passingTrouble(failure, `${said}.`, retryAfterMs(headers['retry-after']));
}

/** That a server does not know the user, or not by this key. */
export function loginTrouble(host: string): Trouble {
  return finalTrouble('InvalidUsernameOrPasswordError', `${host} does not accept the user and the API key.`);
}

/** That there is nothing to be brought, or nowhere to bring it. */
export function missing({ host, container, object, direction }: Subject): Trouble {
  const what =
    direction === 'download'
      ? `no object "${object}" in the container "${container}"`
      : `no container "${container}"`;
  return finalTrouble(classOf('missing', direction), `There is ${what} at ${host}.`);
}

function retryAfterMs(text: string | undefined): number | null {
  return text !== undefined && /^\d{1,6}$/.test(text) ? Number(text) * 1000 : null;
}
