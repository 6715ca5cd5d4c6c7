import type {
  CreatedRecord,
  DetailsRecord,
  InputDetails,
  InputMediaFile,
  JobProgressRecord,
  JobRecord,
  MediaFileRecord,
  OutputDetails,
  OutputMediaFile,
  ProgressRecord,
  ThumbnailRecord,
} from '../shared/records.js';
import { inputStates, jobStates, outputStates } from '../shared/states.js';
import { isObject } from '../shared/util/is-object.js';
import { roundToHundredths } from '../shared/util/rounding.js';

type Fields = Readonly<Record<string, unknown>>;

const knownStates: ReadonlySet<string> = new Set([...jobStates, ...inputStates, ...outputStates]);

/*
 * Unknown states are kept: `isFinal` returns false for them, and tables show them. Known states are recognised in any
 * letter case, and "canceled" as well. The type lists only the states of the API, so that switches over them are
 * checked; hence one cast, here.
 */
function readState<State extends string>(value: unknown): State {
  const text = readText(value)?.trim() ?? '';
  const state = text
    .toLowerCase()
    .replace(/^canceled$/, 'cancelled')
    .replace(/^no_input$/, 'no input');
  return (knownStates.has(state) ? state : text || 'unknown') as State;
}

const numbers = (fields: Fields) => (key: string) => readAmount(fields[key]);
const texts = (fields: Fields) => (key: string) => readText(fields[key]);

function facts(fields: Fields) {
  const number = numbers(fields);
  const text = texts(fields);
  return {
    id: readId(fields.id),
    url: text('url'),
    format: text('format'),
    duration_in_ms: number('duration_in_ms'),
    frame_rate: number('frame_rate'),
    audio_sample_rate: number('audio_sample_rate'),
    audio_bitrate_in_kbps: number('audio_bitrate_in_kbps'),
    audio_codec: text('audio_codec'),
    video_codec: text('video_codec'),
    video_bitrate_in_kbps: number('video_bitrate_in_kbps'),
    total_bitrate_in_kbps: number('total_bitrate_in_kbps'),
    width: number('width'),
    height: number('height'),
    channels: text('channels'),
    ...(readBoolean(fields.closed_captions) ? { closed_captions: true } : {}),
    error_message: text('error_message') || null,
    error_class: text('error_class') || null,
    md5_checksum: text('md5_checksum'),
  };
}

function times(fields: Fields) {
  return {
    created_at: readTime(fields.created_at) ?? '',
    updated_at: readTime(fields.updated_at) ?? '',
    finished_at: readTime(fields.finished_at),
  };
}

function mediaFile(fields: Fields): MediaFileRecord {
  return {
    ...facts(fields),
    ...times(fields),
    file_size_bytes: readAmount(fields.file_size_bytes) ?? readAmount(fields.file_size_in_bytes),
    test: readBoolean(fields.test),
  };
}

function inputFile(value: unknown): InputMediaFile {
  const fields = fieldsOf(value);
  return { ...mediaFile(fields), state: readState(fields.state) };
}

function outputFile(value: unknown): OutputMediaFile {
  const fields = fieldsOf(value);
  const warnings = itemsOf(fields.warnings).map((value) => readText(value) ?? '');
  return {
    ...mediaFile(fields),
    state: readState(fields.state),
    label: readText(fields.label),
    ...segmentFields(fields),
    ...captionFields(fields),
    ...(warnings.length === 0 ? {} : { warnings }),
    ...readLabels(fields.requires),
  };
}

function thumbnail(value: unknown): ThumbnailRecord {
  const fields = fieldsOf(value);
  const label = readText(fields.group_label);
  return {
    id: readId(fields.id),
    url: readText(fields.url) ?? '',
    created_at: readTime(fields.created_at) ?? '',
    updated_at: readTime(fields.updated_at) ?? '',
    ...(label === null ? {} : { group_label: label }),
  };
}

/** The job object of `{"job": {...}}`; a value without the wrapper is returned as it is. */
export function unwrapJob(response: unknown): unknown {
  const fields = fieldsOf(response);
  if (typeof fields.job === 'object' && fields.job !== null) return fields.job;
  return Array.isArray(response) && Object.keys(fields).length > 0 ? fields : response;
}

/** The job objects of a list (section 4.3). */
export function unwrapJobs(response: unknown): readonly unknown[] {
  const list = Array.isArray(response) ? response : itemsOf(fieldsOf(response).jobs);
  return list.map(unwrapJob);
}

/**
 * Normalises a job (section 2.3), wrapped or not: every key is present, numbers are numbers, and missing values are
 * null. `requestedId` is the id of the request, which a response may leave out.
 */
export function normaliseJob(response: unknown, requestedId = 0): JobRecord {
  const fields = fieldsOf(unwrapJob(response));
  return {
    id: readId(fields.id) || requestedId,
    state: readState(fields.state),
    test: readBoolean(fields.test),
    pass_through: passThrough(fields.pass_through),
    grouping: readText(fields.grouping),
    ...times(fields),
    submitted_at: readTime(fields.submitted_at) ?? readTime(fields.created_at) ?? '',
    input_media_file: inputFile(fields.input_media_file),
    output_media_files: itemsOf(fields.output_media_files).map(outputFile),
    thumbnails: itemsOf(fields.thumbnails)
      .map(thumbnail)
      .filter(({ url }) => url !== ''),
    ...queueFields(fields),
    ...readWorkerName(fields.worker),
    ...readWarnings(fields.warnings),
  };
}

