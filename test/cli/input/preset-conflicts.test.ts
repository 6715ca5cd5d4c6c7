import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { media } from '../../helpers/media.js';
import { tempFolder } from '../../helpers/temp.js';
import type { CliResult } from '../run-cli.js';
import { runInProcess } from '../run-here.js';

interface Context {
  film: string;
  venc: (words: readonly string[]) => Promise<CliResult>;
}

const test = suite<Context>('conflicts between presets and flags');

test.before(async (context) => {
  const env = { XDG_CONFIG_HOME: tempFolder() };
  context.film = await media('clip.mp4');
  context.venc = (words) => runInProcess(words, { env });
});

/** Settings that exclude each other: what the preset has, the flags of the command, and the message. */
const cases: readonly (readonly [preset: readonly string[], flags: readonly string[], text: string])[] = [
  [
    ['--skip-video'],
    ['--skip-audio'],
    'the output must not have both --skip-audio and skip_video of --preset mine, because',
  ],
  [
    ['--skip-audio'],
    ['--skip-video'],
    'the output must not have both skip_audio of --preset mine and --skip-video, because',
  ],
  [
    ['--min-frame-rate', '30'],
    ['--max-frame-rate', '25'],
    '--preset mine: min_frame_rate must not be above --max-frame-rate',
  ],
  [
    ['--max-frame-rate', '25'],
    ['--min-frame-rate', '30'],
    '--min-frame-rate must not be above max_frame_rate of --preset mine',
  ],
  [
    ['--bitrate-cap', '500'],
    ['--video-bitrate', '900'],
    '--preset mine: bitrate_cap must not be below --video-bitrate',
  ],
  [
    ['--video-bitrate', '900'],
    ['--bitrate-cap', '500'],
    '--bitrate-cap must not be below video_bitrate of --preset mine',
  ],
  [
    ['--quality-target', '80'],
    ['--quality-floor', '90'],
    '--quality-floor must not be above quality_target of --preset mine',
  ],
  [
    ['--quality-floor', '90'],
    ['--quality-target', '80'],
    '--preset mine: quality_floor must not be above --quality-target',
  ],
  [
    ['--measure-quality'],
    ['--quality-check', 'none'],
    '--quality-check must not be none with measure_quality of --preset mine',
  ],
  [
    ['--quality-check', 'none'],
    ['--measure-quality'],
    '--preset mine: quality_check must not be none with --measure-quality',
  ],
  [
    ['--audio-sample-rate', '8000'],
    ['--audio-highpass', '6000'],
    'it must be below half of audio_sample_rate of --preset mine',
  ],
  [['--format', 'm4a'], ['--skip-audio'], 'must not be set for .m4a (format of --preset mine), which'],
  [
    ['--video-codec', 'h264'],
    ['--format', 'webm'],
    '--preset mine: video_codec h264 is not supported in .webm',
  ],
  [
    ['--video-codec', 'hevc', '--video-codec-profile', 'main10'],
    ['--video-codec', 'h264'],
    '--preset mine: video_codec_profile must be one of',
  ],
  [
    ['--output', 'label=a,min_frame_rate=30', '--output', 'label=b'],
    ['--max-frame-rate', '25'],
    '--preset mine: outputs[0].min_frame_rate must not be above --max-frame-rate',
  ],
];

for (const [preset, flags, text] of cases)
  test(`a preset with ${preset.join(' ')} and ${flags.join(' ')}`, async ({ film, venc }) => {
    const saved = await venc(['preset', 'save', 'mine', '--force', ...preset]);
    assert.is(saved.code, 0, saved.stderr);
    const { code, stderr } = await venc(['plan', film, '--preset', 'mine', ...flags]);
    assert.is(code, 2, stderr);
    assert.match(stderr, text);
    const typed = preset.filter((word) => word.startsWith('--') && word !== '--output');
    for (const flag of typed)
      if (!flags.includes(flag)) assert.not.match(stderr, new RegExp(`${flag}\\b(?!-)`));
  });

/** Settings that have no effect with others, which is a warning, and overridden ones, which are not reported. */
const warnings: readonly (readonly [words: string, text: string | null])[] = [
  ['--preset small --quality 5', null],
  ['--preset small --quality-target 90', null],
  [
    '--preset audio --width 640',
    '--width has no effect: the output has no video (skip_video of --preset audio)',
  ],
  ['--preset archive --video-bitrate 500', '--preset archive: crf has no effect with --video-bitrate'],
  ['--preset web --copy-video', '--preset web: quality has no effect: the video is copied'],
];

for (const [words, text] of warnings)
  test(`${words} is planned${text === null ? '' : ' with a warning'}`, async ({ film, venc }) => {
    const { code, stderr } = await venc(['plan', film, ...words.split(' ')]);
    assert.is(code, 0, stderr);
    if (text === null) assert.not.match(stderr, /preset|--quality/);
    else assert.ok(stderr.includes(`venc: warning: ${text}\n`), stderr);
  });

/** Errors of the preset that stands for a ladder. */
const ladder: readonly (readonly [words: string, text: string])[] = [
  ['--height 360', '--height contradicts --preset hls: the ladder decides it'],
  ['--thumbnails 3', '--thumbnails contradicts --preset hls: a ladder makes no thumbnails'],
  ['-o -', '--preset hls writes many files, which stdout cannot hold'],
  ['-o a/ -o b/', 'With --preset hls, -o names one folder, not 2'],
  ['--name {stem}', '--preset hls names the outputs, so --name cannot'],
];

for (const [words, text] of ladder)
  test(`run --preset hls ${words} names the preset and no flag that was not typed`, async ({
    film,
    venc,
  }) => {
    const { code, stderr } = await venc(['run', film, '--preset', 'hls', ...words.split(' ')]);
    assert.is(code, 2, stderr);
    assert.match(stderr, text);
    assert.not.match(stderr, /--hls|--dash/);
  });

test('an output for stdout names the setting of the preset that needs a file', async ({ film, venc }) => {
  const words = ['run', film, '-o', '-', '--format', 'mkv'];
  const { code, stderr } = await venc([...words, '--preset', 'small']);
  assert.is(code, 2);
  assert.match(
    stderr,
    /^venc: --preset small: target_size cannot be combined with -o -: it needs several passes/,
  );
  const typed = await venc([...words, '--target-size', '10MB']);
  assert.match(typed.stderr, /^venc: --target-size cannot be combined with -o -/);
});

test.run();
