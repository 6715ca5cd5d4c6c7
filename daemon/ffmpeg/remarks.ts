import type { Abilities } from '../plan/plan-types.js';
import type { FfmpegReport } from './open-ffmpeg.js';

/** What is lost without an encoder or filter. One of the names in `anyOf` is enough. */
interface Need {
  readonly kind: 'encoders' | 'filters';
  readonly anyOf: readonly string[];
  readonly without: string;
}

const needs = [
  { kind: 'encoders', anyOf: ['libx264'], without: 'H.264 video, the default, cannot be made' },
  { kind: 'encoders', anyOf: ['aac'], without: 'AAC sound, the default, cannot be made' },
  { kind: 'encoders', anyOf: ['libmp3lame'], without: 'MP3 sound cannot be made' },
  { kind: 'encoders', anyOf: ['libvpx'], without: 'VP8 video (WebM) cannot be made' },
  { kind: 'encoders', anyOf: ['libvorbis'], without: 'Vorbis sound (WebM, Ogg) cannot be made' },
  { kind: 'encoders', anyOf: ['libtheora'], without: 'Theora video (Ogg) cannot be made' },
  { kind: 'encoders', anyOf: ['libx265'], without: 'HEVC video cannot be made' },
  { kind: 'encoders', anyOf: ['libvpx-vp9'], without: 'VP9 video cannot be made' },
  { kind: 'encoders', anyOf: ['libopus'], without: 'Opus sound cannot be made' },
  { kind: 'encoders', anyOf: ['libsvtav1', 'libaom-av1'], without: 'AV1 video cannot be made' },
  { kind: 'filters', anyOf: ['scale'], without: 'pictures cannot change their size' },
  { kind: 'filters', anyOf: ['crop'], without: 'aspect_mode crop cannot be done' },
  { kind: 'filters', anyOf: ['pad'], without: 'aspect_mode pad cannot be done' },
  { kind: 'filters', anyOf: ['transpose'], without: 'pictures cannot be turned' },
  { kind: 'filters', anyOf: ['yadif'], without: 'interlaced pictures cannot be deinterlaced' },
  { kind: 'filters', anyOf: ['overlay'], without: 'watermarks cannot be placed' },
] as const satisfies readonly Need[];

function ruledOut(abilities: Abilities): readonly string[] {
  return needs
    .filter(({ kind, anyOf }) => !anyOf.some((name) => abilities[kind].has(name)))
    .map(({ anyOf, without }) => `Without ${anyOf.join(' or ')} ${without}.`);
}

function missing(report: FfmpegReport): readonly string[] {
  const names = (['ffmpeg', 'ffprobe'] as const).filter((name) => report[name] === null);
  return names.map((name) => `There is no ${name}: install ffmpeg 5.0 or newer, or name one with --${name}.`);
}

/** What a person should know of the programs that were found, one sentence each; empty where all is well. */
export function remarksOn(report: FfmpegReport): readonly string[] {
  const isOld = report.ffmpeg?.source === 'installer';
  return [
    ...missing(report),
    ...(isOld ? ['This ffmpeg is from 2018: use it for files that you trust, and install a newer one.'] : []),
    ...(report.abilities === null ? [] : ruledOut(report.abilities)),
    ...(report.diesWithParent
      ? []
      : ['There is no setpriv: an encoder outlives a daemon that is killed until the next start ends it.']),
  ];
}
