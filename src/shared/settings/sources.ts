import type { SettingsTable } from './setting.js';

const section = 'Dependent outputs';

/** What an output is, and what it is made from. */
export const sourcesTable = {
  type: {
    rejectedValues: { cae: 'must not be cae: content-aware ladders are not supported' },
    seenIn: 'job',
    kind: 'choice',
    choices: ['standard', 'transfer-only', 'segmented', 'playlist', 'captions', 'cae'],
    rejectedChoices: ['cae'],
    aliases: { transfer_only: 'transfer-only', 'transfer only': 'transfer-only' },
    default: 'standard',
    section,
    help: 'segmented cuts it, playlist lists several, captions writes a caption file, transfer-only delivers the input',
  },
  source: {
    seenIn: 'job',
    kind: 'text',
    maxLength: 255,
    section,
    help: 'label of another output of the job, whose file is used instead of the input',
    defaultText: 'the input',
  },
  program: {
    seenIn: 'delivery',
    kind: 'text',
    maxLength: 255,
    maxNumber: 65_535,
    section: 'Programmes',
    help: 'the programme of a transport stream that is encoded, by number or name',
    defaultText: 'the one with the largest video',
  },
  copy_video: {
    kind: 'boolean',
    mayBeAuto: true,
    default: false,
    section,
    help: 'copy the video without encoding it; auto: only if it already is as requested',
  },
  copy_audio: {
    kind: 'boolean',
    mayBeAuto: true,
    default: false,
    section,
    help: 'copy the audio without encoding it; auto: only if it already is as requested',
  },
} as const satisfies SettingsTable;

/** Whether an output is delivered without being encoded (`type: transfer-only`). */
export function isTransferOnly({ type }: { readonly type?: string }): boolean {
  return type === 'transfer-only';
}
