import { jobTable } from '../../src/shared/settings/index.js';
import type { JobRequestParseResult } from '../../src/shared/settings/parse-job-request.js';
import type { RequestWarning } from '../../src/shared/settings/setting.js';
import { checkSupport } from '../../src/shared/settings/support.js';
import { notificationWarnings } from '../jobs/notifications.js';
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
import { playlistErrors } from './check-playlist-sources.js';
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
    input === undefined
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
    const supportedAudio = [
      ...Object.values(container.codecPairs),
      container.audioOnlyCodecs,
      container.copiedAudioCodecs ?? [],
    ].flat();
    return [
      ...(video === undefined || container.codecPairs[video] !== undefined
        ? []
        : [`${path}.copy_video ${cannotCopy(extension, video)}`]),
      ...(audio === undefined || supportedAudio.includes(audio)
        ? []
        : [`${path}.copy_audio ${cannotCopy(extension, audio)}`]),
    ];
  });
}

function cannotCopy(extension: string, codec: string): string {
  return `cannot be copied into ${extension}, which does not support ${codec}`;
}
