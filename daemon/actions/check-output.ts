import { VencError } from '../../src/shared/errors.js';
import { captionFormat, isCaptionPlaylist, isCaptions } from '../../src/shared/settings/captions.js';
import { isEncrypted } from '../../src/shared/settings/encryption.js';
import type { JobRequest, OutputSettings } from '../../src/shared/settings/index.js';
import type { ValidOutputs } from '../../src/shared/settings/parse-job-request.js';
import { isPlaylist, playlistExtension } from '../../src/shared/settings/playlists.js';
import { applyStrictMode } from '../../src/shared/settings/report-warnings.js';
import type { RequestWarning } from '../../src/shared/settings/request-warning.js';
import { isSegmented } from '../../src/shared/settings/segments.js';
import { isTransferOnly } from '../../src/shared/settings/sources.js';
import { checkSupport } from '../../src/shared/settings/support/setting-support.js';
import { supportedOutputSettings } from '../../src/shared/settings/support/supported-settings.js';
import { fileNameInUrl, withoutExtension } from '../../src/shared/text/url-text.js';
import type { OutputDestinations } from '../jobs/draft.js';
import { notificationWarnings } from '../jobs/notifications.js';
import { headerErrors, objectWarnings } from '../jobs/object-headers.js';
import { manifestNameOf } from '../jobs/playlists.js';
import { checkCombination } from '../plan/check-combination.js';
import { captionFileNames } from '../plan/decide/captions.js';
import { captionSegmentName, partNames } from '../plan/decide/packaging.js';
import { withDeviceProfile, withoutProfileWarnings, withProfileErrors } from '../plan/device-profiles.js';
import { ineffectiveSettings } from '../plan/ineffective-settings.js';
import type { Capabilities } from '../plan/plan-types.js';
import { turnsOff } from '../plan/stream-settings.js';
import { toCapabilities } from '../queue/remote/machine-abilities.js';
import type { Account } from '../store/account-store.js';
import { schemeOf } from '../transports/registry.js';
import type { AppContext } from './app-context.js';
import {
  destinationErrors,
  destinationField,
  partNameErrors,
  sourceErrors,
  unusedOverwrite,
} from './check-addresses.js';
import type { CodecsOfOutput } from './check-copies.js';
import { checkPlaylist, defaultPlaylistName, hasSharedFolder } from './check-playlists.js';
import { checkThumbnails } from './check-thumbnails.js';
import { transferredName, transferSettings } from './check-transfer.js';
import type { DestinationClaims } from './claim-destinations.js';
import { requestedFilename, resolveDestination } from './resolve-destination.js';
import { unusedOutputCredentials } from './unused-credentials.js';

/** The dependencies of a check. `venc plan` has no others. */
export type RequestCheckDeps = Pick<
  AppContext,
  'transports' | 'savedCredentials' | 'sendsMail' | 'randomToken'
> &
  EncoderDeps;

/** Who creates a job, and the address of this daemon as that client knows it, as far as a check needs it. */
export interface RequestCheckContext {
  readonly account: Pick<Account, 'id'>;
  readonly baseUrl: string;
}

/** The valid parts of a request. */
export type ValidRequestParts = Partial<Omit<JobRequest, 'outputs'>> & ValidOutputs;

