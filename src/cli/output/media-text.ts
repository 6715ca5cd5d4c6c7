import { errorClasses, isErrorClass } from '../../shared/error-classes.js';
import type { DetailsRecord, MediaFileRecord } from '../../shared/records.js';
import { redact, withoutPassword } from '../../shared/redact.js';
import { safeText } from '../../shared/text/safe-text.js';
import { humanDuration, humanSize } from './units.js';

type Media = DetailsRecord | MediaFileRecord;

/** One line of details: what it is called and what it is. */
export type Fact = readonly [name: string, value: string];

/** Picture, sound and container of a file, as far as they are known: one fact each. */
export function mediaFacts(media: Media): readonly Fact[] {
  const sizeBytes = 'file_size_bytes' in media ? media.file_size_bytes : media.file_size_in_bytes;
  const seconds = media.duration_in_ms === null ? null : media.duration_in_ms / 1000;
  const facts: readonly (readonly [string, readonly (string | null)[]])[] = [
    ['url', [media.url === null ? null : withoutPassword(media.url)]],
    ['format', [media.format, seconds === null ? null : humanDuration(seconds), known(sizeBytes, humanSize)]],
    [
      'picture',
      [
        media.video_codec,
        media.width === null || media.height === null ? null : `${media.width}x${media.height}`,
        known(media.frame_rate, (rate) => `${Math.round(rate * 1000) / 1000} fps`),
        known(media.video_bitrate_in_kbps, kilobits),
      ],
    ],
    [
      'sound',
      [
        media.audio_codec,
        known(media.channels, (channels) => `${channels} channel${channels === '1' ? '' : 's'}`),
        known(media.audio_sample_rate, (rate) => `${rate} Hz`),
        known(media.audio_bitrate_in_kbps, kilobits),
      ],
    ],
    ['md5', [media.md5_checksum ?? null]],
  ];
  return facts.flatMap(([name, parts]) => {
    const value = parts.filter((part) => part !== null && part !== '').join(', ');
    return value === '' ? [] : [[name, value] as const];
  });
}

/** Why a file failed and what to do about it: the class, the message, and the advice of the error table. */
export function failureFacts(media: Pick<Media, 'error_class' | 'error_message'>): readonly Fact[] {
  const { error_class: errorClass, error_message: message } = media;
  if (errorClass === null && message === null) return [];
  const what = [errorClass, redact(message ?? '')].filter((part) => part !== null && part !== '').join(': ');
  const advice =
    errorClass !== null && isErrorClass(errorClass)
      ? [['advice', errorClasses[errorClass].advice] as const]
      : [];
  return [['error', what], ...advice];
}

/** Facts as lines, names in one column, indented by so many spaces. What came from elsewhere is made harmless here. */
export function factLines(facts: readonly Fact[], indent = 0): readonly string[] {
  const widest = Math.max(0, ...facts.map(([name]) => name.length));
  return facts.map(([name, value]) =>
    `${' '.repeat(indent)}${name.padEnd(widest)}  ${safeText(value)}`.trimEnd(),
  );
}

function kilobits(rate: number): string {
  return `${rate} kbps`;
}

function known<Value>(value: Value | null, write: (value: Value) => string): string | null {
  return value === null ? null : write(value);
}
