import type { OutputSettings } from '../../src/shared/settings/index.js';
import type { RequestWarning } from '../../src/shared/settings/setting.js';
import { coverUrlOf } from '../../src/shared/settings/sources.js';
import type { OutputDestinations } from '../jobs/draft.js';
import { credentialUse } from '../transports/services.js';

/** The warning that no URL uses the credentials named at a path; none if one uses them, or if none are named. */
function unusedCredentials(
  credentials: string | undefined,
  urls: readonly string[],
  path: string,
): readonly RequestWarning[] {
  const uses = urls.map(credentialUse);
  if (credentials === undefined || uses.length === 0 || uses.includes('saved')) return [];
  const reason = uses.includes('own')
    ? 'the URL has a user of its own'
    : 'files on this machine need no credentials';
  return [{ field: path, message: `has no effect: ${reason}` }];
}

/** The parts of a request that credentials of the job apply to, as far as they are valid. */
interface JobParts {
  readonly credentials?: string;
  readonly input?: string;
  readonly outputs: readonly OutputSettings[];
}

/** The URLs of watermarks, caption files and a cover image. */
function filesOf({ watermark = [], caption_url = [], ...settings }: OutputSettings): readonly string[] {
  const cover = coverUrlOf(settings);
  return [...[...watermark, ...caption_url].map(({ url }) => url), ...(cover === null ? [] : [cover])];
}

/**
 * The warning that the credentials of a job are not used: neither for its input, nor for watermarks, caption files and
 * cover images.
 */
export function unusedJobCredentials({ credentials, input, outputs }: JobParts): readonly RequestWarning[] {
  if (input === undefined) return [];
  const files = outputs.flatMap((settings) => (settings.credentials === undefined ? filesOf(settings) : []));
  return unusedCredentials(credentials, [input, ...files], 'credentials');
}

/**
 * The warnings that the credentials of an output, or those of its thumbnails, are not used. `path` is the path of the
 * output.
 */
export function unusedOutputCredentials(
  settings: OutputSettings,
  { destination, secondary }: OutputDestinations,
  path: string,
): readonly RequestWarning[] {
  const { credentials, thumbnails = [] } = settings;
  const inherited = thumbnails.flatMap((set) =>
    set.base_url === undefined || set.credentials !== undefined ? [] : [set.base_url],
  );
  const urls = [
    destination,
    ...(secondary === undefined ? [] : [secondary.destination]),
    ...inherited,
    ...filesOf(settings),
  ];
  return [
    ...unusedCredentials(credentials, urls, `${path}.credentials`),
    ...thumbnails.flatMap((set, index) =>
      set.base_url === undefined
        ? []
        : unusedCredentials(set.credentials, [set.base_url], `${path}.thumbnails[${index}].credentials`),
    ),
  ];
}
