import { isCaptionPlaylist, isCaptions } from '../../src/shared/settings/captions.js';
import { jobTable, type OutputSettings } from '../../src/shared/settings/index.js';
import type { JobRequestParseResult } from '../../src/shared/settings/parse-job-request.js';
import { isPlaylist, playlistExtension, type StreamSettings } from '../../src/shared/settings/playlists.js';
import { isDash, isSegmented } from '../../src/shared/settings/segments.js';
import type { RequestWarning } from '../../src/shared/settings/setting.js';
import { checkSupport } from '../../src/shared/settings/support.js';
import { memoizeByKey } from '../../src/shared/util/collections.js';
import type { OutputDestinations } from '../jobs/draft.js';
import { notificationWarnings } from '../jobs/notifications.js';
import { sourceOfStream } from '../jobs/playlists.js';
import { dashProfileOf } from '../plan/decide/packaging.js';
import { canCopy } from '../plan/formats.js';
import type { Account } from '../store/account-store.js';
import { sourceErrors } from './check-addresses.js';
import {
  type CodecsOfOutput,
  checkOutputs,
  type RequestCheckContext,
  type RequestCheckDeps,
  type ResolvedOutput,
  type ValidRequestParts,
} from './check-outputs.js';
import { DestinationClaims } from './claim-destinations.js';
import { unusedJobCredentials } from './unused-credentials.js';

/** Who creates a job, and at which address. */
export interface CreateContext {
  readonly account: Account;
  /** Address of this daemon as the client knows it, without a trailing slash. */
  readonly baseUrl: string;
  /** The header `Idempotency-Key`; null or omitted if there is none. */
  readonly idempotencyKey?: string | null;
  /** The header `traceparent` (W3C Trace Context); omitted if there is none. */
  readonly traceparent?: string;
}

/** The parts of a request that can be checked: all of a valid one. */
export function validPartsOf(parsed: JobRequestParseResult): ValidRequestParts {
  return parsed.ok
    ? { ...parsed.request, withoutCodecs: new Set(), withoutDestination: new Set() }
    : { ...parsed.validParts.job, ...parsed.validParts.outputs };
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
  const jobSupport = checkSupport(jobTable, job, '');
  const claims = new DestinationClaims();
  const accountId = context.account.id;
  const [inputErrors, checked] = await Promise.all([
    input === undefined || context.isInPlace === true
      ? []
      : sourceErrors(appContext, { url: input, path: 'input', credentials, accountId }),
    checkOutputs(appContext, context, parts, claims),
  ]);
  // A field with an error about the same destination has been reported.
  const fieldOf = (error: string) => error.split(' would write ')[0];
  const reported = new Set(checked.flatMap((result) => result.validationErrors).map(fieldOf));
  const sameFileErrors = (await claims.findSameFiles(input)).filter((error) => !reported.has(fieldOf(error)));
  const codecs = checked.flatMap((result) => result.codecs ?? []);
  return {
    outputs: checked.flatMap(({ output }) => output ?? []),
    validationErrors: [
      ...inputErrors,
      ...jobSupport.validationErrors,
      ...checked.flatMap((result) => result.validationErrors),
      ...sameFileErrors,
      ...copyValidationErrors(codecs),
      ...playlistErrors(
        checked.map(({ output }, index) => ({ settings: settingsOfOutputs[index] ?? {}, ...output })),
      ),
    ],
    warnings: [
      ...jobSupport.warnings,
      ...notificationWarnings(notifications, '', appContext.sendsMail),
      ...unusedJobCredentials(parts),
      ...checked.flatMap((result) => result.warnings),
    ],
  };
}

/**
 * Validation errors of copied streams whose codec is known already, because their source is an output that encodes
 * them. Other copies are checked when the input is known.
 */
function copyValidationErrors(outputs: readonly CodecsOfOutput[]): readonly string[] {
  return outputs.flatMap(({ settings, combination, path }) => {
    const source = outputs.find(
      (other) => settings.source !== undefined && other.settings.label === settings.source,
    );
    if (source === undefined) return [];
    const { extension, container } = combination;
    const video =
      settings.copy_video === true && source.settings.copy_video !== true && combination.video !== null
        ? source.combination.video?.codec
        : undefined;
    const audio =
      settings.copy_audio === true && source.settings.copy_audio !== true && combination.audio !== null
        ? source.combination.audio?.codec
        : undefined;
    return [
      ...(video === undefined || canCopy(container, 'video', video)
        ? []
        : [`${path}.copy_video ${cannotCopy(extension, video)}`]),
      ...(audio === undefined || canCopy(container, 'audio', audio)
        ? []
        : [`${path}.copy_audio ${cannotCopy(extension, audio)}`]),
    ];
  });
}

function cannotCopy(extension: string, codec: string): string {
  return `cannot be copied into ${extension}, which does not support ${codec}`;
}

/** An output of a request, with its destinations; they are absent if its settings are invalid. */
interface CheckedOutput {
  readonly settings: OutputSettings;
  readonly outputDestination?: OutputDestinations;
}

/** A playlist of a request, and its path there. */
interface CheckedPlaylist extends CheckedOutput {
  readonly path: string;
  /** What it is: SMIL, a manifest of DASH, a playlist of HLS, or both of these. */
  readonly kind: 'smil' | 'dash' | 'hls' | 'cmaf';
  readonly outputs: readonly CheckedOutput[];
}

/**
 * Validation errors of what playlists list: each entry must name an output of the request that has what it needs, or be
 * complete without one.
 */
