import { isObject } from '../util/is-object.js';
import { withAllowedAudioBitrate } from './audio-rules.js';
import { ineffectiveCaptionSettings } from './captions.js';
import { ineffectiveEncryptionSettings, validateEncryption } from './encryption.js';
import { defaultOutput, type JobRequest, jobTable, type OutputSettings, outputTable } from './index.js';
import { parseObjectFields } from './kinds/groups.js';
import { invalidResult, mergeResults, type ParseResult } from './kinds/kind.js';
import { ladderWithoutOutputs, settingsOfLadder, validateLadder, withLadderOptions } from './ladder-rules.js';
import {
  overriddenSettings,
  validateJob,
  validateLabels,
  validateOutput,
  validateSources,
  withMergedSkipRules,
  withoutSize,
} from './output-rules.js';
import { ineffectivePlaylistSettings, validatePlaylist } from './playlists.js';
import { applyStrictMode, nonSettingFields } from './report-warnings.js';
import { ineffectiveSegmentSettings, validateSegments } from './segments.js';
import type { RequestWarning } from './setting.js';
import { overriddenThumbnailSettings, validateThumbnails } from './thumbnail-rules.js';

/**
 * The result of parsing the body of a create request: a typed request, or all validation errors as full sentences.
 */
export type JobRequestParseResult =
  | { readonly ok: true; readonly request: JobRequest; readonly warnings: readonly RequestWarning[] }
  | {
      readonly ok: false;
      readonly validationErrors: readonly string[];
      readonly warnings: readonly RequestWarning[];
      readonly validParts: ValidParts;
    };

/** The valid parts of an invalid request, so that further checks can add their validation errors. */
interface ValidParts {
  readonly job: Partial<JobRequest>;
  readonly outputs: ValidOutputs;
}

/** The valid parts of the outputs. */
export interface ValidOutputs {
  /** The valid settings of each output, by index in the request. */
  readonly outputs: readonly OutputSettings[];
  /** The outputs of which an invalid setting decides the container or the codecs, such as `format`. */
  readonly withoutCodecs: ReadonlySet<number>;
  /** The outputs of which an invalid setting decides the destination, such as `url`. */
  readonly withoutDestination: ReadonlySet<number>;
}

/**
 * Validates the parsed body of a create request (service document, section 4.1; contract). Pure; never throws.
 *
 * - Numbers and booleans may be given as text. null and an empty array are the same as omitting a setting.
 * - `output` and `outputs` are one object or an array. Validation errors call them `outputs[N]` in both cases, and
 *   name a setting by the spelling that the client used.
 * - Without outputs there is one, `defaultOutput`; `[{}]` is one output without settings.
 * - Defaults are not filled in, except that `strict` of the job applies to its outputs. `size` is replaced with `width`
 *   and `height`.
 * - Validation errors and warnings never repeat a value, because it may be secret.
 * - Strict mode (`strict` of the job or of an output) turns unknown names and contradictions into validation errors.
 *
 * Not validated here, because it requires more than the tables: the supported URL schemes, the codecs that a
 * container supports, and the capabilities of this version and its ffmpeg.
 */
export function parseJobRequest(
  body: unknown,
  limits: { readonly maxOutputs: number },
): JobRequestParseResult {
  if (!isObject(body)) {
    const validationErrors = ['The request must be an object with an input'];
    return { ok: false, validationErrors, warnings: [], validParts: { job: {}, outputs: noOutputs } };
  }
  const fields = Object.entries(body).filter(([name]) => !nonSettingFields.includes(name));
  const job = parseObjectFields(jobTable, Object.fromEntries(fields), '');
  const isStrict = job.valid.strict ?? false;
  const outputs = parseOutputs(body, limits.maxOutputs, isStrict);
  const valid = outputs.valid.outputs;
  const jobWarnings = applyStrictMode([...job.warnings, ...ladderWithoutOutputs(job.valid, valid)], isStrict);
  const validationErrors = [
    ...job.validationErrors,
    ...validateJob(job.valid),
    ...jobWarnings.validationErrors,
    ...outputs.validationErrors,
    ...validateLadder(job.valid, valid),
  ];
  const warnings = [...jobWarnings.warnings, ...outputs.warnings];
  return job.value === undefined || validationErrors.length > 0
    ? { ok: false, validationErrors, warnings, validParts: { job: job.valid, outputs: outputs.valid } }
    : { ok: true, request: { ...job.value, outputs: withLadderOptions(job.value, valid) }, warnings };
}

/** Maximum number of errors in the outputs that may have a hint: each compares a name with all settings. */
const maxHintsOfJob = 100;

const noOutputs: ValidOutputs = { outputs: [], withoutCodecs: new Set(), withoutDestination: new Set() };

/** The result of parsing all outputs. */
interface OutputsParseResult extends ParseResult<never> {
  readonly valid: ValidOutputs;
}

