import type { SettingsTable } from './setting.js';

const section = 'Keyframes';

/** Where the keyframes of the video are, besides `keyframe_interval`. */
export const keyframesTable = {
  keyframe_rate: {
    kind: 'number',
    min: 0.001,
    max: 100,
    section,
    help: 'minimum number of keyframes per second; keyframe_interval overrides it',
  },
  fixed_keyframe_interval: {
    kind: 'boolean',
    default: false,
    section,
    help: 'place keyframes at the requested distance and nowhere else, not even where the image changes',
  },
  forced_keyframe_interval: {
    kind: 'integer',
    min: 1,
    max: 100_000,
    unit: 'frames',
    spellings: ['force_keyframe_interval'],
    section,
    help: 'make every Nth frame a keyframe; further keyframes are allowed',
  },
  forced_keyframe_rate: {
    kind: 'number',
    min: 0.001,
    max: 100,
    spellings: ['force_keyframe_rate'],
    section,
    help: 'make the first frame of every period of 1/N seconds a keyframe; forced_keyframe_interval overrides it',
  },
  prepare_for_segmenting: {
    kind: 'list',
    of: {
      kind: 'choice',
      choices: ['hls', 'dash', 'mss'],
      trueMeans: 'hls',
      section,
      help: 'one kind of segments',
    },
    max: 3,
    isCommaSeparated: true,
    section,
    help: 'place keyframes where segments of this kind begin: every 10 seconds for hls, every 2 seconds for dash and mss',
  },
} as const satisfies SettingsTable;
