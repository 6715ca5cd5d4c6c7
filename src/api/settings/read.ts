import { defaultOutput, type JobRequest, jobTable, type OutputSettings, outputTable } from './index.js';
import { complaintsAboutOutput, complaintsBetweenOutputs, withoutSize } from './output-rules.js';
import { readFields } from './read-value.js';
import { allOf, complaint, isObject, type Reading } from './reading.js';

/** What became of the body of a create: a typed request, or every complaint about it, as full sentences. */
export type JobRequestReading =
  | { readonly ok: true; readonly request: JobRequest; readonly unknownFields: readonly string[] }
  | { readonly ok: false; readonly complaints: readonly string[]; readonly unknownFields: readonly string[] };

/** Fields of a body that are no settings: read below, and by whoever looks at the key. */
const fieldsOfOthers: readonly string[] = ['output', 'outputs', 'api_key'];
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
export function readJobRequest(body: unknown, limits: { readonly maxOutputs: number }): JobRequestReading {
  if (!isObject(body)) {
    return { ok: false, complaints: ['The request must be an object with an input'], unknownFields: [] };
  }
  const job = readFields(jobTable, body, '');
  const outputs = readOutputs(body, limits.maxOutputs);
  const unknownFields = [
    ...job.unknownFields.filter((name) => !fieldsOfOthers.includes(name)),
    ...outputs.unknownFields,
  ].slice(0, maxUnknownFields);
  return job.value === undefined || outputs.value === undefined
    ? { ok: false, complaints: [...job.complaints, ...outputs.complaints], unknownFields }
    : { ok: true, request: { ...job.value, outputs: outputs.value }, unknownFields };
}

function readOutputs(
  body: Readonly<Record<string, unknown>>,
  max: number,
): Reading<readonly OutputSettings[]> {
  const [given = [], second] = ['outputs', 'output'].flatMap((name) =>
    Object.hasOwn(body, name) && body[name] !== null && body[name] !== undefined ? [body[name]] : [],
  );
  if (second !== undefined) return complaint('output and outputs must not both be given: use outputs');
  if (!Array.isArray(given) && !isObject(given)) {
    return complaint('outputs must be an array of objects, or one object');
  }
  const list: readonly unknown[] = Array.isArray(given) ? given : [given];
  if (list.length > max) return complaint(`outputs must have at most ${max} entries`);
  if (list.length === 0) return { value: [defaultOutput], complaints: [], unknownFields: [] };
  const readings = list.map((item, index) => readOutput(item, `outputs[${index}]`));
  const found = allOf(readings);
  const settings = readings.map(({ valid }) => valid);
  const complaints = [...found.complaints, ...complaintsBetweenOutputs(settings)];
  return complaints.length > 0 ? { ...found, complaints } : { ...found, value: settings.map(withoutSize) };
}

function readOutput(item: unknown, path: string): Reading<never> & { readonly valid: OutputSettings } {
  if (!isObject(item)) return { ...complaint(`${path} must be an object`), valid: {} };
  const { valid, complaints, unknownFields } = readFields(outputTable, item, path);
  return { valid, complaints: [...complaints, ...complaintsAboutOutput(valid, path)], unknownFields };
}
