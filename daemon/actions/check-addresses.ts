import type { OutputSettings } from '../../src/shared/settings/index.js';
import { maxPathPartBytes } from '../../src/shared/settings/limits.js';
import type { RequestWarning } from '../../src/shared/settings/setting.js';
import { namedImage } from '../../src/shared/thumbnail-names.js';
import type { DraftParts, OutputDestinations } from '../jobs/draft.js';
import { headerErrors, objectWarnings } from '../jobs/object-headers.js';
import { thumbnailDestination, thumbnailSets } from '../jobs/thumbnails.js';
import { schemeOf } from '../transports/registry.js';
import { credentialUse, withSavedCredentials } from '../transports/services.js';
import type { AppContext } from './app-context.js';
import { type MachineServices, withKeysOfWorkers } from './required-services.js';

/** The dependencies of a check of addresses. */
type AddressCheckDeps = Pick<AppContext, 'transports' | 'savedCredentials'> & MachineServices;

/** A URL to download from. */
interface Source {
  readonly url: string;
  /** Its path in the request. */
  readonly path: string;
  /** The name of the saved credentials for it. */
  readonly credentials: string | undefined;
  readonly accountId: string;
}

/** The validation errors of a URL that is to be downloaded, and of the credentials for it. */
export async function sourceErrors(
  appContext: AddressCheckDeps,
  { url, path, credentials, accountId }: Source,
): Promise<readonly string[]> {
  const transport = appContext.transports.get(schemeOf(url) ?? '');
  if (transport?.download === undefined)
    return [`${path} ${unsupportedSchemeError(appContext, url, 'download')}`];
  // Credentials of the job also apply to watermarks and caption files of the same scheme.
  if (path === 'input') {
    const credentialError = await credentialErrorOf(appContext, url, { accountId, credentials });
    if (credentialError !== null) return [`credentials ${credentialError}`];
  }
  const complete = await withUsableCredentials(appContext, url, { accountId, credentials });
  const validationError = await transport.checkInput?.(complete, accountId);
  return validationError ? [`${path} ${validationError}`] : [];
}

/** The destination of an output. */
interface Destination {
  readonly settings: OutputSettings;
  readonly outputDestination: OutputDestinations;
  /** The path of the output in the request. */
  readonly path: string;
  readonly accountId: string;
}

/** The validation errors of the destinations of an output, and of the credentials for them. */
export async function destinationErrors(
  appContext: AddressCheckDeps,
  { settings, outputDestination: { destination, secondary }, path, accountId }: Destination,
): Promise<readonly string[]> {
  const { credentials } = settings;
  const field = destinationField(settings);
  const errors = await uploadErrors(appContext, {
    destination,
    path: `${path}.${field}`,
    credentialsPath: `${path}.credentials`,
    credentials,
    accountId,
    mayBeHosted: field === 'filename',
  });
  if (secondary === undefined) return errors;
  const secondaryErrors = await uploadErrors(appContext, {
    destination: secondary.destination,
    path: `${path}.secondary_url`,
    credentialsPath: `${path}.credentials`,
    credentials: undefined,
    // Named credentials are those of the requested URL; a secondary one of another scheme has the default ones.
    inheritedCredentials: credentials,
    accountId,
    mayBeHosted: false,
  });
  return [...errors, ...secondaryErrors];
}

/**
 * A warning for `overwrite` of an output that delivers nothing to this machine: elsewhere files are replaced in any
 * case.
 */
export function unusedOverwrite(
  { settings, outputDestination }: Pick<Destination, 'settings' | 'outputDestination'>,
  path: string,
): readonly RequestWarning[] {
  const { destination, secondary } = outputDestination;
  const urls = [
    destination,
    secondary?.destination,
    ...(settings.thumbnails ?? []).map((set) => set.base_url),
  ];
  if (settings.overwrite !== true || urls.some((url) => url !== undefined && schemeOf(url) === 'file'))
    return [];
  return [{ field: `${path}.overwrite`, message: 'has no effect: the output has no file: URL' }];
}

/** The setting that decides where the file of an output goes. */
export function destinationField({ url, base_url }: OutputSettings): 'url' | 'base_url' | 'filename' {
  if (url !== undefined) return 'url';
  return base_url === undefined ? 'filename' : 'base_url';
}

