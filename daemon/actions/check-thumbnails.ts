import type { OutputSettings } from '../../src/shared/settings/index.js';
import type { RequestWarning } from '../../src/shared/settings/request-warning.js';
import { namedImage } from '../../src/shared/thumbnail-names.js';
import type { DraftParts } from '../jobs/draft.js';
import { headerErrors, objectWarnings } from '../jobs/object-headers.js';
import { thumbnailDestination, thumbnailSets } from '../jobs/thumbnails.js';
import { schemeOf } from '../transports/registry.js';
import { type AddressCheckDeps, uploadErrors } from './check-addresses.js';

/** What the check of the thumbnails of an output found. */
interface CheckedThumbnails {
  readonly validationErrors: readonly string[];
  readonly warnings: readonly RequestWarning[];
}

/** Checks where the thumbnails of an output are delivered, and how. `path` is the path of the output. */
export async function checkThumbnails(
  appContext: AddressCheckDeps,
  { settings, outputDestination }: Pick<DraftParts['outputs'][number], 'settings' | 'outputDestination'>,
  { path, accountId }: { readonly path: string; readonly accountId: string },
): Promise<CheckedThumbnails> {
  const validationErrors: string[] = [];
  const warnings: RequestWarning[] = [];
  for (const [setIndex, set] of thumbnailSets(settings).entries()) {
    const setPath = `${path}.thumbnails[${setIndex}]`;
    const image = namedImage(0, { width: 2, height: 2 });
    const { destination } = thumbnailDestination({ settings, ...outputDestination }, setIndex, image);
    if (schemeOf(destination) === 'hosted' && set.filename?.includes('/')) {
      const message = 'keeps only its last part: the daemon hosts files without folders';
      warnings.push({ field: `${setPath}.filename`, message });
    }
    validationErrors.push(...headerErrors(set, setPath));
    warnings.push(...objectWarnings(objectOf(set), schemeOf(destination), setPath));
    if (set.base_url !== undefined) {
      const { credentials } = set;
      validationErrors.push(
        ...(await uploadErrors(appContext, {
          destination,
          path: `${setPath}.base_url`,
          credentialsPath: `${setPath}.credentials`,
          credentials,
          inheritedCredentials: settings.credentials,
          accountId,
          mayBeHosted: false,
        })),
      );
    } else if (set.credentials !== undefined) {
      const named = { accountId, scheme: schemeOf(destination) ?? '', name: set.credentials };
      const problem = await appContext.savedCredentials.check(named);
      if (problem?.isMissing === true) validationErrors.push(`${setPath}.credentials ${problem.message}`);
      warnings.push({ field: `${setPath}.credentials`, message: 'has no effect without base_url' });
    }
  }
  return { validationErrors, warnings };
}

/** The settings of a set that decide its headers and grants in a bucket. Those of the output are checked there. */
function objectOf({
  headers,
  public: isPublic,
  access_control: grants,
  base_url: folder,
}: NonNullable<OutputSettings['thumbnails']>[number]): OutputSettings {
  return {
    ...(headers === undefined ? {} : { headers }),
    ...(isPublic === undefined ? {} : { public: isPublic }),
    ...(grants === undefined ? {} : { access_control: grants }),
    ...(folder === undefined ? {} : { base_url: folder }),
  };
}
