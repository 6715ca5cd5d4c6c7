import type { RecordTable } from './field.js';

const score = { type: 'number' } as const;
const name = { type: 'string', isNullable: true } as const;

/** What was measured of both sides: that of the output, and that of what it was compared with. */
const luma = {
  output: { ...score, description: 'that of the output' },
  reference: { ...score, description: 'that of the reference' },
} as const satisfies RecordTable;
const declared = {
  output: { ...name, description: 'that of the output; null if it declares none' },
  reference: { ...name, description: 'that of the reference; null if it declares none' },
} as const satisfies RecordTable;

/** The search for a `quality_target`. */
const probe = {
  crf: { ...score, description: 'constant rate factor, in the scale of the encoder' },
  score: { ...score, description: 'mean score of the samples' },
  worst: { ...score, description: 'score of their worst second' },
  bytes: { type: 'integer', description: 'bytes of the video that this factor should give' },
  seconds: { ...score, description: 'time that the probe took, in seconds' },
} as const satisfies RecordTable;

/** How the factor for a `quality_target` was found; absent without it. */
export const searchFields = {
  target: { ...score, isOptional: true, description: 'score to reach' },
  floor: { ...score, isOptional: true, isNullable: true, description: 'score that each second was to reach' },
  crf: {
    ...score,
    isOptional: true,
    description: 'constant rate factor of the file, in the scale of its encoder',
  },
  predicted: { ...score, isOptional: true, description: 'score that the samples promised' },
  probes: {
    type: 'array',
    isOptional: true,
    of: { type: 'object', fields: probe, description: 'a probe' },
    item: 'probe',
    description: 'factors that were tried on samples of the film',
  },
  samples: {
    type: 'integer',
    isOptional: true,
    description: 'number of samples; 0 if the whole film was encoded',
  },
  search_seconds: { ...score, isOptional: true, description: 'time that the search took, in seconds' },
  corrections: {
    type: 'integer',
    isOptional: true,
    description: 'how often the film was encoded again to meet the target',
  },
  limited_by: {
    type: 'string',
    isOptional: true,
    values: ['crf', 'probes', 'bitrate_cap', 'max_video_bitrate'],
    isNullable: true,
    description:
      'what kept the video from its target: the end of the scale of the encoder, four probes that did not get close, or a maximum bitrate; null if nothing did',
  },
} as const satisfies RecordTable;

/** One point of a ladder that was chosen by the content of a film. */
export const ladderPointFields = {
  height: { type: 'integer', description: 'height in pixels' },
  crf: { ...score, description: 'constant rate factor, in the scale of the encoder' },
  score: { ...score, description: 'score against the film that it should have' },
  kbps: { type: 'integer', description: 'bitrate of the video that it should have' },
  rendition: {
    type: 'integer',
    isNullable: true,
    description: 'number of the rendition that has it, from 1, the lowest; null if none has',
  },
} as const satisfies RecordTable;

/** What is measured, and against what. */
const subjectFields = {
  metric: { type: 'string', values: ['vmaf', 'vmaf-neg'], description: 'what was measured' },
  reference: {
    type: 'string',
    values: ['output', 'source', 'file'],
    description: 'what it was compared with: the frames that were encoded, the film, or a file',
  },
} as const satisfies RecordTable;

/** What a measurement of a video found, as `venc compare --json` prints it. */
export const measurementFields = {
  ...subjectFields,
  model: { type: 'string', description: 'name of the model' },
  version: { type: 'string', description: 'version of libvmaf' },
  mean: { ...score, description: 'mean score of the frames, 0 to 100' },
  harmonic_mean: { ...score, description: 'harmonic mean, which bad frames lower more' },
  percentile_5: { ...score, description: 'score that 5 percent of the frames do not reach' },
  worst_second: {
    type: 'object',
    fields: {
      time: { ...score, description: 'when it begins, in seconds from the start' },
      score: { ...score, description: 'mean score of its frames' },
    },
    description: 'second with the lowest score',
  },
  frames: { type: 'integer', description: 'number of frames of the video' },
  subsample: { type: 'integer', description: 'one of so many frames was measured' },
  seconds: { ...score, description: 'time that the measurement took, in seconds' },
  psnr_y: { ...score, description: 'mean PSNR of the luma, in dB' },
  luma: { type: 'object', fields: luma, description: 'mean luma of 8 bits in limited range, 16 to 235' },
  matrix: { type: 'object', fields: declared, description: 'matrices that the videos declare' },
  range: { type: 'object', fields: declared, description: 'ranges that the videos declare: full, limited' },
  scores: {
    type: 'array',
    of: { ...score, description: 'mean score of a part' },
    item: 'score',
    description: 'scores over time, in up to 60 equal parts',
  },
} as const satisfies RecordTable;

/** The fields of a table, each of which may be missing. */
function optionalFields<T extends RecordTable>(
  table: T,
): { readonly [K in keyof T]: T[K] & { readonly isOptional: true } } {
  const entries = Object.entries(table).map(([key, field]) => [key, { ...field, isOptional: true }]);
  return Object.fromEntries(entries);
}

/** What is known of the quality of an output. Without a check that is only how its factor was found. */
export const outputQualityFields = {
  ...optionalFields(measurementFields),
  ...subjectFields,
  check: {
    type: 'string',
    values: ['full', 'samples', 'none'],
    isOptional: true,
    description: 'what was measured of the finished video (`quality_check`); the scores are absent with none',
  },
  ...searchFields,
} as const satisfies RecordTable;

/** `quality` of an output. */
export const qualityFields = {
  ...outputQualityFields,
  log_url: {
    type: 'string',
    format: 'uri',
    isOptional: true,
    description: 'URL of the file with the scores of all seconds; absent without `quality_log`',
  },
} as const satisfies RecordTable;
