/** An example request, and the arguments of `venc submit` for the same request. */
export interface Example {
  readonly title: string;
  readonly request: Readonly<Record<string, unknown>>;
  /** Arguments of `venc submit`, the input first. */
  readonly words: readonly string[];
}

const input = 'https://example.com/film.mov';

/**
 * The examples of the settings reference. A test checks that arguments and requests agree, and that the requests are
 * valid.
 */
export const examples: readonly Example[] = [
  {
    title: 'Two sizes of one film, in H.264',
    request: {
      input,
      outputs: [
        { filename: 'small.mp4', width: 640 },
        { filename: 'large.mp4', width: 1920, quality: 4 },
      ],
    },
    words: [
      input,
      '--output',
      'filename=small.mp4,width=640',
      '--output',
      'filename=large.mp4,width=1920,quality=4',
    ],
  },
  {
    title: 'A clip of half a minute, at a given bitrate',
    request: {
      input,
      outputs: [
        {
          filename: 'clip.mp4',
          video_bitrate: 1500,
          audio_bitrate: 96,
          start_clip: '00:01:30',
          clip_length: 30,
        },
      ],
    },
    words: [
      ...[input, '--filename', 'clip.mp4', '--video-bitrate', '1500', '--audio-bitrate', '96'],
      ...['--start-clip', '00:01:30', '--clip-length', '30'],
    ],
  },
  {
    title: 'VP9 in WebM, cropped to a square',
    request: {
      input,
      outputs: [{ filename: 'film.webm', video_codec: 'vp9', size: '480x480', aspect_mode: 'crop' }],
    },
    words: [
      ...[input, '--filename', 'film.webm', '--video-codec', 'vp9'],
      ...['--size', '480x480', '--aspect-mode', 'crop'],
    ],
  },
  {
    title: 'Only the audio, as MP3 in mono',
    request: { input, outputs: [{ filename: 'audio.mp3', audio_bitrate: 96, audio_channels: 1 }] },
    words: [input, '--filename', 'audio.mp3', '--audio-bitrate', '96', '--audio-channels', '1'],
  },
  {
    title: 'A logo in the lower right corner, a tenth as wide as the video',
    request: {
      input,
      outputs: [{ watermark: [{ url: 'https://example.com/logo.png', x: '-10', y: '-10', width: '10%' }] }],
    },
    words: [input, '--watermark', 'url=https://example.com/logo.png,x=-10,y=-10,width=10%'],
  },
  {
    title: 'The first five seconds, to test settings',
    request: { input, test: true, pass_through: 'order 17', outputs: [{ quality: 5, speed: 1 }] },
    words: [input, '--test', '--pass-through', 'order 17', '--quality', '5', '--speed', '1'],
  },
];

/** A rule between the settings of one output, and settings that violate it. */
export interface CrossRule {
  readonly rule: string;
  readonly broken: Readonly<Record<string, unknown>>;
}

/** The rules between settings in the reference. A test checks that the daemon rejects each violation. */
export const crossRules: readonly CrossRule[] = [
  {
    rule: '`size` must agree with `width` and `height` in strict mode; otherwise it is ignored if it does not.',
    broken: { size: '640x360', width: 320, strict: true },
  },
  {
    rule: '`width` times `height` must be at most 36,000,000 pixels.',
    broken: { width: 8192, height: 8192 },
  },
  {
    rule: '`skip_audio` and `skip_video` must not both be set, because the output would be empty.',
    broken: { skip_audio: true, skip_video: true },
  },
  {
    rule: '`min_frame_rate` must not be above `max_frame_rate`.',
    broken: { min_frame_rate: 30, max_frame_rate: 25 },
  },
  {
    rule: '`bitrate_cap` must not be below `video_bitrate`.',
    broken: { video_bitrate: 900, bitrate_cap: 800 },
  },
  {
    rule: 'With `strict`, `audio_bitrate` must be a multiple of 16 below 160 per channel. Without, it becomes the nearest one, with a warning.',
    broken: { audio_bitrate: 56, strict: true },
  },
  {
    rule: '`output_audio_channels` must be a mono, stereo or 5.1 layout, of names that `input_audio_channels` has, if both are given.',
    broken: { output_audio_channels: ['FL', 'FC'] },
  },
  {
    rule: '`input_audio_channels` must not name a track, or a channel of one, twice.',
    broken: { input_audio_channels: { FL: 1, FR: 1 } },
  },
];
