import { VencError } from '../../src/shared/errors.js';
import { isCaptionPlaylist, isCaptions } from '../../src/shared/settings/captions.js';
import { isEncrypted } from '../../src/shared/settings/encryption.js';
import { type JobRequest, type OutputSettings, outputTable } from '../../src/shared/settings/index.js';
import type { ValidOutputs } from '../../src/shared/settings/parse-job-request.js';
import { isPlaylist, playlistExtension } from '../../src/shared/settings/playlists.js';
import { hasQualityLog, qualityLogName } from '../../src/shared/settings/quality.js';
import { applyStrictMode } from '../../src/shared/settings/report-warnings.js';
import { isSegmented } from '../../src/shared/settings/segments.js';
import type { RequestWarning } from '../../src/shared/settings/setting.js';
import { coverUrlOf, isTransferOnly } from '../../src/shared/settings/sources.js';
import { checkSupport } from '../../src/shared/settings/support.js';
import { fileNameInUrl, withoutExtension } from '../../src/shared/text/url-text.js';
import type { OutputDestinations } from '../jobs/draft.js';
import { notificationWarnings } from '../jobs/notifications.js';
import { headerErrors, objectWarnings } from '../jobs/object-headers.js';
import { manifestNameOf } from '../jobs/playlists.js';
import { type Combination, checkCombination } from '../plan/check-combination.js';
import { captionFileNames } from '../plan/decide/captions.js';
import { captionSegmentName, partNames } from '../plan/decide/packaging.js';
import { withDeviceProfile, withoutProfileWarnings, withProfileErrors } from '../plan/device-profiles.js';
import { ineffectiveSettings } from '../plan/ineffective-settings.js';
import type { Capabilities } from '../plan/plan-types.js';
import { toCapabilities } from '../queue/parts/part-selection.js';
import type { Account } from '../store/account-store.js';
import { schemeOf } from '../transports/registry.js';
import type { AppContext } from './app-context.js';
import {
  checkThumbnails,
  destinationErrors,
  destinationField,
  partNameErrors,
  sourceErrors,
  unusedOverwrite,
} from './check-addresses.js';
import {
  type CheckedSettings,
  captionSettings,
  hasSharedFolder,
  mayShareFolder,
  playlistSettings,
  transferSettings,
} from './check-unencoded.js';
import type { DestinationClaims } from './claim-destinations.js';
import { keepSecondsOf } from './keep-files.js';
import { type DestinationOptions, requestedFilename, resolveDestination } from './resolve-destination.js';
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
  /** The input is a file that the client proved to be able to read; its `file:` URL needs no permission. */
  readonly isInPlace?: boolean;
}

/** The valid parts of a request. */
export type ValidRequestParts = Partial<Omit<JobRequest, 'outputs'>> & ValidOutputs;

/** An output and its destination. */
export interface ResolvedOutput {
  readonly settings: OutputSettings;
  readonly outputDestination: OutputDestinations;
}

/** What a stage found. */
interface Problems {
  readonly validationErrors: readonly string[];
  readonly warnings: readonly RequestWarning[];
}

/** An output that is encoded, with its codecs and its path in the request. */
export interface CodecsOfOutput {
  readonly settings: OutputSettings;
  readonly combination: Combination;
  readonly path: string;
}

/**
 * What the check of one output found. `output` is absent if its container, its codecs or its destination are invalid.
 */
interface CheckedOutput extends Problems {
  readonly output?: ResolvedOutput;
  /** Absent for an output that is not encoded. */
  readonly codecs?: CodecsOfOutput;
}

/** An output whose own settings are checked. */
interface ParsedOutput extends Problems {
  /** The settings that apply; null if no encoder can make the output, so that nothing else is checked. */
  readonly settings: OutputSettings | null;
  /** The name of its file if the settings have none; null if the settings of its destination are invalid. */
  readonly name: CheckedSettings['name'] | null;
  /** Absent for an output that is not encoded, or is only partly valid. */
  readonly combination?: Combination;
  /** Whether all of its settings are valid. */
  readonly isWhole: boolean;
}

/**
 * Checks the outputs of a request in stages: parses their settings, resolves their destinations, claims the names of
 * their files, and checks the addresses that they use. Of two outputs with the same destination, the second one has the
 * error.
 */
