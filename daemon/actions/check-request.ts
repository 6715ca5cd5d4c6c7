import type { JobRequest, OutputSettings } from '../../src/shared/settings/index.js';
import type { JobRequestParseResult, ValidOutputs } from '../../src/shared/settings/parse-job-request.js';
import { applyStrictMode } from '../../src/shared/settings/report-warnings.js';
import type { RequestWarning } from '../../src/shared/settings/request-warning.js';
import { isTransferOnly } from '../../src/shared/settings/sources.js';
import type { OutputDestinations } from '../jobs/draft.js';
import { notificationWarnings } from '../jobs/notifications.js';
import { headerErrors, objectWarnings } from '../jobs/object-headers.js';
import { checkCombination } from '../plan/check-combination.js';
import { withDeviceProfile, withoutProfileWarnings } from '../plan/device-profiles.js';
import { ineffectiveSettings } from '../plan/ineffective-settings.js';
import type { Capabilities } from '../plan/plan-types.js';
import { checkSupport } from '../plan/setting-support.js';
import { supportedJobFields, supportedOutputSettings } from '../plan/supported-settings.js';
import type { Account } from '../store/account-store.js';
import { schemeOf } from '../transports/registry.js';
import type { AppContext } from './app-context.js';
import { destinationErrors, destinationField, sourceErrors } from './check-addresses.js';
import { type CodecsOfOutput, copyValidationErrors } from './check-copies.js';
import { checkThumbnails } from './check-thumbnails.js';
import { transferredName, transferSettings } from './check-transfer.js';
import { DestinationClaims } from './claim-destinations.js';
import { requestedFilename, resolveDestination } from './resolve-destination.js';
import { unusedJobCredentials, unusedOutputCredentials } from './unused-credentials.js';

/** Who creates a job, and at which address. */
export interface CreateContext {
  readonly account: Account;
  /** Address of this daemon as the client knows it, without a trailing slash. */
  readonly baseUrl: string;
  /** The header `Idempotency-Key`; null or omitted if there is none. */
  readonly idempotencyKey?: string | null;
}

/** The dependencies of a check. `venc plan` has no others. */
export type RequestCheckDeps = Pick<
  AppContext,
  'transports' | 'savedCredentials' | 'ffmpeg' | 'sendsMail' | 'randomToken'
>;

/** The part of `CreateContext` that a check needs. */
type RequestCheckContext = Pick<CreateContext, 'baseUrl'> & { readonly account: Pick<Account, 'id'> };

/** The valid parts of a request. */
type ValidRequestParts = Partial<Omit<JobRequest, 'outputs'>> & ValidOutputs;

/** The parts of a request that can be checked: all of a valid one. */
export function validPartsOf(parsed: JobRequestParseResult): ValidRequestParts {
  return parsed.ok
    ? { ...parsed.request, withoutCodecs: new Set(), withoutDestination: new Set() }
    : { ...parsed.validParts.job, ...parsed.validParts.outputs };
}

/** An output and its destination. */
export interface ResolvedOutput {
  readonly settings: OutputSettings;
  readonly outputDestination: OutputDestinations;
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
  const { outputs: settingsOfOutputs, input, credentials, notifications } = parts;
  const { outputs: _, withoutCodecs, withoutDestination, ...job } = parts;
  const jobSupport = checkSupport(supportedJobFields, job, '');
  const check = createOutputCheck(appContext, context, parts);
  const accountId = context.account.id;
  const [inputErrors, checked] = await Promise.all([
    input === undefined
      ? []
      : sourceErrors(appContext, { url: input, path: 'input', credentials, accountId }),
    Promise.all(
      settingsOfOutputs.map((settings, index) =>
        check(settings, {
          path: `outputs[${index}]`,
          hasCodecs: !withoutCodecs.has(index),
          hasDestination: !withoutDestination.has(index),
        }),
      ),
    ),
  ]);
  const codecs = checked.flatMap((result) => result.codecs ?? []);
  return {
    outputs: checked.flatMap(({ output }) => output ?? []),
    validationErrors: [
      ...inputErrors,
      ...jobSupport.validationErrors,
      ...checked.flatMap((result) => result.validationErrors),
      ...copyValidationErrors(codecs),
    ],
    warnings: [
      ...jobSupport.warnings,
      ...notificationWarnings(notifications, '', appContext.sendsMail),
      ...unusedJobCredentials(parts),
      ...checked.flatMap((result) => result.warnings),
    ],
  };
}

/** An output to check: its path in the request, and whether the settings that decide its codecs and its destination are valid. */
interface OutputPosition {
  readonly path: string;
  readonly hasCodecs: boolean;
  readonly hasDestination: boolean;
}

/** What the check of one output found. `output` is absent if its container or its codecs are invalid. */
interface CheckedOutput {
  readonly output?: ResolvedOutput;
  /** Absent for an output that is not encoded. */
  readonly codecs?: CodecsOfOutput;
  readonly validationErrors: readonly string[];
  readonly warnings: readonly RequestWarning[];
}

/**
 * Returns a function that checks an output. Several are checked concurrently. Each claims its destinations before it waits for anything, so
 * that of two outputs with the same destination the second one has the error.
 */
