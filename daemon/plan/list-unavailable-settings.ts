import { audioEncodersFor } from './audio-encoders.js';
import { losesTheoraTimes } from './check-combination.js';
import { canToneMap } from './decide/colours.js';
import { videoEncodersFor } from './encoders.js';
import { audioCodecs, containers, type VideoCodecFacts, videoCodecs } from './formats.js';
import type { Capabilities } from './plan-types.js';

/** Lists what this ffmpeg cannot encode, one sentence for each; empty if everything is available. */
export function listUnavailableSettings(capabilities: Capabilities): readonly string[] {
  const { encoders, muxers, filters } = capabilities;
  const missingVideo = keysOf(videoCodecs).filter(
    (codec) => !videoEncodersFor(codec).some((name) => encoders.has(name)),
  );
  const missingAudio = keysOf(audioCodecs).filter(
    (codec) => !audioEncodersFor(codec).some((name) => encoders.has(name)),
  );
  const missingContainers = keysOf(containers).filter(
    (extension) => !muxers.has(containers[extension].muxer),
  );
  return [
    ...missingVideo.map((codec) => `video_codec ${codec}: ${missingVideoReason(codec)}.`),
    ...missingAudio.map((codec) => `audio_codec ${codec}: it has ${noneOf(audioEncodersFor(codec))}.`),
    ...missingContainers.map((extension) => `${extension}: it has no muxer ${containers[extension].muxer}.`),
    ...(losesTheoraTimes(capabilities)
      ? ['video_codec theora in .ogv and .ogg: this version loses the timestamps of repeated frames.']
      : []),
    ...(filters.has('bwdif') || filters.has('yadif')
      ? []
      : ['deinterlace: it has neither the filter bwdif nor yadif.']),
    ...(encoders.has('libsvtav1') ? [] : ['hdr_format hdr10 of av1: it has no encoder libsvtav1.']),
    ...(filters.has('libvmaf')
      ? []
      : [
          'measure_quality, quality_target and venc compare: neither it nor a packaged program has the filter libvmaf.',
        ]),
    ...(canToneMap({ filters })
      ? []
      : [
          'HDR inputs: it lacks the filter zscale or tonemap, so outputs stay HDR and look pale on most screens.',
        ]),
  ];
}

function missingVideoReason(codec: keyof typeof videoCodecs): string {
  const { missingReason }: VideoCodecFacts = videoCodecs[codec];
  return missingReason ?? `it has ${noneOf(videoEncodersFor(codec))}`;
}

function noneOf(encoders: readonly string[]): string {
  return encoders.length === 1
    ? `no encoder ${encoders.join()}`
    : `none of the encoders ${encoders.join(', ')}`;
}

function keysOf<K extends string>(table: Readonly<Record<K, unknown>>): readonly K[] {
  return Object.keys(table) as readonly string[] as readonly K[];
}