/** How a job waits in the queue, as the daemon reports it. */
function queueFields({ priority, requires }: Fields): Pick<JobRecord, 'priority' | 'requires'> {
  const number = readNumber(priority);
  return {
    ...(number === null || number === 0 ? {} : { priority: number }),
    ...readLabels(requires),
  };
}

/** The labels that a machine must have. */
function readLabels(requires: unknown): Pick<JobRecord, 'requires'> {
  const labels = itemsOf(requires).flatMap((label) => readText(label) ?? []);
  return labels.length === 0 ? {} : { requires: labels };
}

function readWorkerName(value: unknown): Pick<JobRecord, 'worker'> {
  const worker = readText(value);
  return worker === null ? {} : { worker };
}

/** May be any value (section 2.3): one that is not a text is shown as JSON. */
function passThrough(value: unknown): string | null {
  return readText(value) ?? (value === undefined || value === null ? null : JSON.stringify(value));
}

function details(fields: Fields, requestedId: number): DetailsRecord {
  const media = facts(fields);
  return {
    ...media,
    id: media.id || requestedId,
    file_size_in_bytes: readAmount(fields.file_size_in_bytes) ?? readAmount(fields.file_size_bytes),
  };
}

/** Normalises input details (section 2.1). `requestedId` as for a job. */
export function normaliseInput(response: unknown, requestedId = 0): InputDetails {
  const fields = fieldsOf(response);
  return {
    ...details(fields, requestedId),
    job_id: readId(fields.job_id),
    state: readState(fields.state),
    privacy: readBoolean(fields.privacy),
  };
}

/** Normalises output details (section 2.2). `requestedId` as for a job. */
export function normaliseOutput(response: unknown, requestedId = 0): OutputDetails {
  const fields = fieldsOf(response);
  return { ...details(fields, requestedId), state: readState(fields.state), label: readText(fields.label) };
}

/**
 * Normalises a progress record (section 2.4). Percentages are clamped to 0-100; a missing one of a finished file is
 * 100.
 */
export function normaliseProgress(response: unknown): ProgressRecord {
  const fields = fieldsOf(response);
  const state: ProgressRecord['state'] = readState(fields.state);
  const event = readText(fields.current_event)?.toLowerCase();
  const eventProgress = readPercent(fields.current_event_progress);
  const fps = readNumber(fields.fps);
  const speed = readNumber(fields.speed);
  const etaMs = readNumber(fields.eta_in_ms);
  return {
    state,
    progress: readPercent(fields.progress) ?? (state === 'finished' ? 100 : 0),
    ...(event === undefined ? {} : { current_event: readState(event) }),
    ...(eventProgress === null ? {} : { current_event_progress: eventProgress }),
    ...(fps === null ? {} : { fps }),
    ...(speed === null ? {} : { speed }),
    ...(etaMs === null ? {} : { eta_in_ms: etaMs }),
  };
}

/** Normalises the progress of a whole job (`GET /v2/jobs/<id>/progress`). */
export function normaliseJobProgress(response: unknown): JobProgressRecord {
  const fields = fieldsOf(response);
  return {
    state: readState(fields.state),
    progress: readPercent(fields.progress) ?? 0,
    input: withId(fields.input),
    outputs: itemsOf(fields.outputs).map(withId),
  };
}

/**
 * The progress of a whole job, derived from its details and the progress records by input or output id, for services
 * without a route for it. A file without a record counts as 100 if it is final, otherwise as 0.
 */
export function progressOfJob(
  job: JobRecord,
  records: ReadonlyMap<number, ProgressRecord>,
): JobProgressRecord {
  const file = (media: InputMediaFile | OutputMediaFile) => ({
    id: media.id,
    ...(records.get(media.id) ?? { state: media.state, progress: media.state === 'finished' ? 100 : 0 }),
  });
  const input = file(job.input_media_file);
  const outputs = job.output_media_files.map(file);
  const sum = outputs.reduce((total, output) => total + output.progress, 0);
  const mean = outputs.length === 0 ? 0 : roundToHundredths(sum / outputs.length);
  return { state: job.state, progress: job.state === 'finished' ? 100 : mean, input, outputs };
}

/** Normalises the answer to a create (section 4.1). */
export function normaliseCreated(response: unknown): CreatedRecord {
  const fields = fieldsOf(response);
  return {
    id: readText(fields.id),
    outputs: itemsOf(fields.outputs).map((value) => {
      const output = fieldsOf(value);
      return { id: readNumber(output.id), label: readText(output.label), url: readText(output.url) };
    }),
    ...(readBoolean(fields.test) ? { test: true as const } : {}),
    ...readWarnings(fields.warnings),
  };
}

