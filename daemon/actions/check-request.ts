import { normalize, posix } from 'node:path';
import { withoutPassword } from '../../src/shared/redact.js';
import { routePath } from '../../src/shared/routes.js';
import type { JobRequest, OutputSettings } from '../../src/shared/settings/index.js';
import { applyStrictMode } from '../../src/shared/settings/report-warnings.js';
import type { RequestWarning } from '../../src/shared/settings/request-warning.js';
import { fileNameInUrl } from '../../src/shared/text/url-text.js';
import { fileRefUrl } from '../hosted-files/file-ref.js';
import type { OutputDestination } from '../jobs/draft.js';
import { notificationWarnings } from '../jobs/notifications.js';
import { headerErrors, objectWarnings } from '../jobs/object-headers.js';
import { thumbnailUrl } from '../jobs/output-files.js';
import { checkCombination } from '../plan/check-combination.js';
import { withDeviceProfile } from '../plan/device-profiles.js';
import { ineffectiveSettings } from '../plan/ineffective-settings.js';
import type { Capabilities } from '../plan/plan-types.js';
import { checkSupport } from '../plan/setting-support.js';
import { supportedJobFields, supportedOutputSettings } from '../plan/supported-settings.js';
import type { Account } from '../store/account-store.js';
import { parseFileUrl } from '../transports/file/file-url.js';
import { schemeOf } from '../transports/registry.js';
import type { AppContext } from './app-context.js';
import { destinationErrors, sourceErrors } from './check-addresses.js';
import { s3UrlOf } from './s3-web-url.js';

/** Who creates a job, and at which address. */
export interface CreateContext {
  readonly account: Account;
  /** Address of this daemon as the client knows it, without a trailing slash. */
  readonly baseUrl: string;
  /** The header `Idempotency-Key`; null or omitted if there is none. */
  readonly idempotencyKey?: string | null;
}

/** The dependencies of a check. `venc plan` has no others. */
export type RequestCheckDeps = Pick<AppContext, 'transports' | 'savedCredentials' | 'ffmpeg' | 'randomToken'>;

/** The part of `CreateContext` that a check needs. */
type RequestCheckContext = Pick<CreateContext, 'baseUrl'> & { readonly account: Pick<Account, 'id'> };

/** The valid parts of a request. Outputs with validation errors are undefined. */
type ValidRequestParts = Partial<Omit<JobRequest, 'outputs'>> & {
  readonly outputs: readonly (OutputSettings | undefined)[];
};

/** An output and its destination. */
export interface ResolvedOutput {
  readonly settings: OutputSettings;
  readonly outputDestination: OutputDestination;
}

/** The result of a check: the outputs with their destinations, every validation error and every warning. */
interface CheckedRequest {
  readonly outputs: readonly ResolvedOutput[];
  readonly validationErrors: readonly string[];
  readonly warnings: readonly RequestWarning[];
}

/**
 * Checks a request against everything that is known without its input: schemes, codecs and containers, the
 * settings that this version and its ffmpeg support, and destinations that are used twice. Skips the parts
 * that are invalid already.
 */
