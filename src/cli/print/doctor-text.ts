import { safeText } from '../../api/safe-text.js';
import { type Fact, factLines } from './media-text.js';
import type { Paint } from './paint.js';
import { humanSize } from './units.js';

/** What `venc doctor` found, as far as it is told to people. */
export interface Diagnosis {
  readonly version: string;
  readonly node: string;
  readonly platform: string;
  readonly looked: readonly {
    readonly program: string;
    readonly path: string | null;
    readonly reason: string | null;
  }[];
  readonly encoders: readonly string[];
  readonly filters: readonly string[];
  readonly data_folder: { readonly free_bytes: number | null };
  readonly findings: readonly {
    readonly level: 'good' | 'note' | 'missing';
    readonly subject: string;
    readonly message: string;
    readonly advice: string | null;
  }[];
}

/** Encoders that venc can use: the others of an ffmpeg are of no interest here. */
const usedEncoders =
  /^(libx264|libx265|libvpx|libvpx-vp9|libtheora|libaom-av1|libsvtav1|aac|libfdk_aac|libmp3lame|libvorbis|libopus|flv1?)$/;

/** The findings in order, each with what to do; passed-over programs and encoders below. */
export function doctorText(diagnosis: Diagnosis, paint: Paint): string {
  const marks = { good: paint.green('ok'), note: paint.yellow('note'), missing: paint.red('MISSING') };
  const findings = diagnosis.findings.flatMap(({ level, subject, message, advice }) => [
    `${marks[level]}  ${subject}: ${safeText(message)}`,
    ...(advice === null ? [] : [`    ${safeText(advice)}`]),
  ]);
  const passedOver = diagnosis.looked.flatMap(({ program, path, reason }) =>
    path === null || reason === null ? [] : [`    ${program}: ${safeText(path)} ${safeText(reason)}`],
  );
  const encoders = diagnosis.encoders.filter((name) => usedEncoders.test(name));
  const facts: readonly Fact[] = [
    ['venc', `${diagnosis.version}, node ${diagnosis.node}, ${diagnosis.platform}`],
    ...(encoders.length === 0 ? [] : [['encoders', encoders.join(' ')] as const]),
    ...(diagnosis.filters.length === 0 ? [] : [['filters', `${diagnosis.filters.length}`] as const]),
    ['free disk', humanSize(diagnosis.data_folder.free_bytes)],
  ];
  const lines = [
    ...factLines(facts),
    '',
    ...findings,
    ...(passedOver.length === 0 ? [] : ['', 'Passed over:', ...passedOver]),
  ];
  return lines.map((line) => `${line}\n`).join('');
}
