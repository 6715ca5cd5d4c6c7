import type { SettingsTable } from './setting.js';

const section = 'addition';

/** How the quality of the video is measured. */
export const qualityTable = {
  measure_quality: {
    kind: 'boolean',
    default: false,
    section,
    help: 'measure how close the video comes to its original (VMAF), and report it in the details of the job',
  },
  quality_metric: {
    kind: 'choice',
    choices: ['vmaf', 'vmaf-neg'],
    default: 'vmaf',
    section,
    help: 'what measure_quality measures; vmaf-neg does not count enhanced contrast as quality',
  },
  quality_reference: {
    kind: 'choice',
    choices: ['output', 'source'],
    default: 'output',
    section,
    help: 'what measure_quality compares with: the film at the size of the output, or at its own size',
  },
} as const satisfies SettingsTable;