/** An output and its destination. */
export interface ResolvedOutput {
  readonly settings: OutputSettings;
  readonly outputDestination: OutputDestinations;
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
export function createOutputCheck(
  appContext: RequestCheckDeps,
  context: RequestCheckContext,
  parts: ValidRequestParts,
  claims: DestinationClaims,
): (given: OutputSettings, position: OutputPosition) => Promise<CheckedOutput> {
  const accountId = context.account.id;
  const folder = hasSharedFolder(parts.outputs) ? { folderToken: appContext.randomToken() } : {};
  const destinationOptions = { baseUrl: context.baseUrl, randomToken: appContext.randomToken };

  const checkDelivery = async (output: ResolvedOutput, path: string): Promise<CheckedOutput> => {
    const { settings, outputDestination } = output;
    const field = `${path}.${destinationField(settings)}`;
    const claimErrors = claims.claimFile(settings, outputDestination, { path, field });
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
        ...unusedOverwrite(output, path),
      ],
    };
  };

  const checkDownloads = async (settings: OutputSettings, path: string): Promise<readonly string[]> => {
    const credentials = settings.credentials ?? parts.credentials;
    const files = (['watermark', 'caption_url'] as const).flatMap((name) =>
      (settings[name] ?? []).map(({ url }, index) => ({ url, path: `${path}.${name}[${index}].url` })),
    );
    const errors = files.map((file) => sourceErrors(appContext, { ...file, credentials, accountId }));
    const { encryption_key_url: url } = settings;
    if (url !== undefined && isEncrypted(settings) && settings.encryption_key === undefined)
      errors.push(
        sourceErrors(appContext, { url, path: `${path}.encryption_key_url`, credentials, accountId }),
      );
    return (await Promise.all(errors)).flat();
  };

  const checkEncoded = async (given: OutputSettings, path: string): Promise<CheckedOutput> => {
    const profiled = withDeviceProfile(given);
    const combination = checkWithEncoders(appContext, profiled, requestedFilename(profiled), path);
    const settings = combination.ok && combination.video === null ? withoutThumbnails(profiled) : profiled;
    if (!combination.ok)
      return { validationErrors: withProfileErrors(combination.validationErrors, given, path), warnings: [] };
    const combined = applyStrictMode(
      withoutProfileWarnings(combination.warnings, given, path),
      settings.strict ?? false,
    );
    const outputDestination = resolveDestination(settings, {
      ...destinationOptions,
      ...(isSegmented(settings)
        ? { extension: playlistExtension(settings), ...folder }
        : { extension: combination.extension }),
    });
    const output = { settings, outputDestination };
    const checkedDelivery = checkDelivery(output, path);
    const parts = partNames(settings, fileNameInUrl(outputDestination.destination), {
      hasVideo: combination.video !== null,
      hasAudio: combination.audio !== null,
    });
    const filename = fileNameInUrl(outputDestination.destination);
    const captions =
      combination.video === null ? [] : captionFileNames(settings, combination.container, filename);
    const claimErrors = [
      ...partNameErrors(parts, `${path}.${destinationField(settings)}`),
      ...claims.claimParts(parts, outputDestination, { path, what: 'segments' }),
      ...claims.claimParts(captions, outputDestination, { path, what: 'captions' }),
      ...claims.claimThumbnails(settings, outputDestination, path),
    ];
    const [delivery, thumbnails, watermarkErrors] = await Promise.all([
      checkedDelivery,
      checkThumbnails(appContext, output, { path, accountId }),
      checkDownloads(settings, path),
    ]);
    const strictThumbnails = applyStrictMode(thumbnails.warnings, settings.strict ?? false);
    return {
      ...delivery,
      codecs: { settings, combination, path },
      validationErrors: [
        ...withProfileErrors(combined.validationErrors, given, path),
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
      hasCodecs && hasContainer && !isTransferOnly(given) && !isPlaylist(given) && !isCaptions(given)
        ? checkWithEncoders(appContext, settings, requestedFilename(settings), path)
        : null;
    const deliveryErrors = async () => {
      const outputDestination = resolveDestination(settings, { extension: '', ...destinationOptions });
      return (await checkDelivery({ settings, outputDestination }, path)).validationErrors;
    };
    return {
      validationErrors: [
        ...(combination?.ok === false ? withProfileErrors(combination.validationErrors, given, path) : []),
        ...(hasDestination ? await deliveryErrors() : []),
        ...(await checkDownloads(given, path)),
      ],
      warnings: [],
    };
  };

  const checkPlaylistOutput = async (given: OutputSettings, path: string): Promise<CheckedOutput> => {
    const { kept, validationErrors, warnings } = checkPlaylist(given, path);
    const name = { filename: defaultPlaylistName(kept), extension: '', ...folder };
    const outputDestination = resolveDestination(kept, { ...destinationOptions, ...name });
    const delivery = await checkDelivery({ settings: kept, outputDestination }, path);
    const manifests = kept.packaging === undefined ? [] : [manifestNameOf(outputDestination)];
    return {
      ...delivery,
      validationErrors: [
        ...validationErrors,
        ...delivery.validationErrors,
        ...claims.claimParts(manifests, outputDestination, { path, what: 'manifest' }),
      ],
      warnings: [...warnings, ...delivery.warnings],
    };
  };

  const checkCaptionsOutput = async (given: OutputSettings, path: string): Promise<CheckedOutput> => {
    const { kept, extension, validationErrors, warnings } = checkCaptions(given, path);
    const outputDestination = resolveDestination(kept, {
      ...destinationOptions,
      extension,
      ...(isCaptionPlaylist(kept) ? folder : {}),
    });
    const delivery = await checkDelivery({ settings: kept, outputDestination }, path);
    const stem = withoutExtension(fileNameInUrl(outputDestination.destination));
    const parts = isCaptionPlaylist(kept) ? [captionSegmentName(stem, 0)] : [];
    return {
      ...delivery,
      validationErrors: [
        ...validationErrors,
        ...delivery.validationErrors,
        ...claims.claimParts(parts, outputDestination, { path, what: 'segments' }),
        ...(await checkDownloads(kept, path)),
      ],
      warnings: [...warnings, ...delivery.warnings],
    };
  };

  return async (given, position) => {
    const { path, hasCodecs, hasDestination } = position;
    const support = checkSupport(supportedOutputSettings, given, path);
    const checkWhole = isPlaylist(given)
      ? checkPlaylistOutput
      : isCaptions(given)
        ? checkCaptionsOutput
        : isTransferOnly(given)
          ? checkTransferred
          : checkEncoded;
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

/** The settings that apply to an output of captions. */
const captionNames: ReadonlySet<string> = new Set([
  ...['type', 'label', 'url', 'base_url', 'filename', 'secondary_url', 'credentials', 'overwrite'],
  'headers',
  ...['public', 'access_control', 'rrs', 'notifications', 'strict', 'skip', 'parallel_upload_limit'],
  ...['format', 'caption_url', 'language', 'start_clip', 'clip_length'],
]);
/** Those that apply to a playlist of captions. */
const playlistNames: ReadonlySet<string> = new Set([
  'segmented',
  'segment_seconds',
  'streaming_delivery_format',
]);

/** What a check of the settings of an output of captions found. */
interface CheckedCaptions {
  readonly kept: OutputSettings;
  /** With its dot; that of a generated name. */
  readonly extension: string;
  readonly validationErrors: readonly string[];
  readonly warnings: readonly RequestWarning[];
}

/** The settings that apply to an output of captions, a warning for each of the others, and an error for a format that cannot be made. */
function checkCaptions(settings: OutputSettings, path: string): CheckedCaptions {
  // The settings come from parsing, so their names are those of the table.
  const entries = Object.entries(settings) as [keyof OutputSettings, unknown][];
  const name = fileNameInUrl(settings.url ?? settings.filename ?? '');
  const found = captionFormat(settings, name);
  const isUsed = (one: string) =>
    captionNames.has(one) || (isCaptionPlaylist(settings) && playlistNames.has(one));
  const field = settings.format !== undefined ? 'format' : settings.url === undefined ? 'filename' : 'url';
  return {
    // The loop keeps each value under its own name, which the compiler cannot infer.
    kept: Object.fromEntries(entries.filter(([one]) => isUsed(one))) as OutputSettings,
    extension: 'extension' in found ? found.extension : '',
    validationErrors: [
      ...('reason' in found ? [`${path}.${field} ${found.reason}`] : []),
      ...('format' in found &&
      found.format === 'scc' &&
      (settings.caption_url?.[0]?.format ?? 'scc') !== 'scc'
        ? [`${path}.${field} cannot be made: there is no encoder for CEA-608, so scc needs a file of scc`]
        : []),
      ...((settings.caption_url ?? []).length > 1
        ? [`${path}.caption_url must have one entry if type is captions`]
        : []),
      ...(settings.source === undefined
        ? []
        : [`${path}.source must be omitted: captions are made from the input or caption_url`]),
    ],
    warnings: entries
      .filter(([other, value]) => !isUsed(other) && other !== 'source' && !turnsOff(other, value))
      .map(([other]) => ({ field: `${path}.${other}`, message: 'has no effect: the output is captions' })),
  };
}

/** Where the capabilities of encoders come from. `venc plan` has no workers. */
export interface EncoderDeps extends Partial<Pick<AppContext, 'workers'>> {
  /** The ffmpeg of the daemon; null if it has none. */
  readonly ffmpeg: Pick<NonNullable<AppContext['ffmpeg']>, 'capabilities'> | null;
}

/**
 * Checks the combination of an output's settings: it is valid if the ffmpeg of the daemon or that of a connected worker can make it. The
 * errors are those of the daemon's own, if it has one.
 */
export function checkWithEncoders(
  deps: EncoderDeps,
  settings: OutputSettings,
  filename: string | null,
  path: string,
): ReturnType<typeof checkCombination> {
  const first = checkCombination(settings, filename, capabilitiesOf(deps), path);
  if (first.ok) return first;
  for (const capabilities of workerCapabilities(deps)) {
    const result = checkCombination(settings, filename, capabilities, path);
    if (result.ok) return result;
  }
  return first;
}

/** What the ffmpeg of the daemon supports or, if it has none, that of a connected worker. */
export function capabilitiesOf(deps: EncoderDeps): Capabilities {
  const [capabilities] = deps.ffmpeg === null ? workerCapabilities(deps) : [deps.ffmpeg.capabilities];
  if (capabilities !== undefined) return capabilities;
  // The health check passed while a worker was connected.
  throw new VencError('UnavailableError', 'No worker is connected, and this daemon has no ffmpeg.');
}

/** What workers support, once for those that support the same. */
function workerCapabilities({ workers }: EncoderDeps): readonly Capabilities[] {
  return [...new Set(workers?.abilities().map(({ capabilities }) => capabilities))].map(toCapabilities);
}
