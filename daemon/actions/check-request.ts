import { normalize, posix } from 'node:path';
import { withoutPassword } from '../../src/shared/redact.js';
import { routePath } from '../../src/shared/routes.js';
import type { JobRequest, OutputSettings } from '../../src/shared/settings/index.js';
import { applyStrictMode } from '../../src/shared/settings/report-warnings.js';
import type { RequestWarning } from '../../src/shared/settings/request-warning.js';
import { isTransferOnly } from '../../src/shared/settings/sources.js';
import { fileNameInUrl } from '../../src/shared/text/url-text.js';
import { fileRefUrl } from '../hosted-files/file-ref.js';
import type { OutputDestination } from '../jobs/draft.js';
import { thumbnailUrl } from '../jobs/output-files.js';
import { checkCombination } from '../plan/check-combination.js';
import { ineffectiveSettings } from '../plan/ineffective-settings.js';
import type { Capabilities } from '../plan/plan-types.js';
import { checkSupport } from '../plan/setting-support.js';
import { supportedJobFields, supportedOutputSettings } from '../plan/supported-settings.js';
import type { Account } from '../store/account-store.js';
import { parseFileUrl } from '../transports/file/file-url.js';
import { schemeOf } from '../transports/registry.js';
import type { AppContext } from './app-context.js';
import { type CheckedOutput, copyValidationErrors } from './check-copies.js';
import { transferredName, transferSettings } from './check-transfer.js';

/** Who creates a job, and at which address. */
export interface CreateContext {
  readonly account: Account;
  /** Address of this daemon as the client knows it, without a trailing slash. */
  readonly baseUrl: string;
  /** The header `Idempotency-Key`; null or omitted if there is none. */
  readonly idempotencyKey?: string | null;
}

/** The dependencies of a check. `venc plan` has no others. */
export type RequestCheckDeps = Pick<AppContext, 'transports' | 'ffmpeg' | 'randomToken'>;

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
  const outputs: ResolvedOutput[] = [];
  const validationErrors: string[] = [
    ...(parts.input === undefined
      ? []
      : await sourceValidationErrors(appContext, context, parts.input, 'input')),
  ];
  const { outputs: _, ...job } = parts;
  const jobSupport = checkSupport(supportedJobFields, job, '');
  validationErrors.push(...jobSupport.validationErrors);
  const warnings: RequestWarning[] = [...jobSupport.warnings];
  const usedKeys = new Set<string>();
  const combinations: CheckedOutput[] = [];
  for (const [index, settings] of parts.outputs.entries()) {
    if (settings === undefined) continue;
    const path = `outputs[${index}]`;
    const support = checkSupport(supportedOutputSettings, settings, path);
    const strictResult = applyStrictMode(support.warnings, settings.strict ?? false);
    validationErrors.push(...support.validationErrors, ...strictResult.validationErrors);
    warnings.push(...strictResult.warnings);
    if (isTransferOnly(settings)) {
      const { kept, warnings: ignored } = transferSettings(settings, path);
      const outputDestination = resolveDestination(kept, {
        ...transferredName(parts, kept, capabilitiesOf(appContext)),
        baseUrl: context.baseUrl,
        randomToken: appContext.randomToken,
      });
      warnings.push(...ignored);
      validationErrors.push(
        ...(await destinationValidationErrors(appContext, context, kept, outputDestination, path)),
        ...claimDestination(usedKeys, outputDestination, path),
      );
      outputs.push({ settings: kept, outputDestination });
      continue;
    }
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
    warnings.push(...ineffectiveSettings(settings, combination, path));
    const outputDestination = resolveDestination(settings, {
      extension: combination.extension,
      baseUrl: context.baseUrl,
      randomToken: appContext.randomToken,
    });
    validationErrors.push(
      ...(await destinationValidationErrors(appContext, context, settings, outputDestination, path)),
    );
    for (const [number, { url }] of (settings.watermark ?? []).entries()) {
      validationErrors.push(
        ...(await sourceValidationErrors(appContext, context, url, `${path}.watermark[${number}].url`)),
      );
    }
    validationErrors.push(...claimDestination(usedKeys, outputDestination, path));
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
    combinations.push({ settings, combination, path });
  }
  validationErrors.push(...copyValidationErrors(combinations));
  return { outputs, validationErrors, warnings };
}

/** Adds a destination to those that are used; returns a validation error if it is used already. */
function claimDestination(
  usedKeys: Set<string>,
  { destination }: OutputDestination,
  path: string,
): readonly string[] {
  const key = destinationKey(destination);
  const isUsed = usedKeys.has(key);
  usedKeys.add(key);
  return isUsed ? [`${path} goes to the same place as another output of this job`] : [];
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

/** The validation errors of a URL that is to be downloaded. */
async function sourceValidationErrors(
  appContext: RequestCheckDeps,
  context: RequestCheckContext,
  url: string,
  path: string,
): Promise<readonly string[]> {
  const transport = appContext.transports.get(schemeOf(url) ?? '');
  if (transport?.download === undefined)
    return [`${path} ${unsupportedSchemeError(appContext, url, 'download')}`];
  const validationError = await transport.checkInput?.(url, context.account.id);
  return validationError ? [`${path} ${validationError}`] : [];
}

async function destinationValidationErrors(
  appContext: RequestCheckDeps,
  context: RequestCheckContext,
  settings: OutputSettings,
  outputDestination: OutputDestination,
  path: string,
): Promise<readonly string[]> {
  const field =
    settings.url !== undefined ? 'url' : settings.base_url !== undefined ? 'base_url' : 'filename';
  const transport = appContext.transports.get(schemeOf(outputDestination.destination) ?? '');
  const isInternal = field !== 'filename' && schemeOf(outputDestination.destination) === 'hosted';
  if (transport?.upload === undefined || isInternal) {
    return [
      `${path}.${field} ${unsupportedSchemeError(appContext, outputDestination.destination, 'upload')}`,
    ];
  }
  const validationError = await transport.checkOutput?.(outputDestination.destination, context.account.id);
  return validationError ? [`${path}.${field} ${validationError}`] : [];
}

function unsupportedSchemeError(
  appContext: RequestCheckDeps,
  url: string,
  direction: 'download' | 'upload',
): string {
  const known = [...appContext.transports]
    .filter(([scheme, transport]) => transport[direction] !== undefined && scheme !== 'hosted')
    .map(([scheme]) => scheme);
  return `has the scheme "${schemeOf(url) ?? ''}", which is not supported here: use one of ${known.join(', ')}`;
}

function capabilitiesOf(appContext: RequestCheckDeps): Capabilities {
  // requireHealthy rejects the request if there is no ffmpeg.
  if (appContext.ffmpeg === null) throw new TypeError('a job cannot be checked without an ffmpeg');
  return appContext.ffmpeg.capabilities;
}

/** What a destination depends on besides the settings. */
interface DestinationOptions {
  /** The file name if the settings have none; a random one by default. */
  readonly filename?: string | null;
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
  const filename = settings.filename ?? options.filename ?? `${token}${options.extension}`;
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

function externalDestination(destination: string): OutputDestination {
  return { destination, url: withoutPassword(destination) };
}