function createOutputCheck(
  appContext: RequestCheckDeps,
  context: RequestCheckContext,
  parts: ValidRequestParts,
): (given: OutputSettings, position: OutputPosition) => Promise<CheckedOutput> {
  const claims = new DestinationClaims();
  const accountId = context.account.id;
  const destinationOptions = { baseUrl: context.baseUrl, randomToken: appContext.randomToken };

  const checkDelivery = async (output: ResolvedOutput, path: string): Promise<CheckedOutput> => {
    const { settings, outputDestination } = output;
    const field = `${path}.${destinationField(settings)}`;
    const claimErrors = claims.claimFile(outputDestination, { path, field });
    const scheme = schemeOf(outputDestination.destination);
    const strictResult = applyStrictMode(objectWarnings(settings, scheme, path), settings.strict ?? false);
    return {
      output,
      validationErrors: [
        ...strictResult.validationErrors,
        ...headerErrors(settings, path),
        ...(await destinationErrors(appContext, { settings, outputDestination, path, accountId })),
        ...claimErrors,
      ],
      warnings: [
        ...strictResult.warnings,
        ...notificationWarnings(settings.notifications, path, appContext.sendsMail),
        ...unusedOutputCredentials(settings, outputDestination, path),
        ...hostedWithSecondary(settings, path),
      ],
    };
  };

  const checkWatermarks = async (settings: OutputSettings, path: string): Promise<readonly string[]> => {
    const credentials = settings.credentials ?? parts.credentials;
    const errors = (settings.watermark ?? []).map(({ url }, index) =>
      sourceErrors(appContext, { url, path: `${path}.watermark[${index}].url`, credentials, accountId }),
    );
    return (await Promise.all(errors)).flat();
  };

  const checkEncoded = async (given: OutputSettings, path: string): Promise<CheckedOutput> => {
    const profiled = withDeviceProfile(given);
    const capabilities = capabilitiesOf(appContext);
    const combination = checkCombination(profiled, requestedFilename(profiled), capabilities, path);
    const settings = combination.ok && combination.video === null ? withoutThumbnails(profiled) : profiled;
    if (!combination.ok) return { validationErrors: combination.validationErrors, warnings: [] };
    const combined = applyStrictMode(
      withoutProfileWarnings(combination.warnings, given, path),
      settings.strict ?? false,
    );
    const outputDestination = resolveDestination(settings, {
      extension: combination.extension,
      ...destinationOptions,
    });
    const output = { settings, outputDestination };
    const checkedDelivery = checkDelivery(output, path);
    const claimErrors = claims.claimThumbnails(settings, outputDestination, path);
    const [delivery, thumbnails, watermarkErrors] = await Promise.all([
      checkedDelivery,
      checkThumbnails(appContext, output, { path, accountId }),
      checkWatermarks(settings, path),
    ]);
    const strictThumbnails = applyStrictMode(thumbnails.warnings, settings.strict ?? false);
    return {
      ...delivery,
      codecs: { settings, combination, path },
      validationErrors: [
        ...combined.validationErrors,
        ...delivery.validationErrors,
        ...watermarkErrors,
        ...thumbnails.validationErrors,
        ...strictThumbnails.validationErrors,
        ...claimErrors,
      ],
      warnings: [
        ...combined.warnings,
        ...ineffectiveSettings(given, combination, path, profiled),
        ...delivery.warnings,
        ...strictThumbnails.warnings,
      ],
    };
  };

  const checkTransferred = async (given: OutputSettings, path: string): Promise<CheckedOutput> => {
    const { kept, warnings } = transferSettings(given, path);
    const outputDestination = resolveDestination(kept, {
      ...transferredName(parts, kept, capabilitiesOf(appContext)),
      ...destinationOptions,
    });
    const delivery = await checkDelivery({ settings: kept, outputDestination }, path);
    return { ...delivery, warnings: [...warnings, ...delivery.warnings] };
  };

  /** The errors of an output whose container, codecs or destination are unknown, as far as they do not depend on these. */
  const checkPartly = async (
    given: OutputSettings,
    { path, hasCodecs, hasDestination }: OutputPosition,
  ): Promise<CheckedOutput> => {
    const settings = withDeviceProfile(given);
    const hasContainer = settings.format !== undefined || settings.url !== undefined;
    const combination =
      hasCodecs && hasContainer && !isTransferOnly(given)
        ? checkCombination(settings, requestedFilename(settings), capabilitiesOf(appContext), path)
        : null;
    const outputDestination = resolveDestination(settings, { extension: '', ...destinationOptions });
    const delivery = hasDestination ? await checkDelivery({ settings, outputDestination }, path) : null;
    return {
      validationErrors: [
        ...(combination?.ok === false ? combination.validationErrors : []),
        ...(delivery?.validationErrors ?? []),
        ...(await checkWatermarks(given, path)),
      ],
      warnings: [],
    };
  };

  return async (given, position) => {
    const { path, hasCodecs, hasDestination } = position;
    const support = checkSupport(supportedOutputSettings, given, path);
    const checkWhole = isTransferOnly(given) ? checkTransferred : checkEncoded;
    const result = await (hasCodecs && hasDestination
      ? checkWhole(given, path)
      : checkPartly(given, position));
    return {
      ...result,
      validationErrors: [...support.validationErrors, ...result.validationErrors],
      warnings: [...support.warnings, ...result.warnings],
    };
  };
}

/** The daemon hosts an output without a destination, and that fails only if its own disk does. */
function hostedWithSecondary(settings: OutputSettings, path: string): readonly RequestWarning[] {
  if (settings.secondary_url === undefined || destinationField(settings) !== 'filename') return [];
  const message = 'is used only if the daemon cannot host the file: the output has no url';
  return [{ field: `${path}.secondary_url`, message }];
}

function withoutThumbnails({ thumbnails: _, ...settings }: OutputSettings): OutputSettings {
  return settings;
}

function capabilitiesOf(appContext: RequestCheckDeps): Capabilities {
  // requireHealthy rejects the request if there is no ffmpeg.
  if (appContext.ffmpeg === null) throw new TypeError('a job cannot be checked without an ffmpeg');
  return appContext.ffmpeg.capabilities;
}