export async function checkOutputs(
  deps: RequestCheckDeps,
  { account: { id: accountId }, baseUrl }: RequestCheckContext,
  parts: ValidRequestParts,
  claims: DestinationClaims,
): Promise<readonly CheckedOutput[]> {
  const { randomToken } = deps;
  const keepSeconds = keepSecondsOf(parts.keep);
  const folder = hasSharedFolder(parts.outputs) ? { folderToken: randomToken() } : {};
  const outputs = parts.outputs.map((given, index) => {
    const path = `outputs[${index}]`;
    const parsed = parseOutput(deps, parts, index, path);
    const output = resolveOutput(parsed, { baseUrl, randomToken, folder, keepSeconds });
    const support = checkSupport(outputTable, given, path);
    return { path, support, parsed, output, claimed: claimNames(claims, parsed, output, path) };
  });
  const ofPlaylists = outputs.map(({ path, parsed, output }) =>
    output !== null && parsed.isWhole ? claimPlaylistName(claims, output, path) : [],
  );
  const { credentials } = parts;
  return Promise.all(
    outputs.map(async ({ path, support, parsed, output, claimed }, index): Promise<CheckedOutput> => {
      const found = await checkAddresses(deps, parsed, output, { path, accountId, credentials });
      const { combination, isWhole } = parsed;
      return {
        ...(output !== null && isWhole ? { output } : {}),
        ...(output !== null && combination !== undefined
          ? { codecs: { settings: output.settings, combination, path } }
          : {}),
        validationErrors: [
          ...support.validationErrors,
          ...parsed.validationErrors,
          ...found.delivery.validationErrors,
          ...claimed.file,
          ...found.downloads,
          ...found.thumbnails.validationErrors,
          ...claimed.others,
          ...(ofPlaylists[index] ?? []),
        ],
        warnings: [
          ...support.warnings,
          ...parsed.warnings,
          ...(isWhole ? found.delivery.warnings : []),
          ...found.thumbnails.warnings,
        ],
      };
    }),
  );
}

/** Stage 1: the settings that apply to an output, and what is wrong with them. */
function parseOutput(
  deps: RequestCheckDeps,
  parts: ValidRequestParts,
  index: number,
  path: string,
): ParsedOutput {
  const given = parts.outputs[index] ?? {};
  const hasCodecs = !parts.withoutCodecs.has(index);
  const hasDestination = !parts.withoutDestination.has(index);
  const isWhole = hasCodecs && hasDestination;
  const profiled = withDeviceProfile(given);
  if (isPlaylist(given) || isCaptions(given) || isTransferOnly(given)) {
    const name = hasDestination ? { extension: '' } : null;
    if (!isWhole) return { settings: profiled, name, isWhole, validationErrors: [], warnings: [] };
    const { kept, ...checked } = isPlaylist(given)
      ? playlistSettings(given, path)
      : isCaptions(given)
        ? captionSettings(given, path)
        : transferSettings(given, path, parts, capabilitiesOf(deps));
    return { settings: kept, isWhole, ...checked };
  }
  const hasContainer = profiled.format !== undefined || profiled.url !== undefined;
  const combination =
    isWhole || (hasCodecs && hasContainer)
      ? checkWithEncoders(deps, profiled, requestedFilename(profiled), path)
      : null;
  const validationErrors =
    combination?.ok === false ? withProfileErrors(combination.validationErrors, given, path) : [];
  // Without its container or its codecs, only the errors that do not depend on these are found.
  if (!isWhole)
    return {
      ...{ settings: profiled, name: hasDestination ? { extension: '' } : null },
      ...{ isWhole, validationErrors, warnings: [] },
    };
  if (combination?.ok !== true)
    return { settings: null, name: null, isWhole: false, validationErrors, warnings: [] };
  const { thumbnails, ...others } = profiled;
  const settings = combination.video === null ? others : profiled;
  const warnings = [
    ...withoutProfileWarnings(combination.warnings, given, path),
    ...ineffectiveSettings(given, combination, path, profiled),
  ];
  const strictResult = applyStrictMode(warnings, settings.strict ?? false);
  const extension = isSegmented(settings) ? playlistExtension(settings) : combination.extension;
  return {
    ...{ settings, name: { extension }, combination, isWhole },
    validationErrors: withProfileErrors(strictResult.validationErrors, given, path),
    warnings: strictResult.warnings,
  };
}

/** Stage 2: where the file of an output goes; null if that is not known. */
function resolveOutput(
  { settings, name, isWhole }: ParsedOutput,
  {
    folder,
    ...options
  }: Pick<DestinationOptions, 'baseUrl' | 'randomToken' | 'keepSeconds'> & {
    readonly folder: Pick<DestinationOptions, 'folderToken'>;
  },
): ResolvedOutput | null {
  if (settings === null || name === null) return null;
  const ownFolder = isWhole && mayShareFolder(settings) ? folder : {};
  return { settings, outputDestination: resolveDestination(settings, { ...options, ...name, ...ownFolder }) };
}

/** Stage 3: claims the names of the files of an output. Returns the errors of its own file, and those of the others. */
function claimNames(
  claims: DestinationClaims,
  { combination }: ParsedOutput,
  output: ResolvedOutput | null,
  path: string,
): { readonly file: readonly string[]; readonly others: readonly string[] } {
  if (output === null) return { file: [], others: [] };
  const { settings, outputDestination } = output;
  const field = `${path}.${destinationField(settings)}`;
  const file = claims.claimFile(settings, outputDestination, { path, field });
  if (combination === undefined) return { file, others: [] };
  const filename = fileNameInUrl(outputDestination.destination);
  const claim = (what: 'segments' | 'captions' | 'quality log', names: readonly string[]) =>
    claims.claimParts(names, outputDestination, { path, what });
  const { video, audio, container } = combination;
  const parts = partNames(settings, filename, { hasVideo: video !== null, hasAudio: audio !== null });
  const others = [
    ...partNameErrors(parts, field),
    ...claim('segments', parts),
    ...claim('captions', video === null ? [] : captionFileNames(settings, container, filename)),
    ...claim('quality log', hasQualityLog(settings) ? [qualityLogName(filename)] : []),
    ...claims.claimThumbnails(settings, outputDestination, path),
  ];
  return { file, others };
}