function playlistErrors(outputs: readonly CheckedOutput[]): readonly string[] {
  const errors = outputs.flatMap((output, index) => {
    if (!isPlaylist(output.settings)) return [];
    const playlist = { ...output, path: `outputs[${index}]`, kind: kindOf(output.settings), outputs };
    return [
      ...streamErrors(playlist),
      ...alternateAudioErrors(playlist),
      ...captionErrors(playlist),
      ...profileErrors(playlist),
    ];
  });
  return [
    ...(hasMedia(outputs) ? [] : ['outputs must have one that is not a playlist or captions']),
    ...errors,
  ];
}

/** Whether a request with playlists has an output that is neither a playlist nor captions. Captions may be alone. */
function hasMedia(outputs: readonly CheckedOutput[]): boolean {
  return (
    !outputs.some(({ settings }) => isPlaylist(settings)) ||
    outputs.some(({ settings }) => !isPlaylist(settings) && !isCaptions(settings))
  );
}

function kindOf(settings: OutputSettings): CheckedPlaylist['kind'] {
  if (settings.packaging !== undefined) return 'cmaf';
  const extension = playlistExtension(settings, settings.url ?? settings.filename);
  return ({ '.smil': 'smil', '.mpd': 'dash', '.m3u8': 'hls' } as const)[extension];
}

function streamErrors(playlist: CheckedPlaylist): readonly string[] {
  const { settings } = playlist;
  const groups = (settings.alternate_audio ?? []).map(({ group }) => group);
  return (settings.streams ?? []).flatMap((stream, index): readonly string[] => {
    const path = `${playlist.path}.streams[${index}]`;
    return [
      ...(stream.audio === undefined || groups.includes(stream.audio)
        ? []
        : [`${path}.audio names no group of alternate_audio`]),
      ...streamSourceErrors(playlist, stream).map((error) => `${path}.${error}`),
    ];
  });
}

function streamSourceErrors(playlist: CheckedPlaylist, stream: StreamSettings): readonly string[] {
  const { settings, kind, outputs, outputDestination } = playlist;
  if (stream.source !== undefined)
    return playlistSourceErrors(playlist, 'streams', stream.source).map((error) => `source ${error}`);
  if (stream.path === undefined) return ['path must be given if there is no source'];
  const source =
    outputDestination === undefined
      ? undefined
      : sourceOfStream(withDestinations(outputs), { settings, ...outputDestination }, stream);
  if (needsSource(kind) && source === undefined) return ['source must be given for dash and cmaf'];
  return stream.bandwidth !== undefined || source !== undefined
    ? []
    : ['bandwidth must be given if there is no source'];
}

/** The outputs whose destinations are known. */
const withDestinations = memoizeByKey((outputs: readonly CheckedOutput[]) =>
  outputs.flatMap(({ settings, outputDestination }) =>
    outputDestination === undefined ? [] : [{ settings, ...outputDestination }],
  ),
);

/** Whether a manifest is written, which lists only what was measured. */
function needsSource(kind: CheckedPlaylist['kind']): boolean {
  return kind === 'dash' || kind === 'cmaf';
}

function alternateAudioErrors(playlist: CheckedPlaylist): readonly string[] {
  return (playlist.settings.alternate_audio ?? []).flatMap(({ source }, index) => {
    const path = `${playlist.path}.alternate_audio[${index}]`;
    if (source !== undefined)
      return playlistSourceErrors(playlist, 'alternate_audio', source).map(
        (error) => `${path}.source ${error}`,
      );
    return needsSource(playlist.kind) ? [`${path}.source must be given for dash and cmaf`] : [];
  });
}

function captionErrors(playlist: CheckedPlaylist): readonly string[] {
  return (playlist.settings.captions ?? []).flatMap(({ source, path: address }, index) => {
    const path = `${playlist.path}.captions[${index}]`;
    if (source !== undefined)
      return playlistSourceErrors(playlist, 'captions', source).map((error) => `${path}.source ${error}`);
    return address === undefined && playlist.kind !== 'smil'
      ? [`${path}.path must be given if there is no source`]
      : [];
  });
}

/** The sources of a manifest have segments of one kind. */
function profileErrors({ kind, path, settings, outputs }: CheckedPlaylist): readonly string[] {
  if (kind !== 'dash') return [];
  const labels = new Set(
    [...(settings.streams ?? []), ...(settings.alternate_audio ?? [])].flatMap(({ source }) => source ?? []),
  );
  const profiles = outputs
    .map((output) => output.settings)
    .filter(({ label }) => label !== undefined && labels.has(label))
    .flatMap((source) => dashProfileOf(source) ?? []);
  return new Set(profiles).size > 1
    ? [`${path}.streams must have sources of one streaming_delivery_profile`]
    : [];
}

/** What is wrong with the output that an entry of a list of a playlist names by its label. */
function playlistSourceErrors(
  { kind, outputs }: CheckedPlaylist,
  list: 'streams' | 'alternate_audio' | 'captions',
  label: string,
): readonly string[] {
  const source = outputs.find(({ settings }) => settings.label === label)?.settings;
  if (source === undefined) return ['names no output of this job'];
  if (kind === 'smil')
    return isPlaylist(source) || isCaptions(source) ? ['must name an output with video or audio'] : [];
  if (list === 'captions' && kind !== 'dash' && isCaptionPlaylist(source)) return [];
  if (!isSegmented(source)) return ['must name a segmented output'];
  if (kind === 'cmaf')
    return source.packaging === undefined ? ['must name an output with packaging cmaf'] : [];
  if (kind === 'hls') return isDash(source) ? ['must name an output with a playlist of HLS'] : [];
  return isDash(source) || source.packaging !== undefined
    ? []
    : ['must name an output with segments for dash or cmaf'];
}