export async function checkRequest(
  appContext: RequestCheckDeps,
  context: RequestCheckContext,
  parts: ValidRequestParts,
): Promise<CheckedRequest> {
  const accountId = context.account.id;
  const outputs: ResolvedOutput[] = [];
  const validationErrors: string[] = [
    ...(parts.input === undefined
      ? []
      : await sourceErrors(appContext, {
          url: parts.input,
          path: 'input',
          credentials: parts.credentials,
          accountId,
        })),
  ];
  const { outputs: _, ...job } = parts;
  const jobSupport = checkSupport(supportedJobFields, job, '');
  validationErrors.push(...jobSupport.validationErrors);
  const warnings: RequestWarning[] = [
    ...jobSupport.warnings,
    ...notificationWarnings(parts.notifications, ''),
  ];
  const usedKeys = new Set<string>();
  for (const [index, given] of parts.outputs.entries()) {
    if (given === undefined) continue;
    const settings = withDeviceProfile(given);
    const path = `outputs[${index}]`;
    const support = checkSupport(supportedOutputSettings, given, path);
    const strictResult = applyStrictMode(support.warnings, settings.strict ?? false);
    validationErrors.push(...support.validationErrors, ...strictResult.validationErrors);
    warnings.push(...strictResult.warnings);
    const combination = checkCombination(
      settings,
      requestedFilename(settings),
      capabilitiesOf(appContext),
      path,
    );
    if (!combination.ok) {
      validationErrors.push(...combination.validationErrors);
      continue;
    }
    const combined = applyStrictMode(combination.warnings, settings.strict ?? false);
    validationErrors.push(...combined.validationErrors);
    warnings.push(...combined.warnings, ...ineffectiveSettings(given, combination, path));
    const outputDestination = resolveDestination(settings, {
      extension: combination.extension,
      baseUrl: context.baseUrl,
      randomToken: appContext.randomToken,
    });
    const scheme = schemeOf(outputDestination.destination);
    const objectResult = applyStrictMode(objectWarnings(settings, scheme, path), settings.strict ?? false);
    warnings.push(...objectResult.warnings, ...notificationWarnings(settings.notifications, path));
    validationErrors.push(...objectResult.validationErrors, ...headerErrors(settings, path));
    validationErrors.push(
      ...(await destinationErrors(appContext, { settings, outputDestination, path, accountId })),
    );
    for (const [number, { url }] of (settings.watermark ?? []).entries()) {
      const credentials = settings.credentials ?? parts.credentials;
      const urlPath = `${path}.watermark[${number}].url`;
      validationErrors.push(
        ...(await sourceErrors(appContext, { url, path: urlPath, credentials, accountId })),
      );
    }
    const key = destinationKey(outputDestination.destination);
    if (usedKeys.has(key))
      validationErrors.push(`${path} goes to the same place as another output of this job`);
    usedKeys.add(key);
    if (settings.thumbnails !== undefined) {
      // Outputs may differ only in their extensions, which the names of thumbnails do not contain.
      const thumbnailKey = destinationKey(thumbnailUrl(outputDestination.destination, 0));
      if (usedKeys.has(thumbnailKey)) {
        validationErrors.push(
          `${path}.thumbnails go to the same place as those of another output of this job`,
        );
      }
      usedKeys.add(thumbnailKey);
      if (combination.video === null) {
        validationErrors.push(`${path}.thumbnails must be omitted: this output has no video`);
      }
    }
    outputs.push({ settings, outputDestination });
  }
  return { outputs, validationErrors, warnings };
}

/**
 * A destination in canonical form. A path can be spelled in many ways, and the later output would overwrite
 * the earlier one.
 */
function destinationKey(destination: string): string {
  if (schemeOf(destination) !== 'file') return destination;
  const parsed = parseFileUrl(destination);
  return parsed.ok ? normalize(parsed.path) : destination;
}

function capabilitiesOf(appContext: RequestCheckDeps): Capabilities {
  // requireHealthy rejects the request if there is no ffmpeg.
  if (appContext.ffmpeg === null) throw new TypeError('a job cannot be checked without an ffmpeg');
  return appContext.ffmpeg.capabilities;
}

/** What a destination depends on besides the settings. */
interface DestinationOptions {
  /** Extension with its dot, for a generated file name. */
  readonly extension: string;
  /** Address of this daemon as its clients know it, without a trailing slash. */
  readonly baseUrl: string;
  readonly randomToken: () => string;
}

/**
 * Resolves the destination of an output: `url` takes precedence over `base_url` with `filename`. Without
 * either of them, the daemon hosts the file (sections 1 and 4.1). A missing file name is replaced by a random
 * one.
 */
function resolveDestination(settings: OutputSettings, options: DestinationOptions): OutputDestination {
  if (settings.url !== undefined) return externalDestination(settings.url);
  const token = options.randomToken();
  const filename = settings.filename ?? `${token}${options.extension}`;
  if (settings.base_url !== undefined) {
    const path = filename.split('/').map(encodeURIComponent).join('/');
    return externalDestination(`${settings.base_url.replace(/\/+$/, '')}/${path}`);
  }
  // A generated name equals the name of its folder, so that clients can distinguish it from a requested one.
  const fileRef = { token, name: posix.basename(filename) };
  return {
    destination: fileRefUrl('hosted', fileRef),
    url: `${options.baseUrl}${routePath('hostedFile', { ...fileRef })}`,
  };
}

/** The file name in the settings; null if one has to be generated. */
function requestedFilename(settings: OutputSettings): string | null {
  if (settings.url === undefined) return settings.filename ?? null;
  return fileNameInUrl(settings.url);
}

function externalDestination(url: string): OutputDestination {
  return { destination: s3UrlOf(url) ?? url, url: withoutPassword(url) };
}