/**
 * Stage 3, after the files of all outputs: claims the name next to a playlist that no request gives. Returns the
 * errors.
 */
function claimPlaylistName(
  claims: DestinationClaims,
  { settings, outputDestination }: ResolvedOutput,
  path: string,
): readonly string[] {
  const stem = withoutExtension(fileNameInUrl(outputDestination.destination));
  const claim = (what: 'segments' | 'manifest', name: string) =>
    claims.claimParts([name], outputDestination, { path, what });
  if (isPlaylist(settings) && settings.packaging !== undefined)
    return claim('manifest', manifestNameOf(outputDestination));
  return isCaptionPlaylist(settings) ? claim('segments', captionSegmentName(stem, 0)) : [];
}

/** Whose addresses they are, and the name of the saved credentials of the job. */
interface AddressUse {
  readonly path: string;
  readonly accountId: string;
  readonly credentials: string | undefined;
}

const noProblems: Problems = { validationErrors: [], warnings: [] };

/** Stage 4: the problems of the addresses that an output uses, and of the credentials for them. */
async function checkAddresses(
  deps: RequestCheckDeps,
  { settings, isWhole }: ParsedOutput,
  output: ResolvedOutput | null,
  use: AddressUse,
) {
  const [delivery, downloads, thumbnails] = await Promise.all([
    output === null ? noProblems : checkDelivery(deps, output, use),
    settings === null ? [] : downloadErrors(deps, settings, use),
    output === null || !isWhole ? noProblems : checkThumbnails(deps, output, use),
  ]);
  const strictResult = applyStrictMode(thumbnails.warnings, settings?.strict ?? false);
  const thumbnailErrors = [...thumbnails.validationErrors, ...strictResult.validationErrors];
  return { delivery, downloads, thumbnails: { ...strictResult, validationErrors: thumbnailErrors } };
}

async function checkDelivery(
  deps: RequestCheckDeps,
  output: ResolvedOutput,
  { path, accountId }: AddressUse,
): Promise<Problems> {
  const { settings, outputDestination } = output;
  const scheme = schemeOf(outputDestination.destination);
  const strictResult = applyStrictMode(objectWarnings(settings, scheme, path), settings.strict ?? false);
  return {
    validationErrors: [
      ...strictResult.validationErrors,
      ...headerErrors(settings, path),
      ...(await destinationErrors(deps, { settings, outputDestination, path, accountId })),
    ],
    warnings: [
      ...strictResult.warnings,
      ...notificationWarnings(settings.notifications, path, deps.sendsMail),
      ...unusedOutputCredentials(settings, outputDestination, path),
      ...hostedWithSecondary(settings, path),
      ...unusedOverwrite(output, path),
    ],
  };
}

async function downloadErrors(
  deps: RequestCheckDeps,
  settings: OutputSettings,
  { path, accountId, credentials: ofJob }: AddressUse,
): Promise<readonly string[]> {
  const credentials = settings.credentials ?? ofJob;
  const files = (['watermark', 'caption_url'] as const).flatMap((name) =>
    (settings[name] ?? []).map(({ url }, index) => ({ url, path: `${path}.${name}[${index}].url` })),
  );
  const cover = coverUrlOf(settings);
  if (cover !== null) files.push({ url: cover, path: `${path}.cover` });
  const { encryption_key_url: url } = settings;
  if (url !== undefined && isEncrypted(settings) && settings.encryption_key === undefined)
    files.push({ url, path: `${path}.encryption_key_url` });
  const errors = files.map((file) => sourceErrors(deps, { ...file, credentials, accountId }));
  return (await Promise.all(errors)).flat();
}

/** The daemon hosts an output without a destination, and that fails only if its own disk does. */
function hostedWithSecondary(settings: OutputSettings, path: string): readonly RequestWarning[] {
  if (settings.secondary_url === undefined || destinationField(settings) !== 'filename') return [];
  const message = 'is used only if the daemon cannot host the file: the output has no url';
  return [{ field: `${path}.secondary_url`, message }];
}

/** Where the capabilities of encoders come from. `venc plan` has no workers. */
export interface EncoderDeps extends Partial<Pick<AppContext, 'workers'>> {
  /** The ffmpeg of the daemon; null if it has none. */
  readonly ffmpeg: Pick<NonNullable<AppContext['ffmpeg']>, 'capabilities'> | null;
}

/**
 * Checks the combination of an output's settings: it is valid if the ffmpeg of the daemon or that of a connected worker
 * can make it. The errors are those of the daemon's own, if it has one.
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
