import { isObject } from '../util/is-object.js';
import { defaultOutput, type JobRequest, jobTable, type OutputSettings, outputTable } from './index.js';
import { validateLabels, validateOutput, withoutSize } from './output-rules.js';
import { invalidResult, mergeResults, type ParseResult } from './parse-result.js';
import { parseObjectFields } from './parse-value.js';

/**
 * The result of parsing the body of a create request: a typed request, or all validation errors as full sentences.
 */
export type JobRequestParseResult =
  | { readonly ok: true; readonly request: JobRequest; readonly unknownFields: readonly string[] }
  | {
      readonly ok: false;
      readonly validationErrors: readonly string[];
      readonly unknownFields: readonly string[];
      readonly validParts: ValidParts;
    };

/** The valid parts of an invalid request, so that further checks can add their validation errors. */
export interface ValidParts {
  readonly job: Partial<JobRequest>;
  /** By index in the request; undefined for an output with validation errors. */
  readonly outputs: readonly (OutputSettings | undefined)[];
}

/**
 * Fields of a body that are not settings: the outputs, which are parsed below, and the key, which the authenticator
 * reads.
 */
const nonSettingFields: readonly string[] = ['output', 'outputs', 'api_key'];
/** Maximum number of unknown fields that are reported, which keeps log lines short. */
const maxUnknownFields = 100;

/**
 * Validates the parsed body of a create request (service document, section 4.1; contract). Pure; never throws.
 *
 * - Numbers and booleans may be given as text. null and an empty array are the same as omitting a setting.
 * - `output` and `outputs` are one object or an array. Validation errors call them `outputs[N]` in both cases, and
 *   name a setting by the spelling that the client used.
 * - Without outputs there is one, `defaultOutput`; `[{}]` is one output without settings.
 * - Defaults are not filled in. `size` is replaced with `width` and `height`.
 * - Validation errors never repeat a value, because it may be secret. Unknown fields are only listed, by path.
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
    return { ok: false, validationErrors, unknownFields: [], validParts: { job: {}, outputs: [] } };
  }
  const job = parseObjectFields(jobTable, body, '');
  const outputs = parseOutputs(body, limits.maxOutputs);
  const validationErrors = [...job.validationErrors, ...outputs.validationErrors];
  const unknownFields = [
    ...job.unknownFields.filter((name) => !nonSettingFields.includes(name)),
    ...outputs.unknownFields,
  ].slice(0, maxUnknownFields);
  return job.value === undefined || validationErrors.length > 0
    ? {
        ok: false,
        validationErrors,
        unknownFields,
        validParts: { job: job.valid, outputs: outputs.validOutputs },
      }
    : { ok: true, request: { ...job.value, outputs: outputs.validOutputs.filter(isDefined) }, unknownFields };
}

/** The result of parsing all outputs, with each valid output at its index. */
interface OutputsParseResult extends ParseResult<never> {
  readonly validOutputs: ValidParts['outputs'];
}

function parseOutputs(body: Readonly<Record<string, unknown>>, max: number): OutputsParseResult {
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
  if (list.length === 0) return { ...mergeResults([]), validOutputs: [defaultOutput] };
  const results = list.map((item, index) => parseOutput(item, `outputs[${index}]`));
  const { validationErrors, unknownFields } = mergeResults(results);
  return {
    validationErrors: [...validationErrors, ...validateLabels(results.map(({ valid }) => valid))],
    unknownFields,
    validOutputs: results.map((result) =>
      result.validationErrors.length === 0 ? withoutSize(result.valid) : undefined,
    ),
  };
}

function rejectOutputs(text: string): OutputsParseResult {
  return { ...invalidResult(text), validOutputs: [] };
}

function parseOutput(item: unknown, path: string): ParseResult<never> & { readonly valid: OutputSettings } {
  if (!isObject(item)) return { ...invalidResult(`${path} must be an object`), valid: {} };
  const { valid, validationErrors, unknownFields } = parseObjectFields(outputTable, item, path);
  return { valid, validationErrors: [...validationErrors, ...validateOutput(valid, path)], unknownFields };
}

function isDefined(settings: OutputSettings | undefined): settings is OutputSettings {
  return settings !== undefined;
}
