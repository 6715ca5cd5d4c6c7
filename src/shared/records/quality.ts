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

/** What a measurement of the quality of a video found: `quality` of an output, and `venc compare --json`. */
export const qualityFields = {
  metric: { type: 'string', values: ['vmaf', 'vmaf-neg'], description: 'what was measured' },
  model: { type: 'string', description: 'name of the model' },
  version: { type: 'string', description: 'version of libvmaf' },
  reference: {
    type: 'string',
    values: ['output', 'source', 'file'],
    description: 'what it was compared with: the frames that were encoded, the film, or a file',
  },
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