function readWarnings(value: unknown): Pick<CreatedRecord, 'warnings'> {
  const warnings = itemsOf(value).map((item) => {
    const warning = fieldsOf(item);
    return { field: readText(warning.field) ?? '', message: readText(warning.message) ?? '' };
  });
  return warnings.length === 0 ? {} : { warnings };
}

function withId(value: unknown): ProgressRecord & { readonly id: number } {
  return { id: readId(fieldsOf(value).id), ...normaliseProgress(value) };
}

/*
 * Tolerant readers of a service's answers: other services with this API send numbers as text, leave keys out and add
 * their own.
 */

/** The fields of an object, or of the only object of an array; otherwise none. */
export function fieldsOf(value: unknown): Readonly<Record<string, unknown>> {
  if (Array.isArray(value) && value.length === 1 && !Array.isArray(value[0])) return fieldsOf(value[0]);
  return isObject(value) ? value : {};
}

/** The items of an array; an object counts as an array of one item, anything else as an empty array. */
export function itemsOf(value: unknown): readonly unknown[] {
  if (Array.isArray(value)) return value;
  return typeof value === 'object' && value !== null ? [value] : [];
}

/** A finite number, also given as text; otherwise null. */
export function readNumber(value: unknown): number | null {
  if (typeof value === 'number') return Number.isFinite(value) ? value : null;
  if (typeof value !== 'string' || value.trim() === '') return null;
  const number = Number(value);
  return Number.isFinite(number) ? number : null;
}

/** A number of 0 or more, such as a size or length; otherwise null. */
export function readAmount(value: unknown): number | null {
  const number = readNumber(value);
  return number !== null && number >= 0 ? number : null;
}

/** A text, also given as a number; otherwise null. */
export function readText(value: unknown): string | null {
  if (typeof value === 'string') return value;
  return typeof value === 'number' ? String(value) : null;
}

/** True for `true`, `1` and these as text; otherwise false. */
export function readBoolean(value: unknown): boolean {
  return value === true || value === 1 || value === '1' || value === 'true';
}

/** An id: a safe integer above 0, also given as text; otherwise 0. */
export function readId(value: unknown): number {
  const id = readNumber(value);
  return id !== null && Number.isSafeInteger(id) && id > 0 ? id : 0;
}

/** A percentage clamped to 0-100, also given as text with or without a percent sign; otherwise null. */
function readPercent(value: unknown): number | null {
  const number = readNumber(typeof value === 'string' ? value.replace(/\s*%\s*$/, '') : value);
  return number === null ? null : Math.min(100, Math.max(0, number));
}

/** Times with a time zone are kept as they are. */
const zoned = /T.*(?:Z|[+-]\d\d:?\d\d)$/;
/** All times of the API are UTC, so a time without a zone is not local time. */
const unzoned = /^(\d{4}-\d\d-\d\d)[ T](\d\d:\d\d(?::\d\d(?:\.\d+)?)?)(?: ?UTC)?$/;

/**
 * A time as ISO 8601, also given without a zone, or as seconds or milliseconds since 1970; otherwise the text
 * unchanged.
 */
export function readTime(value: unknown): string | null {
  const text = readText(value)?.trim();
  if (text === undefined || text === '') return null;
  if (zoned.test(text)) return text;
  // Some databases write a missing date this way.
  if (text.startsWith('0000-00-00')) return null;
  if (/^\d{9,13}(?:\.\d+)?$/.test(text)) {
    const number = Number(text);
    return new Date(number < 1e11 ? number * 1000 : number).toISOString();
  }
  const [, day, time] = unzoned.exec(text) ?? [];
  return day === undefined ? text : `${day}T${time}Z`;
}

/** Normalises the fields of an output that was cut into segments: only those that the record has. */
function segmentFields(fields: Fields) {
  const { fragment_duration_in_ms, segments, rfc_6381_video_codec, rfc_6381_audio_codec } = fields;
  const known = {
    dash_url: readText(fields.dash_url),
    peak_bitrate_in_kbps: readAmount(fields.peak_bitrate_in_kbps),
    average_bitrate_in_kbps: readAmount(fields.average_bitrate_in_kbps),
    fragment_duration_in_ms: readAmount(fragment_duration_in_ms),
    segments: readAmount(segments),
    rfc_6381_video_codec: readText(rfc_6381_video_codec),
    rfc_6381_audio_codec: readText(rfc_6381_audio_codec),
  };
  // Only those that the record has.
  return Object.fromEntries(Object.entries(known).filter(([, value]) => value !== null)) as Partial<
    Pick<OutputMediaFile, keyof typeof known>
  >;
}

/** Normalises the caption files of an output; absent if it has none. */
function captionFields(fields: Fields): Pick<OutputMediaFile, 'caption_files'> {
  const files = itemsOf(fields.caption_files)
    .map(fieldsOf)
    .map(({ url, language, label }) => ({
      url: readText(url) ?? '',
      language: readText(language),
      label: readText(label) ?? '',
    }))
    .filter(({ url }) => url !== '');
  return files.length === 0 ? {} : { caption_files: files };
}
