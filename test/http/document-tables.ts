/** The JSON type of a field, or several separated by `|`. */
export type Shape = Readonly<Record<string, string>>;

const file: Shape = {
  id: 'integer',
  url: 'string',
  state: 'string',
  format: 'string|null',
  duration_in_ms: 'integer|null',
  total_bitrate_in_kbps: 'integer|null',
  video_codec: 'string|null',
  video_bitrate_in_kbps: 'integer|null',
  width: 'integer|null',
  height: 'integer|null',
  frame_rate: 'number|null',
  audio_codec: 'string|null',
  audio_bitrate_in_kbps: 'integer|null',
  audio_sample_rate: 'integer|null',
  channels: 'string|null',
  md5_checksum: 'string|null',
  error_class: 'string|null',
  error_message: 'string|null',
};

/** Section 2.1, and the two fields of the contract for failures. */
export const inputDetails: Shape = {
  ...file,
  job_id: 'integer',
  privacy: 'boolean',
  file_size_in_bytes: 'integer|null',
};

/** Section 2.2. */
export const outputDetails: Shape = { ...file, label: 'string|null', file_size_in_bytes: 'integer|null' };

/** Section 2.3: the job itself, and `grouping`. */
export const job: Shape = {
  id: 'integer',
  state: 'string',
  test: 'boolean',
  pass_through: 'string|null',
  grouping: 'string|null',
  created_at: 'time',
  updated_at: 'time',
  submitted_at: 'time',
  finished_at: 'time|null',
  input_media_file: 'object',
  output_media_files: 'array',
  thumbnails: 'array',
};

/** Section 2.3: `input_media_file`. */
export const inputMediaFile: Shape = {
  ...file,
  created_at: 'time',
  updated_at: 'time',
  finished_at: 'time|null',
  file_size_bytes: 'integer|null',
  test: 'boolean',
};

/** Section 2.3: an element of `output_media_files`. */
export const outputMediaFile: Shape = { ...inputMediaFile, label: 'string|null' };

/** Section 4.10: `total.live`. */
export const liveTotal: Shape = {
  stream_hours: 'number',
  billable_stream_hours: 'number',
  encoded_hours: 'number',
  billable_encoded_hours: 'number',
  total_hours: 'number',
  total_billable_hours: 'number',
};

/** Section 4.10: `total.vod`. */
export const vodTotal: Shape = { encoded_minutes: 'number', billable_minutes: 'number' };

/** Section 2.5. */
export const liveDay: Shape = { ...liveTotal, grouping: 'string|null', collected_on: 'date' };
/** Section 2.5. */
export const vodDay: Shape = { ...vodTotal, grouping: 'string|null', collected_on: 'date' };

/** A table without one of its fields. */
export function without(table: Shape, name: string): Shape {
  return Object.fromEntries(Object.entries(table).filter(([field]) => field !== name));
}

/** The differences between a record and its table: missing, unknown and wrongly typed fields. Empty if there are none. */
export function differences(record: unknown, table: Shape): readonly string[] {
  if (typeof record !== 'object' || record === null) return ['it is not an object'];
  const given = new Map<string, unknown>(Object.entries(record));
  const extra = [...given.keys()].filter((name) => table[name] === undefined);
  const missing = Object.keys(table).filter((name) => !given.has(name));
  const wrong = Object.entries(table).filter(
    ([name, types]) => given.has(name) && !types.split('|').includes(typeOf(given.get(name), types)),
  );
  return [
    ...extra.map((name) => `${name} is not in the document`),
    ...missing.map((name) => `${name} is missing`),
    ...wrong.map(([name, types]) => `${name} is no ${types}: ${JSON.stringify(given.get(name))}`),
  ];
}

function typeOf(value: unknown, types: string): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  if (typeof value === 'number')
    return Number.isInteger(value) && !types.includes('number') ? 'integer' : 'number';
  if (typeof value !== 'string') return typeof value;
  if (types.includes('time'))
    return /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/.test(value) ? 'time' : 'string';
  if (types.includes('date')) return /^\d{4}-\d\d-\d\d$/.test(value) ? 'date' : 'string';
  return 'string';
}
