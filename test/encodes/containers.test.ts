import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { checkCombination } from '../../daemon/plan/check-combination.js';
import type { OutputSettings } from '../../src/shared/settings/index.js';
import { encoded, encoders } from '../plan/encoded.js';
import { contentsOf, stderrOf } from './decoded-media.js';
import { lagsOf, makeSyncVideo } from './sync-video.js';

const mp4 = 'mov,mp4,m4a,3gp,3g2,mj2';
const mkv = 'matroska,webm';

/** Every container with every supported pair of codecs: name, settings, and what ffprobe reports. */
const pairs: readonly (readonly [string, OutputSettings, string])[] = [
  ['a.mp4', {}, `${mp4} h264 aac`],
  ['a.mp4', { audio_codec: 'mp3' }, `${mp4} h264 mp3`],
  ['a.mp4', { video_codec: 'hevc' }, `${mp4} hevc aac`],
  ['a.mp4', { video_codec: 'vp9' }, `${mp4} vp9 aac`],
  ['a.mp4', { video_codec: 'vp9', audio_codec: 'opus' }, `${mp4} vp9 opus`],
  ['a.mp4', { video_codec: 'av1' }, `${mp4} av1 aac`],
  ['a.mp4', { video_codec: 'av1', audio_codec: 'opus' }, `${mp4} av1 opus`],
  ['a.m4v', {}, `${mp4} h264 aac`],
  ['a.m4v', { video_codec: 'hevc' }, `${mp4} hevc aac`],
  ['a.mov', {}, `${mp4} h264 aac`],
  ['a.mov', { audio_codec: 'mp3' }, `${mp4} h264 mp3`],
  ['a.mov', { video_codec: 'hevc' }, `${mp4} hevc aac`],
  ['a.3gp', {}, `${mp4} h264 aac`],
  ['a.mkv', {}, `${mkv} h264 aac`],
  ['a.mkv', { audio_codec: 'mp3' }, `${mkv} h264 mp3`],
  ['a.mkv', { video_codec: 'hevc' }, `${mkv} hevc aac`],
  ['a.mkv', { video_codec: 'vp8' }, `${mkv} vp8 vorbis`],
  ['a.mkv', { video_codec: 'theora' }, `${mkv} theora vorbis`],
  ['a.mkv', { video_codec: 'vp9' }, `${mkv} vp9 opus`],
  ['a.mkv', { video_codec: 'vp9', audio_codec: 'aac' }, `${mkv} vp9 aac`],
  ['a.mkv', { video_codec: 'av1' }, `${mkv} av1 opus`],
  ['a.mkv', { video_codec: 'av1', audio_codec: 'aac' }, `${mkv} av1 aac`],
  ['a.webm', {}, `${mkv} vp8 vorbis`],
  ['a.webm', { video_codec: 'vp9' }, `${mkv} vp9 opus`],
  ['a.webm', { video_codec: 'av1' }, `${mkv} av1 opus`],
  ['a.flv', {}, 'flv h264 aac'],
  ['a.flv', { audio_codec: 'mp3' }, 'flv h264 mp3'],
  ['a.ts', {}, 'mpegts h264 aac'],
  ['a.ts', { audio_codec: 'mp3' }, 'mpegts h264 mp3'],
  ['a.ts', { video_codec: 'hevc' }, 'mpegts hevc aac'],
  ['a.ogv', {}, 'ogg theora vorbis'],
  ['a.ogg', {}, 'ogg theora vorbis'],
  ['a.f4v', {}, `${mp4} h264 aac`],
  ['a.mp4', { audio_codec: 'ac3' }, `${mp4} h264 ac3`],
  ['a.mp4', { audio_codec: 'eac3' }, `${mp4} h264 eac3`],
  ['a.mp4', { video_codec: 'mpeg4' }, `${mp4} mpeg4 aac`],
  ['a.mp4', { video_codec: 'mpeg4', audio_codec: 'mp3' }, `${mp4} mpeg4 mp3`],
  ['a.mkv', { audio_codec: 'ac3' }, `${mkv} h264 ac3`],
  ['a.mkv', { audio_codec: 'eac3' }, `${mkv} h264 eac3`],
  ['a.webm', { video_codec: 'vp9', audio_codec: 'vorbis' }, `${mkv} vp9 vorbis`],
  ['a.ts', { audio_codec: 'ac3' }, 'mpegts h264 ac3'],
  ['a.3g2', {}, `${mp4} h264 aac`],
  ['a.3gp', { video_codec: 'mpeg4' }, `${mp4} mpeg4 aac`],
  ['a.wmv', {}, 'asf wmv2 wmav2'],
  ['a.wmv', { audio_codec: 'mp3' }, 'asf wmv2 mp3'],
  // The format decides, whatever the name says.
  ['a.dat', { format: 'webm' }, `${mkv} vp8 vorbis`],
  ['a.mp4', { format: 'mkv' }, `${mkv} h264 aac`],
];

