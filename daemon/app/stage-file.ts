import { basename, join } from 'node:path';
import type { ErrorClass } from '../../src/shared/error-classes.js';
import { isVencError, VencError } from '../../src/shared/errors.js';
import { withoutPassword } from '../../src/shared/redact.js';
import { randomToken } from '../../src/shared/util/random-token.js';
import { systemCode } from '../../src/shared/util/system-code.js';
import { noCleanupJournal } from '../transfer/cleanup-journal.js';
import type { Transfer } from '../transfer/transfer.js';
import { networkTransports } from '../transports/create-transports.js';
import { registerTransports, schemeOf } from '../transports/registry.js';
import { servicesFrom } from '../transports/services.js';

/** Where a file is uploaded for a service to fetch it. */
interface StageOptions {
  /** URL of a folder on a server or in a bucket. */
  readonly stage: string;
  /** A folder of the user, which keeps the host keys of SFTP servers. */
  readonly folder: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** A file with an address in the staging folder. It is not uploaded yet. */
interface StagedFile {
  /** Its address for the service. May contain a password. */
  readonly url: string;
  /**
   * Uploads the file. Rejects with an error of the command, such as `UnreachableError` or `UnauthorizedError`, and
   * leaves nothing then.
   */
  send(transfer: Transfer): Promise<void>;
  /** Removes the file, which will not be fetched. Rejects if that is not possible. */
  remove(): Promise<void>;
}

/** Long enough to distinguish two files of one name. */
const tokenLength = 10;
const stallTimeoutMs = 30_000;

/**
 * Chooses the address of a local file in the staging folder: its name with a random prefix. Rejects with
 * `UsageError` if the scheme of the URL does not support uploads.
 */
export async function stageFile(path: string, { stage, folder, env }: StageOptions): Promise<StagedFile> {
  const name = `${randomToken().slice(0, tokenLength)}-${basename(path)}`;
  const url = `${stage.replace(/\/+$/, '')}/${encodeURIComponent(name)}`;
  const registry = registerTransports(
    networkTransports({
      // The user's own server may be in their own network.
      allowPrivateNetwork: true,
      stallTimeoutMs,
      services: servicesFrom(env),
      cleanupJournal: noCleanupJournal,
      hostKeysPath: join(folder, 'known_hosts'),
    }),
  );
  const transport = registry.get(schemeOf(url) ?? '');
  const upload = transport?.upload?.bind(transport);
  if (upload === undefined) {
    const known = [...registry]
      .filter(([, candidate]) => candidate.upload !== undefined)
      .map(([scheme]) => `${scheme}:`);
    throw new VencError('UsageError', `Nothing can be uploaded to ${withoutPassword(stage)}.`, {
      hint: `--stage takes the URL of a folder: ${known.join(', ')}`,
    });
  }
  const validationError = await transport?.checkOutput?.(url, 'default');
  if (validationError)
    throw new VencError('UsageError', `--stage ${withoutPassword(stage)} ${validationError}.`);
  return {
    url,
    async send(transfer) {
      try {
        await upload(path, url, transfer);
      } catch (error) {
        throw transfer.signal.aborted ? error : toStageError(error, path);
      }
    },
    async remove() {
      if (transport?.remove === undefined) throw new VencError('UsageError', 'nothing can be removed there.');
      await transport.remove(url);
    },
  };
}

/**
 * The class of the command's error and what to check, by the class of a failed upload. No job failed, because there is
 * none yet.
 */
const stageErrors: { readonly [Name in ErrorClass]?: readonly [ErrorClass, string] } = {
  InvalidUsernameOrPasswordError: ['UnauthorizedError', 'the user and password'],
  UploadAccessDeniedError: ['UnauthorizedError', 'the folder and the rights of the user'],
  FileNotFoundError: ['NotFoundError', 'the folder'],
  UploadFailureError: ['UnreachableError', 'the URL'],
  UploadTimeoutError: ['UnreachableError', 'the host and port'],
  ForbiddenAddressError: ['UnreachableError', 'the host'],
};

function toStageError(error: unknown, path: string): unknown {
  const [errorClass, part] = (isVencError(error) ? stageErrors[error.errorClass] : undefined) ?? [];
  if (!isVencError(error) || errorClass === undefined) return error;
  const hint = `nothing was submitted; check ${isConnectFailure(error) ? 'the host and port' : part} in --stage`;
  const message = `${basename(path)} could not be uploaded (--stage): ${error.message}`;
  return new VencError(errorClass, message, { cause: error, hint });
}

/** Whether the server was not reached at all. */
function isConnectFailure({ cause }: VencError): boolean {
  return /^E(?:NOTFOUND|AI_AGAIN|CONNREFUSED|HOSTUNREACH|NETUNREACH|TIMEDOUT)$/.test(systemCode(cause) ?? '');
}