function parseOutputs(
  body: Readonly<Record<string, unknown>>,
  max: number,
  isStrictJob: boolean,
): OutputsParseResult {
  const [outputsValue = [], duplicateValue] = ['outputs', 'output'].flatMap((name) =>
    Object.hasOwn(body, name) && body[name] !== null && body[name] !== undefined ? [body[name]] : [],
  );
  if (duplicateValue !== undefined)
    return rejectOutputs('output and outputs must not both be given: use outputs');
  if (!Array.isArray(outputsValue) && !isObject(outputsValue)) {
    return rejectOutputs('outputs must be an array of objects, or one object');
  }
  const list: readonly unknown[] = Array.isArray(outputsValue) ? outputsValue : [outputsValue];
  if (list.length > max) return rejectOutputs(`outputs must have at most ${max} entries`);
  if (list.length === 0) return { ...mergeResults([]), valid: { ...noOutputs, outputs: [defaultOutput] } };
  let errorCount = 0;
  const results = list.map((item, index) => {
    const maxHints = Math.max(0, maxHintsOfJob - errorCount);
    const result = parseOutput(item, { path: `outputs[${index}]`, isStrictJob, maxHints });
    errorCount += result.validationErrors.length;
    return result;
  });
  const { validationErrors, warnings } = mergeResults(results);
  const valid = results.map((result) => result.valid);
  const indexesWith = (names: readonly string[]): ReadonlySet<number> =>
    new Set(
      results.flatMap(({ invalidNames }, index) =>
        names.some((name) => invalidNames.includes(name)) ? [index] : [],
      ),
    );
  return {
    validationErrors: [
      ...validationErrors,
      ...validateLabels(valid),
      // A source may name an output whose label is invalid.
      ...(results.some(({ invalidNames }) => invalidNames.includes('label')) ? [] : validateSources(valid)),
    ],
    warnings,
    valid: {
      outputs: valid.map((settings) => withMergedSkipRules(withoutSize(settings))),
      withoutCodecs: indexesWith(codecSettings),
      withoutDestination: indexesWith(destinationSettings),
    },
  };
}

function rejectOutputs(text: string): OutputsParseResult {
  return { ...invalidResult(text), valid: noOutputs };
}

/** The settings of an output that parsing yields. */
interface OutputParseResult extends ParseResult<never> {
  readonly valid: OutputSettings;
  /** The names of the invalid settings; of an output that is no object, one that decides everything. */
  readonly invalidNames: readonly string[];
}

/*
 * Settings without which other settings cannot be judged: if one of them is invalid, an error about another one could
 * be wrong. After any other error the valid settings are checked further, so that a request has all its errors in one
 * answer.
 */

/** Settings that decide the container and the codecs. */
const codecSettings: readonly (keyof OutputSettings)[] = [
  ...(['type', 'source', 'format', 'video_codec', 'audio_codec', 'strict'] as const),
  ...(['skip_video', 'skip_audio', 'copy_video', 'copy_audio'] as const),
];

/** Settings that decide where the file goes. The name also decides the container if there is no `format`. */
const destinationSettings: readonly (keyof OutputSettings)[] = [
  ...(['type', 'source', 'url', 'base_url', 'filename', 'secondary_url', 'credentials', 'strict'] as const),
];

function parseOutput(
  item: unknown,
  {
    path,
    isStrictJob,
    maxHints,
  }: { readonly path: string; readonly isStrictJob: boolean; readonly maxHints: number },
): OutputParseResult {
  if (!isObject(item))
    return { ...invalidResult(`${path} must be an object`), valid: {}, invalidNames: ['type'] };
  const fields = parseObjectFields(outputTable, item, path);
  const { partial, invalidNames, validationErrors, warnings } = fields;
  const { settings: valid, warnings: corrections } = withAllowedAudioBitrate(fields.valid, path);
  const { strict = isStrictJob } = valid;
  const overridden = [
    ...corrections,
    ...overriddenSettings(valid, path),
    ...settingsOfLadder(valid, path),
    ...overriddenThumbnailSettings(valid, path),
    ...ineffectiveSegmentSettings(valid, path),
    ...ineffectiveCaptionSettings(valid, path),
    ...ineffectivePlaylistSettings(valid, path),
    ...ineffectiveEncryptionSettings(valid, path),
  ];
  const strictResult = applyStrictMode([...warnings, ...overridden], strict, maxHints);
  return {
    valid: strict ? { ...valid, strict } : valid,
    invalidNames,
    validationErrors: [
      ...validationErrors,
      ...strictResult.validationErrors,
      ...validateOutput(partial, path),
      ...validateThumbnails(partial, path),
      ...validateSegments(valid, path),
      ...validateEncryption(valid, path),
      ...(invalidNames.includes('streams') ? [] : validatePlaylist(valid, path)),
    ],
    warnings: strictResult.warnings,
  };
}
