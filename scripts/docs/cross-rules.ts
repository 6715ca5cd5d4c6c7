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
