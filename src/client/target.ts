import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fieldsOf, readText } from '../shared/client/coerce.js';
import { isKey, serviceUrl } from '../shared/client/service-url.js';
import { VencError } from '../shared/errors.js';
import { parseUrl } from '../shared/text/url-text.js';
import { systemCode } from '../shared/util/system-code.js';

/** A service and its key. */
export interface Target {
  /** Base URL without a trailing slash and without the version (`/v2`). */
  readonly url: string;
  readonly apiKey: string;
  /** The daemon of the same user, found through its data folder. Its key is sent only in the header. */
  readonly isOwnDaemon?: boolean;
  /** The key is in the data folder of the daemon, and was not set by the user. */
  readonly isOwnerKey?: boolean;
  /** The service is known to accept the key of GET, cancel and resubmit only in the query (`api_key`). */
  readonly isKeyInQuery?: boolean;
  /** Keeps the discovery of `isKeyInQuery` for later commands. Must not reject. */
  readonly rememberKeyInQuery?: () => Promise<void>;
  /** The hint of an error if the service cannot be reached. */
  readonly hint?: string;
  /** Looks up the daemon again: it may have restarted at another port. */
  readonly locate?: () => Promise<Target>;
}

/** The sources of a target. */
interface TargetSources {
  /** `VENC_URL`, else the configured address; null if neither is set. */
  readonly url: string | null;
  /** The address is from the configuration. */
  readonly isConfigured?: boolean;
  /** `VENC_API_KEY`; null if it is not set. */
  readonly apiKey: string | null;
  readonly dataFolder: string;
}

/** Files in which commands of the same user find the daemon's address and the owner's key. */
const daemonFile = 'daemon.json';
const ownerKeyFile = 'owner-key';

/**
 * Resolves the service to use: the one at `url`, otherwise the daemon of the data folder. A given key takes precedence
 * over the owner's key. Rejects with `UsageError` if the address is invalid, `UnauthorizedError` if the key is missing,
 * `UnreachableError` if no daemon runs with the data folder.
 */
export async function resolveTarget(sources: TargetSources): Promise<Target> {
  if (sources.apiKey !== null && !isKey(sources.apiKey)) {
    throw new VencError(
      'UnauthorizedError',
      'VENC_API_KEY is not a valid key: it contains spaces or non-ASCII characters.',
      { hint: 'check for a line break or a quotation mark that was copied with it' },
    );
  }
  return sources.url === null ? readDaemonTarget(sources) : createServiceTarget(sources.url, sources);
}

/** Describes the address of a service. */
export const addressHint = 'use an address such as https://encoding.example.com, without ? and #';

/** Whether a URL names this machine. */
export function isLocalUrl(url: string): boolean {
  const host = parseUrl(url)?.hostname ?? '';
  return host === 'localhost' || host === '[::1]' || /^127(\.\d+){3}$/.test(host);
}

function createServiceTarget(text: string, { apiKey, isConfigured }: TargetSources): Target {
  const name = isConfigured === true ? 'The configured url' : 'VENC_URL';
  const url = serviceUrl(text);
  if (url === null) {
    throw new VencError('UsageError', `${name} is not the address of a service.`, { hint: addressHint });
  }
  if (apiKey === null) {
    throw new VencError(
      'UnauthorizedError',
      `${name} is ${new URL(url).origin}, but there is no key for it.`,
      { hint: 'set VENC_API_KEY to the key of that service' },
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
  const hint = 'start the daemon with: venc daemon';
  const url = readText(fieldsOf(await readJson(join(sources.dataFolder, daemonFile))).url);
  if (url === null) {
    throw new VencError(
      'UnreachableError',
      `No daemon is running with the data folder ${sources.dataFolder}.`,
      {
        hint: `${hint}; for a remote service: venc target add, or VENC_URL and VENC_API_KEY`,
      },
    );
  }
  const isOwnerKey = sources.apiKey === null;
  const apiKey = sources.apiKey ?? (await readKey(join(sources.dataFolder, ownerKeyFile)));
  return { url, apiKey, isOwnDaemon: true, isOwnerKey, hint, locate: () => readDaemonTarget(sources) };
}

async function readJson(path: string): Promise<unknown> {
  try {
    return JSON.parse(await readFile(path, 'utf8'));
  } catch (error) {
    if (systemCode(error) === 'EACCES') {
      throw new VencError('UnauthorizedError', `The address of the daemon could not be read from ${path}.`, {
        cause: error,
        hint: 'only the user who runs the daemon may read it; other users set VENC_URL and VENC_API_KEY',
      });
    }
    // A missing, incomplete or foreign file names no daemon.
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
          ? 'the daemon creates a new one at its next start; until then, set VENC_API_KEY'
          : 'only the user who runs the daemon may read it; other users set VENC_API_KEY',
    });
  }
}
