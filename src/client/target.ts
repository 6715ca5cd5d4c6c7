import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { VencError } from '../shared/errors.js';
import { systemCode } from '../shared/util/system-code.js';
import { fieldsOf, readText } from './coerce.js';

/** Which service, and with which key. */
export interface Target {
  /** Base address without a slash at its end, and without the version that follows it. */
  readonly url: string;
  readonly apiKey: string;
  /** The daemon of the same user, found through its data folder: its key is only ever sent in the header. */
  readonly isOwnDaemon?: boolean;
  /** The service is known to accept the key of GET, cancel and resubmit only in the query (`api_key`). */
  readonly isKeyInQuery?: boolean;
  /** Keeps the discovery of `isKeyInQuery` for later commands. Must not reject. */
  readonly rememberKeyInQuery?: () => Promise<void>;
  /** What to do when it cannot be reached. */
  readonly hint?: string;
  /** Finds the daemon anew, which may have come back at another port. */
  readonly locate?: () => Promise<Target>;
}

/** Where a target may be told. */
export interface TargetSources {
  /** `VENC_URL`, else the configured address; null when there is none. */
  readonly url: string | null;
  /** The address is the configured one. */
  readonly isConfigured?: boolean;
  /** `VENC_API_KEY`; null when it is not set. */
  readonly apiKey: string | null;
  readonly dataFolder: string;
}

/** Files by which commands of the same user find the daemon: its address and the owner's key. */
const daemonFile = 'daemon.json';
const ownerKeyFile = 'owner-key';

/**
 * Which service to talk to: the one at `url`, else the daemon that left its address in the data folder. A key that
 * is given wins over the owner's own.
 * Rejects with `UsageError` for an address that is none, `UnauthorizedError` where the key is missing, `UnreachableError`
 * where no daemon has left its address.
 */
export async function resolveTarget(sources: TargetSources): Promise<Target> {
  if (sources.apiKey !== null && !isKey(sources.apiKey)) {
    throw new VencError(
      'UnauthorizedError',
      'VENC_API_KEY is no key: it has blanks or letters outside of ASCII.',
      {
        hint: 'look for a line break or a quotation mark that was copied along',
      },
    );
  }
  return sources.url === null ? readDaemonTarget(sources) : createServiceTarget(sources.url, sources);
}

/** Whether a text can be a key: it has to go into a header. */
export function isKey(text: string): boolean {
  return /^[!-~]+$/.test(text);
}

/** What an address of a service looks like. */
export const addressHint =
  'it begins with http:// or https:// and has no ? or #, such as https://encoding.example.com';

/** The base address that a text stands for, without a version; null where it is no address of a service, or more than one (`?`, `#`). */
export function serviceUrl(text: string): string | null {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url === null || (url.protocol !== 'http:' && url.protocol !== 'https:')) return null;
  if (url.search !== '' || url.hash !== '') return null;
  // Programs are given the address with its version, and so people type it here too.
  return url.href.replace(/\/+$/, '').replace(/\/+v2$/, '');
}

function createServiceTarget(text: string, { apiKey, isConfigured }: TargetSources): Target {
  const name = isConfigured === true ? 'The configured url' : 'VENC_URL';
  const url = serviceUrl(text);
  if (url === null) {
    throw new VencError('UsageError', `${name} is not the address of a service.`, {
      hint: addressHint,
    });
  }
  if (apiKey === null) {
    throw new VencError(
      'UnauthorizedError',
      `${name} names ${new URL(url).origin}, but there is no key for it.`,
      {
        hint: 'put the key of that service into VENC_API_KEY',
      },
    );
  }
  return {
    url,
    apiKey,
    hint:
      isConfigured === true
        ? 'check the configured address: venc config list; without it: venc config set url --unset'
        : 'check the address in VENC_URL, or unset it to use the daemon on this machine',
  };
}

async function readDaemonTarget(sources: TargetSources): Promise<Target> {
  const hint = 'start one with: venc daemon';
  const url = readText(fieldsOf(await readJson(join(sources.dataFolder, daemonFile))).url);
  if (url === null) {
    throw new VencError(
      'UnreachableError',
      `No daemon is running with the data folder ${sources.dataFolder}.`,
      {
        hint: `${hint}; for a service elsewhere: venc target add, or VENC_URL and VENC_API_KEY`,
      },
    );
  }
  const apiKey = sources.apiKey ?? (await readKey(join(sources.dataFolder, ownerKeyFile)));
  return { url, apiKey, isOwnDaemon: true, hint, locate: () => readDaemonTarget(sources) };
}

async function readJson(path: string): Promise<unknown> {
  try {
    return JSON.parse(await readFile(path, 'utf8'));
  } catch (error) {
    if (systemCode(error) === 'EACCES') {
      throw new VencError('UnauthorizedError', `The address of the daemon could not be read from ${path}.`, {
        cause: error,
        hint: 'only the user who runs the daemon may read it; others take VENC_URL and VENC_API_KEY',
      });
    }
    // Missing, half written or foreign: in each case there is no daemon to be found by it.
    return null;
  }
}

async function readKey(path: string): Promise<string> {
  try {
    return (await readFile(path, 'utf8')).trim();
  } catch (error) {
    throw new VencError('UnauthorizedError', `The key of the daemon could not be read from ${path}.`, {
      cause: error,
      hint:
        systemCode(error) === 'ENOENT'
          ? 'the next start of the daemon makes a new one; until then, put a key into VENC_API_KEY'
          : 'only the user who runs the daemon may read it; others put a key into VENC_API_KEY',
    });
  }
}
