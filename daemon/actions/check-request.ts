import { normalize } from 'node:path';
import type { JobRequest, OutputSettings } from '../../src/shared/settings/index.js';
import type { OutputDestination } from '../jobs/draft.js';
import { thumbnailUrl } from '../jobs/thumbnails.js';
import { checkCombination } from '../plan/check-combination.js';
import type { Capabilities } from '../plan/plan-types.js';
import { unsupportedSettingErrors } from '../plan/supported-settings.js';
import type { Account } from '../store/account-store.js';
import { parseFileUrl } from '../transports/file/file-url.js';
import { schemeOf } from '../transports/registry.js';
import type { AppContext } from './app-context.js';
import { requestedFilename, resolveDestination } from './resolve-destination.js';

/** Who asks for a job, and under which address. */
export interface CreateContext {
  readonly account: Account;
  /** Address of this daemon as the client knows it, without a slash at its end. */
  readonly baseUrl: string;
  /** The header `Idempotency-Key`; null or left out where there was none. */
  readonly idempotencyKey?: string | null;
}

/** The parts of a workshop that a check takes: `venc plan` has no more of one. */
export type RequestCheckDeps = Pick<AppContext, 'transports' | 'ffmpeg' | 'randomToken'>;

/** The parts of a context that a check takes. */
export type RequestCheckContext = Pick<CreateContext, 'baseUrl'> & { readonly account: Pick<Account, 'id'> };

/** The sound parts of a request: outputs that have complaints already are undefined. */
export type ValidRequestParts = Partial<Omit<JobRequest, 'outputs'>> & {
  readonly outputs: readonly (OutputSettings | undefined)[];
};

/** An output and its place. */
export interface ResolvedOutput {
  readonly settings: OutputSettings;
  readonly outputDestination: OutputDestination;
}

/** What checking came to: the outputs with their places, and every complaint. */
export interface CheckedRequest {
  readonly outputs: readonly ResolvedOutput[];
  readonly validationErrors: readonly string[];
}

/**
 * Checks a request against what can be known without its input: schemes, codecs and containers, this version and its ffmpeg,
 * places taken twice. Parts that are not sound are passed over.
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
  validationErrors.push(
    ...unsupportedSettingErrors({ ...parts, outputs: parts.outputs.map((settings) => settings ?? {}) }),
  );
  const usedKeys = new Set<string>();
  for (const [index, settings] of parts.outputs.entries()) {
    if (settings === undefined) continue;
    const path = `outputs[${index}]`;
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
    const key = destinationKey(outputDestination.destination);
    if (usedKeys.has(key))
      validationErrors.push(`${path} goes to the same place as another output of this job`);
    usedKeys.add(key);
    if (settings.thumbnails !== undefined) {
      // Two outputs may differ in their extension alone, which the names of thumbnails have not.
      const thumbnailKey = destinationKey(thumbnailUrl(outputDestination.destination, 0));
      if (usedKeys.has(thumbnailKey)) {
        validationErrors.push(
          `${path}.thumbnails go to the same place as those of another output of this job`,
        );
      }
      usedKeys.add(thumbnailKey);
      if (combination.video === null) {
        validationErrors.push(`${path}.thumbnails must be left out: this output has no picture`);
      }
    }
    outputs.push({ settings, outputDestination });
  }
  return { outputs, validationErrors };
}

/** What a destination comes down to: a path can be spelt in many ways, and the later output would overwrite the earlier. */
function destinationKey(destination: string): string {
  if (schemeOf(destination) !== 'file') return destination;
  const reading = parseFileUrl(destination);
  return reading.ok ? normalize(reading.path) : destination;
}

/** What is wrong with an address that is to be fetched. */
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
  return `has the scheme "${schemeOf(url) ?? ''}", which this daemon does not take here: it takes ${known.join(', ')}`;
}

function capabilitiesOf(appContext: RequestCheckDeps): Capabilities {
  // refuseWhenTroubled has turned the request away where there is no ffmpeg.
  if (appContext.ffmpeg === null) throw new TypeError('a job cannot be checked without an ffmpeg');
  return appContext.ffmpeg.capabilities;
}