/** Every audio container, and other containers without video. */
const audioOnly: readonly (readonly [string, OutputSettings, string])[] = [
  ['a.mp3', {}, 'mp3 mp3'],
  ['a.m4a', {}, `${mp4} aac`],
  ['a.aac', {}, 'aac aac'],
  ['a.oga', {}, 'ogg vorbis'],
  ['a.opus', {}, 'ogg opus'],
  ['a.mka', {}, `${mkv} aac`],
  ['a.ogg', { skip_video: true }, 'ogg vorbis'],
  ['a.m4b', {}, `${mp4} aac`],
  ['a.f4a', {}, `${mp4} aac`],
  ['a.ac3', {}, 'ac3 ac3'],
  ['a.ec3', {}, 'eac3 eac3'],
  ['a.wma', {}, 'asf wmav2'],
  ['a.wav', {}, 'wav pcm_s16le'],
  ['a.wav', { audio_bit_depth: 24 }, 'wav pcm_s24le'],
  ['a.mov', { skip_video: true, audio_codec: 'pcm', audio_bit_depth: 32 }, `${mp4} pcm_s32le`],
  ['file-64k.mp4', { format: 'aac' }, 'aac aac'],
  ['a', { format: 'mp3' }, 'mp3 mp3'],
  ['a.mp4', { skip_video: true, audio_codec: 'opus' }, `${mp4} opus`],
  ['a.mkv', { skip_video: true, audio_codec: 'vorbis' }, `${mkv} vorbis`],
  ['a.webm', { skip_video: true, audio_codec: 'opus' }, `${mkv} opus`],
  ['a.flv', { skip_video: true, audio_codec: 'mp3' }, 'flv mp3'],
  ['a.ts', { skip_video: true, audio_codec: 'mp3' }, 'mpegts mp3'],
];

const input = await makeSyncVideo('sync.mkv');

for (const [build, ffmpeg] of await encoders()) {
  const { capabilities } = ffmpeg;
  // The libaom of 2018 takes half a minute for one of these.
  const isTooSlow = ({ video_codec }: OutputSettings) =>
    video_codec === 'av1' && !capabilities.encoders.has('libsvtav1');
  const canMake = ([name, settings]: readonly [string, OutputSettings, string]) =>
    checkCombination(settings, name, capabilities, 'output').ok && !isTooSlow(settings);

  for (const [name, settings, contents] of pairs.filter(canMake)) {
    test(`${build}: ${name} with ${JSON.stringify(settings)} decodes without errors, with audio and video in sync`, async () => {
      const { path } = await encoded(ffmpeg, input, { ...settings, speed: 5 }, name);
      assert.is(await contentsOf(path), contents);
      assert.is(await stderrOf(path), '');
      const lags = await lagsOf(path);
      assert.is(lags.length, 2);
      assert.ok(
        lags.every((lag) => Math.abs(lag) <= 20),
        lags.join(),
      );
    });
  }

  for (const [name, settings, contents] of audioOnly.filter(canMake)) {
    test(`${build}: ${name} with ${JSON.stringify(settings)} contains only audio and decodes without errors`, async () => {
      const { path } = await encoded(ffmpeg, input, settings, name);
      assert.is(await contentsOf(path), contents);
      assert.is(await stderrOf(path), '');
    });
  }
}

test.run();
