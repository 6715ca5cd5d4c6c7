import { dirname, join } from 'node:path';
import { VencError } from '../../src/shared/errors.js';
import { withoutPassword } from '../../src/shared/redact.js';
import { noCleanupJournal } from '../transfer/cleanup-journal.js';
import { decodeInPlace } from '../transfer/decode-file.js';
import { networkTransports } from '../transports/create-transports.js';
import { registerTransports, schemeOf } from '../transports/registry.js';
import { servicesFrom } from '../transports/services.js';

const stallTimeoutMs = 30_000;

/**
 * Downloads a file from another machine to `path`, for a program that reads it without a job. Rejects as a transport does.
 * Errors name `field`.
 */
export async function fetchInput(
  url: string,
  path: string,
  {
    allowPrivateNetwork,
    field,
    signal,
  }: { readonly allowPrivateNetwork: boolean; readonly field: string; readonly signal: AbortSignal },
): Promise<void> {
  const registry = registerTransports(
    networkTransports({
      ...{ allowPrivateNetwork, stallTimeoutMs },
      services: servicesFrom(process.env),
      cleanupJournal: noCleanupJournal,
      hostKeysPath: join(dirname(path), 'known_hosts'),
    }),
  );
  const transport = registry.get(schemeOf(url) ?? '');
  const rule = transport?.download === undefined ? 'has no scheme that can be read' : null;
  const problem = rule ?? (await transport?.checkInput?.(url, 'default')) ?? null;
  if (problem !== null)
    throw new VencError('InvalidRequestError', `${field} ${problem}: ${withoutPassword(url)}.`, { field });
  const facts = await transport?.download?.(url, path, { signal, onProgress: () => undefined });
  if (facts?.encoding !== undefined)
    await decodeInPlace(path, { encoding: facts.encoding, maxBytes: Number.POSITIVE_INFINITY, signal });
}
