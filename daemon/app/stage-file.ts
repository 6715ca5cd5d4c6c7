import { basename, join } from 'node:path';
import { VencError } from '../../src/shared/errors.js';
import { withoutPassword } from '../../src/shared/redact.js';
import { randomToken } from '../../src/shared/util/random-token.js';
import { noCleanupJournal } from '../transfer/orphans.js';
import type { Transfer } from '../transfer/transfer.js';
import { networkTransports } from '../transports/create-transports.js';
import { registerTransports, schemeOf } from '../transports/registry.js';
import { servicesFrom } from '../transports/services.js';

/** Where a file is put for a service to fetch it. */
export interface StageOptions {
  /** A folder at a server or in a bucket, as a URL. */
  readonly stage: string;
  /** A folder of the person's: the host keys of SFTP servers are remembered there. */
  readonly folder: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** A file that has a place in a stage, and is not there yet. */
export interface StagedFile {
  /** Its address there, for the service. May hold a password. */
  readonly url: string;
  /** Uploads it. Rejects with the classes of deliveries (contract, section 3), and leaves nothing then. */
  send(transfer: Transfer): Promise<void>;
  /** Removes it, since nobody will fetch it. Rejects where that is not possible. */
  remove(): Promise<void>;
}

/** Enough of a token to tell two files of one name apart. */
const tokenLength = 10;
const stallTimeoutMs = 30_000;
const stageHint = 'Nothing was submitted. Check the folder that --stage names, with its user and password.';

/**
 * Gives a local file a place in a stage: below its URL, under a name that begins with letters of its own. Rejects with `UsageError` where
 * nothing can be uploaded to such a URL.
 */
export async function stageFile(path: string, { stage, folder, env }: StageOptions): Promise<StagedFile> {
  const name = `${randomToken().slice(0, tokenLength)}-${basename(path)}`;
  const url = `${stage.replace(/\/+$/, '')}/${encodeURIComponent(name)}`;
  const registry = registerTransports(
    networkTransports({
      // A server of the person's own may well stand in their own network.
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
        throw transfer.signal.aborted ? error : withStageHint(error);
      }
    },
    async remove() {
      if (transport?.remove === undefined) throw new VencError('UsageError', 'nothing can be removed there.');
      await transport.remove(url);
    },
  };
}

/** There is no job yet, which the advice of the classes speaks of. */
function withStageHint(error: unknown): unknown {
  if (!(error instanceof VencError) || error.hint !== null) return error;
  return new VencError(error.errorClass, error.message, { cause: error, hint: stageHint });
}
