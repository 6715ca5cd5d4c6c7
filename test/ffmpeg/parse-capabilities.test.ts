import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { parseCapabilities } from '../../daemon/ffmpeg/open-ffmpeg.js';

const texts = {
  version: 'ffmpeg version 5.1.9-0+deb12u1 Copyright',
  encoders:
    'Encoders:\n V..... = Video\n ------\n V....D libx264              libx264 H.264\n A....D aac                  AAC\n AF...X opus                 Opus\n',
  filters:
    'Filters:\n  T.. = Timeline support\n  | = Source or sink filter\n ..C scale             V->V       Scale\n TSC overlay           VV->V      Overlay\n ... anullsrc          |->A       Null\n',
  muxers:
    'File formats:\n D. = Demuxing supported\n .E = Muxing supported\n --\n  E mp4             MP4\n  E stream_segment,ssegment streaming\n',
  help: 'Advanced video options:\n-fps_mode           set framerate mode\n',
};

test('names are read from the lists without their legends', () => {
  const capabilities = parseCapabilities(texts);
  assert.is(capabilities.version, 5.1);
  assert.equal([...capabilities.encoders], ['libx264', 'aac', 'opus']);
  assert.equal([...capabilities.filters], ['scale', 'overlay', 'anullsrc']);
  assert.equal([...capabilities.muxers], ['mp4', 'stream_segment', 'ssegment']);
  assert.is(capabilities.hasFpsMode, true);
});

test('the narrower and wider columns of later releases are read as well', () => {
  const capabilities = parseCapabilities({
    ...texts,
    filters:
      'Filters:\n  T. = Timeline support\n TS overlay           VV->V      Overlay\n .. scale             V->V       Scale\n',
    muxers:
      'Formats:\n D.. = Demuxing supported\n ---\n  E  mp4             MP4\n  Ed alsa            ALSA\n',
  });
  assert.equal([...capabilities.filters], ['overlay', 'scale']);
  assert.equal([...capabilities.muxers], ['mp4', 'alsa']);
});

test('an ffmpeg whose help does not name -fps_mode does not have it', () => {
  const capabilities = parseCapabilities({ ...texts, help: '-vsync              video sync method\n' });
  assert.is(capabilities.hasFpsMode, false);
});

test.run();