/** Validation errors of names next to a playlist: those of segments are longer than its own. */
export function partNameErrors(names: readonly string[], path: string): readonly string[] {
  const tooLong = names.find((name) => Buffer.byteLength(name) > maxPathPartBytes);
  return tooLong === undefined
    ? []
    : [`${path} is too long: the name ${tooLong} has more than ${maxPathPartBytes} bytes`];
}

/** A URL to upload to. */
interface UploadTarget {
  readonly destination: string;
  /** The path in the request of the field that names it. */
  readonly path: string;
  readonly credentialsPath: string;
  /** The name of the saved credentials for it. */
  readonly credentials: string | undefined;
  /** The name of saved credentials that apply if they are for the scheme of the URL. */
  readonly inheritedCredentials?: string | undefined;
  readonly accountId: string;
  /** Whether the daemon may host the file itself. */
  readonly mayBeHosted: boolean;
}

/** The validation errors of a URL to upload to, and of the credentials for it. */
async function uploadErrors(appContext: AddressCheckDeps, target: UploadTarget): Promise<readonly string[]> {
  const { destination, path, credentials, accountId } = target;
  const transport = appContext.transports.get(schemeOf(destination) ?? '');
  const isInternal = !target.mayBeHosted && schemeOf(destination) === 'hosted';
  if (transport?.upload === undefined || isInternal)
    return [`${path} ${unsupportedSchemeError(appContext, destination, 'upload')}`];
  const credentialError = await credentialErrorOf(appContext, destination, { accountId, credentials });
  if (credentialError !== null) return [`${target.credentialsPath} ${credentialError}`];
  const owner = { accountId, credentials: credentials ?? target.inheritedCredentials };
  const complete = await withUsableCredentials(appContext, destination, owner);
  const validationError = await transport.checkOutput?.(complete, accountId);
  return validationError ? [`${path} ${validationError}`] : [];
}

/** Whose credentials apply. */
interface Owner {
  readonly accountId: string;
  readonly credentials: string | undefined;
}

/** Why the named credentials cannot be used for a URL, as a sentence without subject; null if they can. */
async function credentialErrorOf(
  { savedCredentials }: AddressCheckDeps,
  url: string,
  {
    accountId,
    credentials = null,
  }: { readonly accountId: string; readonly credentials: string | null | undefined },
): Promise<string | null> {
  const scheme = schemeOf(url) ?? '';
  const problem = await savedCredentials.check({ accountId, scheme, name: credentials });
  // A URL with a user, or on this machine, does not use them, which is a warning; but they must exist.
  if (problem === null || (!problem.isMissing && credentialUse(url) !== 'saved')) return null;
  return problem.message;
}

/**
 * The URL with its saved credentials, or with those that a connected worker has in its environment; the URL itself if
 * they cannot be used, which a transfer reports.
 */
async function withUsableCredentials(
  appContext: AddressCheckDeps,
  url: string,
  owner: Owner,
): Promise<string> {
  const complete = await withSavedCredentials(url, owner, appContext.savedCredentials).catch(() => url);
  return withKeysOfWorkers(appContext, complete);
}

const noWebUploads = 'outputs need an S3, GCS, Swift, FTP, SFTP or file: URL';
/** Schemes of the hosted service that are not supported as destinations, with the reason. */
const unsupportedDestinations: Readonly<Record<string, string>> = {
  http: noWebUploads,
  https: noWebUploads,
  azure: 'this storage is not supported',
  rtmp: 'this service has no live streaming',
};

function unsupportedSchemeError(
  { transports }: AddressCheckDeps,
  url: string,
  direction: 'download' | 'upload',
): string {
  const scheme = schemeOf(url) ?? '';
  const reason = direction === 'upload' ? unsupportedDestinations[scheme] : undefined;
  if (reason !== undefined) return `must not be ${scheme}: ${reason}`;
  const known = [...transports]
    .filter(([name, transport]) => transport[direction] !== undefined && name !== 'hosted')
    .map(([name]) => name);
  return `has the scheme "${scheme}", which is not supported here: use one of ${known.join(', ')}`;
}

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
