import { posix } from 'node:path';
import { withoutPassword } from '../../src/shared/redact.js';
import { routePath } from '../../src/shared/routes.js';
import type { OutputSettings } from '../../src/shared/settings/index.js';
import { fileNameInUrl } from '../../src/shared/text/url-text.js';
import { fileRefUrl } from '../hosted-files/file-ref.js';
import type { Placement } from '../jobs/draft.js';

/** What a place is made of beside the settings. */
export interface PlaceParts {
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
export function placeOutput(settings: OutputSettings, parts: PlaceParts): Placement {
  if (settings.url !== undefined) return elsewhere(settings.url);
  const token = parts.randomToken();
  const filename = settings.filename ?? `${token}${parts.extension}`;
  if (settings.base_url !== undefined) {
    const path = filename.split('/').map(encodeURIComponent).join('/');
    return elsewhere(`${settings.base_url.replace(/\/+$/, '')}/${path}`);
  }
  // A made-up name is that of its folder: a client can tell it from one that was asked for.
  const place = { token, name: posix.basename(filename) };
  return {
    destination: fileRefUrl('hosted', place),
    url: `${parts.baseUrl}${routePath('hostedFile', { ...place })}`,
  };
}

/** The file name that the settings give, or null where one has to be made up. */
export function givenFilename(settings: OutputSettings): string | null {
  if (settings.url === undefined) return settings.filename ?? null;
  return fileNameInUrl(settings.url);
}

function elsewhere(destination: string): Placement {
  return { destination, url: withoutPassword(destination) };
}
