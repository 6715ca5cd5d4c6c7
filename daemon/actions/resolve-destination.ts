import { posix } from 'node:path';
import { withoutPassword } from '../../src/shared/redact.js';
import { routePath } from '../../src/shared/routes.js';
import type { OutputSettings } from '../../src/shared/settings/index.js';
import { fileNameInUrl } from '../../src/shared/text/url-text.js';
import { fileRefUrl } from '../hosted-files/file-ref.js';
import type { OutputDestination } from '../jobs/draft.js';

/** What a place is made of beside the settings. */
export interface DestinationOptions {
  /** Extension with its dot for a name that has to be made up. */
  readonly extension: string;
  /** Address of this daemon as its clients know it, without a slash at its end. */
  readonly baseUrl: string;
  readonly randomToken: () => string;
}

/**
 * Where an output goes: `url` wins over `base_url` with `filename`; with neither of the first two the file is
 * hosted by the daemon (section 1 and 4.1). A missing file name is a random one.
 */
export function resolveDestination(settings: OutputSettings, options: DestinationOptions): OutputDestination {
  if (settings.url !== undefined) return externalDestination(settings.url);
  const token = options.randomToken();
  const filename = settings.filename ?? `${token}${options.extension}`;
  if (settings.base_url !== undefined) {
    const path = filename.split('/').map(encodeURIComponent).join('/');
    return externalDestination(`${settings.base_url.replace(/\/+$/, '')}/${path}`);
  }
  // A made-up name is that of its folder: a client can tell it from one that was asked for.
  const fileRef = { token, name: posix.basename(filename) };
  return {
    destination: fileRefUrl('hosted', fileRef),
    url: `${options.baseUrl}${routePath('hostedFile', { ...fileRef })}`,
  };
}

/** The file name that the settings give, or null where one has to be made up. */
export function requestedFilename(settings: OutputSettings): string | null {
  if (settings.url === undefined) return settings.filename ?? null;
  return fileNameInUrl(settings.url);
}

function externalDestination(destination: string): OutputDestination {
  return { destination, url: withoutPassword(destination) };
}
