/** A request as an example, and the words of `venc submit` that make the same one. */
export interface Example {
  readonly title: string;
  readonly request: Readonly<Record<string, unknown>>;
  /** Words behind `venc submit`, the input first. */
  readonly words: readonly string[];
}

const input = 'https://example.com/film.mov';

/** Examples of the settings reference. A test sees to it that words and requests agree, and that nothing in them is refused. */
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
    title: 'Half a minute of it, at a bitrate that is known beforehand',
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
    title: 'VP9 in WebM, the picture trimmed to a square',
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
    title: 'The sound alone, as MP3 in mono',
    request: { input, outputs: [{ filename: 'sound.mp3', audio_bitrate: 96, audio_channels: 1 }] },
    words: [input, '--filename', 'sound.mp3', '--audio-bitrate', '96', '--audio-channels', '1'],
  },
  {
    title: 'A logo in the lower right corner, a tenth as wide as the picture',
    request: {
      input,
      outputs: [{ watermark: [{ url: 'https://example.com/logo.png', x: '-10', y: '-10', width: '10%' }] }],
    },
    words: [input, '--watermark', 'url=https://example.com/logo.png,x=-10,y=-10,width=10%'],
  },
  {
    title: 'The first five seconds, to try settings out',
    request: { input, test: true, pass_through: 'order 17', outputs: [{ quality: 5, speed: 1 }] },
    words: [input, '--test', '--pass-through', 'order 17', '--quality', '5', '--speed', '1'],
  },
];

/** A rule between the settings of one output, and settings that break it. */
export interface CrossRule {
  readonly rule: string;
  readonly broken: Readonly<Record<string, unknown>>;
}

/** The rules between settings that the reference lists. A test checks that the daemon rejects each violation. */
export const crossRules: readonly CrossRule[] = [
  {
    rule: '`size` and `width` or `height`, where both are given, must agree.',
    broken: { size: '640x360', width: 320 },
  },
  {
    rule: '`width` times `height` is at most 36,000,000 pixels.',
    broken: { width: 8192, height: 8192 },
  },
  {
    rule: '`skip_audio` and `skip_video` do not go together: nothing would be left.',
    broken: { skip_audio: true, skip_video: true },
  },
  {
    rule: '`bitrate_cap` is not below `video_bitrate`.',
    broken: { video_bitrate: 900, bitrate_cap: 800 },
  },
  {
    rule: '`audio_bitrate` is below 160 where `audio_channels` is 1.',
    broken: { audio_bitrate: 160, audio_channels: 1 },
  },
];
