import { isObject } from '../util/is-object.js';
import { defaultOutput, type JobRequest, jobTable, type OutputSettings, outputTable } from './index.js';
import { validateLabels, validateOutput, withoutSize } from './output-rules.js';
import { invalidResult, mergeResults, type ParseResult } from './parse-result.js';
import { parseObjectFields } from './parse-value.js';

/** What became of the body of a create: a typed request, or every complaint about it, as full sentences. */
export type JobRequestParseResult =
  | { readonly ok: true; readonly request: JobRequest; readonly unknownFields: readonly string[] }
  | {
      readonly ok: false;
      readonly validationErrors: readonly string[];
      readonly unknownFields: readonly string[];
      readonly validParts: ValidParts;
    };

/** What nothing is wrong with in a request that is not valid, for further checks to add to its complaints. */
export interface ValidParts {
  readonly job: Partial<JobRequest>;
  /** By their index in the request; undefined where one has complaints. */
  readonly outputs: readonly (OutputSettings | undefined)[];
}

/** Fields of a body that are no settings: read below, and by the authenticator. */
const nonSettingFields: readonly string[] = ['output', 'outputs', 'api_key'];
/** Paths of unknown fields that are told: a log line is no place for a body full of them. */
const maxUnknownFields = 100;

/**
 * Reads the parsed body of a create (service document, section 4.1; contract). Pure; never throws.
 *
 * - Numbers and booleans may come as text; null and an empty array are the same as leaving a setting out.
 * - `output` and `outputs` take one object or an array; complaints call them `outputs[N]` either way, and
 *   name a setting by the spelling that the client used.
 * - Without outputs there is one, `defaultOutput`; `[{}]` is one output without settings of its own.
 * - No default is filled in. `size` becomes `width` and `height` and is itself never there.
 * - Complaints never repeat a value, since it may be secret. Unknown fields are only listed, by path.
 *
 * Not judged here, since it takes more than the tables: which URL schemes are known, which codecs go into which
 * container, what this version and its ffmpeg can do.
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

/** A reading of all outputs, with those that nothing is wrong with in their places. */
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
