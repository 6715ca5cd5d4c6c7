import { withoutExtension } from '../text/url-text.js';
import type { SettingsOf, SettingsTable } from './setting.js';

const section = 'addition';

/** The quality that the video shall have, and how it is measured. */
export const qualityTable = {
  quality_target: {
    kind: 'number',
    min: 40,
    max: 99,
    section,
    help: 'VMAF score that the video shall have, met with as few bits as possible; overrides quality and crf',
  },
  quality_floor: {
    kind: 'number',
    min: 0,
    max: 99,
    section,
    help: 'VMAF score that no second of the video may miss; only with quality_target',
  },
  measure_quality: {
    kind: 'boolean',
    default: false,
    section,
    help: 'measure how close the video comes to its original (VMAF), and report it in the details of the job',
  },
  quality_check: {
    seenIn: 'delivery',
    kind: 'choice',
    choices: ['full', 'samples', 'none'],
    default: 'full',
    section,
    help: 'what is measured of the finished video: all of it, the samples of a search, or nothing after a search',
  },
  quality_log: {
    kind: 'boolean',
    default: false,
    section,
    help: 'deliver the scores of all seconds next to the file, as NAME.quality.json, if the quality is measured',
  },
  quality_metric: {
    kind: 'choice',
    choices: ['vmaf', 'vmaf-neg'],
    default: 'vmaf',
    section,
    help: 'what is measured; vmaf-neg does not count enhanced contrast as quality',
  },
  quality_reference: {
    kind: 'choice',
    choices: ['output', 'source'],
    default: 'output',
    section,
    help: 'what the video is compared with: the film at the size of the output, or at its own size',
  },
} as const satisfies SettingsTable;

/** Whether the quality of an output is measured: that of its file, or that of samples for a search. */
export function isMeasured(settings: SettingsOf<typeof qualityTable>): boolean {
  return settings.measure_quality === true || settings.quality_target !== undefined;
}

/** Whether the finished video of an output is measured, and not only searched for (`quality_check`). */
export function isChecked(settings: SettingsOf<typeof qualityTable>): boolean {
  return isMeasured(settings) && settings.quality_check !== 'none';
}

/** The name of the file with the scores of an output. */
export function qualityLogName(filename: string): string {
  return `${withoutExtension(filename)}.quality.json`;
}

/** Whether the scores of an output are delivered in a file, if they can be measured. */
export function hasQualityLog(settings: SettingsOf<typeof qualityTable>): boolean {
  return settings.quality_log === true && isChecked(settings);
}
