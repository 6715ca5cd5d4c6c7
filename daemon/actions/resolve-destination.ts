import { posix } from 'node:path';
import { withoutPassword } from '../../src/shared/redact.js';
import { routePath } from '../../src/shared/routes.js';
import type { OutputSettings } from '../../src/shared/settings/index.js';
import { isPlaylist, playlistExtension } from '../../src/shared/settings/playlists.js';
import { isSegmented } from '../../src/shared/settings/segments.js';
import { fileNameInUrl, replaceExtensionInUrl, withoutExtension } from '../../src/shared/text/url-text.js';
import { fileRefUrl } from '../hosted-files/file-ref.js';
import type { OutputDestinations } from '../jobs/draft.js';
import { tokenWithRetention } from '../jobs/hosted-retention.js';
import type { OutputDestination } from '../jobs/job.js';
import { s3UrlOf } from '../jobs/s3-web-url.js';

/** What a destination depends on besides the settings. */
export interface DestinationOptions {
  /** The file name if the settings have none; a random one by default. */
  readonly filename?: string | null;
  /** Extension with its dot, for a generated file name. */
  readonly extension: string;
  /** Address of this daemon as its clients know it, without a trailing slash. */
  readonly baseUrl: string;
  readonly randomToken: () => string;
  /** The token of the folder of a hosted file; a new one if absent. */
  readonly folderToken?: string;
  /** How long a hosted file is kept, in seconds; null or absent for the default. */
  readonly keepSeconds?: number | null;
}

/**
 * Resolves the destination of an output: `url` takes precedence over `base_url` with `filename`. Without
 * either of them, the daemon hosts the file (sections 1 and 4.1). A missing file name is replaced by a random
 * one.
 */
export function resolveDestination(
  settings: OutputSettings,
  options: DestinationOptions,
): OutputDestinations {
  const named = isSegmented(settings) || isPlaylist(settings) ? withPlaylistName(settings) : settings;
  const { secondary_url: second } = named;
  const primary = primaryDestination(named, options);
  return second === undefined ? primary : { ...primary, secondary: externalDestination(second) };
}

/** The settings with a name that ends in `.m3u8` or `.mpd`: the file that is named is the playlist. */
function withPlaylistName(settings: OutputSettings): OutputSettings {
  const { url, filename, secondary_url, ...others } = settings;
  const extension = playlistExtension(settings, url ?? filename);
  const isNamed = (name: string) =>
    name
      .replace(/[?#].*$/s, '')
      .toLowerCase()
      .endsWith(extension);
  const named = (given: string) => (isNamed(given) ? given : replaceExtensionInUrl(given, extension));
  return {
    ...others,
    ...(url === undefined ? {} : { url: named(url) }),
    ...(secondary_url === undefined ? {} : { secondary_url: named(secondary_url) }),
    ...(filename === undefined
      ? {}
      : { filename: isNamed(filename) ? filename : `${withoutExtension(filename)}${extension}` }),
  };
}

function primaryDestination(settings: OutputSettings, options: DestinationOptions): OutputDestination {
  if (settings.url !== undefined) return externalDestination(settings.url);
  const token = options.randomToken();
  const filename = settings.filename ?? options.filename ?? `${token}${options.extension}`;
  if (settings.base_url !== undefined) {
    const path = filename.split('/').map(encodeURIComponent).join('/');
    return externalDestination(`${settings.base_url.replace(/\/+$/, '')}/${path}`);
  }
  // A generated name begins the name of its folder, so that clients can distinguish it from a requested one.
  const folder = tokenWithRetention(options.folderToken ?? token, options.keepSeconds ?? null);
  const fileRef = { token: folder, name: posix.basename(filename) };
  return {
    destination: fileRefUrl('hosted', fileRef),
    url: `${options.baseUrl}${routePath('hostedFile', { ...fileRef })}`,
  };
}

/** The file name in the settings; null if one has to be generated. */
export function requestedFilename(settings: OutputSettings): string | null {
  if (settings.url === undefined) return settings.filename ?? null;
  return fileNameInUrl(settings.url);
}

function externalDestination(url: string): OutputDestination {
  return { destination: s3UrlOf(url) ?? url, url: withoutPassword(url) };
}
