import { isObject } from '../util/is-object.js';
import { defaultOutput, type JobRequest, jobTable, type OutputSettings, outputTable } from './index.js';
import { complaintsAboutLabels, complaintsAboutOutput, withoutSize } from './output-rules.js';
import { readFields } from './read-value.js';
import { allOf, complaint, type Reading } from './reading.js';

/** What became of the body of a create: a typed request, or every complaint about it, as full sentences. */
export type JobRequestReading =
  | { readonly ok: true; readonly request: JobRequest; readonly unknownFields: readonly string[] }
  | {
      readonly ok: false;
      readonly complaints: readonly string[];
      readonly unknownFields: readonly string[];
      readonly soundParts: SoundParts;
    };

/** What nothing is wrong with in a request that is not valid, for further checks to add to its complaints. */
export interface SoundParts {
  readonly job: Partial<JobRequest>;
  /** By their index in the request; undefined where one has complaints. */
  readonly outputs: readonly (OutputSettings | undefined)[];
}

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
    const complaints = ['The request must be an object with an input'];
    return { ok: false, complaints, unknownFields: [], soundParts: { job: {}, outputs: [] } };
  }
  const job = readFields(jobTable, body, '');
  const outputs = readOutputs(body, limits.maxOutputs);
  const complaints = [...job.complaints, ...outputs.complaints];
  const unknownFields = [
    ...job.unknownFields.filter((name) => !fieldsOfOthers.includes(name)),
    ...outputs.unknownFields,
  ].slice(0, maxUnknownFields);
  return job.value === undefined || complaints.length > 0
    ? { ok: false, complaints, unknownFields, soundParts: { job: job.valid, outputs: outputs.sound } }
    : { ok: true, request: { ...job.value, outputs: outputs.sound.filter(isThere) }, unknownFields };
}

/** A reading of all outputs, with those that nothing is wrong with in their places. */
interface OutputsReading extends Reading<never> {
  readonly sound: SoundParts['outputs'];
}

function readOutputs(body: Readonly<Record<string, unknown>>, max: number): OutputsReading {
  const [given = [], second] = ['outputs', 'output'].flatMap((name) =>
    Object.hasOwn(body, name) && body[name] !== null && body[name] !== undefined ? [body[name]] : [],
  );
  if (second !== undefined) return noOutputs('output and outputs must not both be given: use outputs');
  if (!Array.isArray(given) && !isObject(given)) {
    return noOutputs('outputs must be an array of objects, or one object');
  }
  const list: readonly unknown[] = Array.isArray(given) ? given : [given];
  if (list.length > max) return noOutputs(`outputs must have at most ${max} entries`);
  if (list.length === 0) return { ...allOf([]), sound: [defaultOutput] };
  const readings = list.map((item, index) => readOutput(item, `outputs[${index}]`));
  const { complaints, unknownFields } = allOf(readings);
  return {
    complaints: [...complaints, ...complaintsAboutLabels(readings.map(({ valid }) => valid))],
    unknownFields,
    sound: readings.map((reading) =>
      reading.complaints.length === 0 ? withoutSize(reading.valid) : undefined,
    ),
  };
}

function noOutputs(text: string): OutputsReading {
  return { ...complaint(text), sound: [] };
}

function readOutput(item: unknown, path: string): Reading<never> & { readonly valid: OutputSettings } {
  if (!isObject(item)) return { ...complaint(`${path} must be an object`), valid: {} };
  const { valid, complaints, unknownFields } = readFields(outputTable, item, path);
  return { valid, complaints: [...complaints, ...complaintsAboutOutput(valid, path)], unknownFields };
}

function isThere(settings: OutputSettings | undefined): settings is OutputSettings {
  return settings !== undefined;
}
