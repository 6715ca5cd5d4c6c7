import type { OutputSettings } from '../../src/shared/settings/index.js';
import type { RequestWarning } from '../../src/shared/settings/setting.js';

const advanced = {
  width: 1280,
  height: 720,
  video_codec_profile: 'main',
  video_codec_level: '3.1',
  max_video_bitrate: 5000,
  max_frame_rate: 30,
  audio_bitrate: 56,
  max_audio_sample_rate: 48_000,
} as const satisfies OutputSettings;
const baseline = {
  width: 480,
  height: 320,
  video_codec_profile: 'baseline',
  video_codec_level: '3',
  video_reference_frames: 1,
  max_video_bitrate: 1500,
  max_frame_rate: 30,
  audio_bitrate: 96,
  max_audio_sample_rate: 44_100,
} as const satisfies OutputSettings;
const legacy = {
  ...baseline,
  width: 320,
  height: 240,
  video_codec_level: '1.3',
  max_video_bitrate: 768,
} as const satisfies OutputSettings;

/** The settings of each `device_profile`. The names without a version mean what version 2 does. */
const deviceProfiles: Readonly<Record<NonNullable<OutputSettings['device_profile']>, OutputSettings>> = {
  'mobile/advanced': advanced,
  'mobile/baseline': baseline,
  'mobile/legacy': legacy,
  'v2/mobile/advanced': advanced,
  'v2/mobile/baseline': baseline,
  'v2/mobile/legacy': legacy,
  'v1/mobile/advanced': { ...advanced, audio_bitrate: 128 },
  'v1/mobile/baseline': { ...baseline, video_reference_frames: 3 },
  'v1/mobile/legacy': {
    format: '3gp',
    video_codec: 'mpeg4',
    width: 320,
    height: 240,
    upscale: true,
    aspect_mode: 'pad',
    video_bitrate: 192,
    bitrate_cap: 192,
    max_frame_rate: 15,
    audio_bitrate: 24,
    max_audio_sample_rate: 16_000,
  },
};

/** Settings that replace several of a profile: the size as a whole, and another target of the rate control. */
const replacements: readonly (readonly [
  given: readonly (keyof OutputSettings)[],
  lost: readonly string[],
])[] = [
  [
    ['width', 'height'],
    ['width', 'height'],
  ],
  [['video_codec_profile', 'h264_profile'], ['video_codec_profile']],
  [['video_codec_level', 'h264_level'], ['video_codec_level']],
  [['video_reference_frames', 'h264_reference_frames'], ['video_reference_frames']],
  [['audio_quality'], ['audio_bitrate']],
  [
    ['quality', 'crf', 'video_bitrate', 'target_size', 'quality_target'],
    ['video_bitrate', 'bitrate_cap'],
  ],
  // A ceiling of the profile does not lower what the request asks for.
  [['video_bitrate', 'target_size'], ['max_video_bitrate']],
  [['frame_rate'], ['max_frame_rate']],
  [['audio_sample_rate'], ['max_audio_sample_rate']],
];

const h264Options = ['video_codec_profile', 'video_codec_level', 'video_reference_frames'];

/**
 * The settings of an output with those of its `device_profile` filled in. A given setting takes
 * precedence. Settings of the profile that do not apply to the codec are left out.
 */
export function withDeviceProfile(settings: OutputSettings): OutputSettings {
  if (settings.device_profile === undefined) return settings;
  const lost = new Set(
    replacements.flatMap(([given, names]) =>
      given.some((name) => settings[name] !== undefined) ? names : [],
    ),
  );
  const profile = deviceProfiles[settings.device_profile];
  const codec = settings.video_codec ?? profile.video_codec ?? 'h264';
  if (codec !== 'h264') for (const name of h264Options) lost.add(name);
  const defaults = Object.fromEntries(Object.entries(profile).filter(([name]) => !lost.has(name)));
  return { ...defaults, ...settings };
}

/** Whether a setting has the value of the `device_profile`, so that the request need not have it. */
function isOfProfile(settings: OutputSettings, name: keyof OutputSettings): boolean {
  const { device_profile } = settings;
  const value = device_profile === undefined ? undefined : deviceProfiles[device_profile][name];
  return value !== undefined && value === settings[name];
}

/** How a sentence about an output names a setting: with `device_profile`, if that gives its value. */
export function nameInSentence(settings: OutputSettings, name: keyof OutputSettings): string {
  return isOfProfile(settings, name) ? `${name} of device_profile` : name;
}

/**
 * Whether a value that would be corrected is an error. What a `device_profile` gives is corrected in strict mode, too.
 */
export function isStrictAbout(settings: OutputSettings, name: keyof OutputSettings): boolean {
  return settings.strict === true && !isOfProfile(settings, name);
}

/**
 * Warnings without those about settings that the request does not have, because `device_profile` gives them: if they do
 * not apply, they are left out; if they were corrected, the warning is about `device_profile`, also in strict mode.
 */
export function withoutProfileWarnings(
  warnings: readonly RequestWarning[],
  given: OutputSettings,
  path: string,
): readonly RequestWarning[] {
  return warnings.flatMap((warning): readonly RequestWarning[] => {
    const name = warning.field.slice(path.length + 1);
    if (given.device_profile === undefined || Object.hasOwn(given, name)) return [warning];
    const message = `gives ${name}, which ${warning.message}`;
    return warning.message.startsWith('was corrected') ? [{ field: `${path}.device_profile`, message }] : [];
  });
}

/**
 * Validation errors, with those about settings that the request does not have, because `device_profile` gives them, as
 * errors about `device_profile`.
 */
export function withProfileErrors(
  validationErrors: readonly string[],
  given: OutputSettings,
  path: string,
): readonly string[] {
  const { device_profile } = given;
  if (device_profile === undefined) return validationErrors;
  const names = Object.keys(deviceProfiles[device_profile]).filter((name) => !Object.hasOwn(given, name));
  return validationErrors.map((sentence) => {
    const name = names.find((one) => sentence.startsWith(`${path}.${one} `));
    return name === undefined
      ? sentence
      : `${path}.device_profile does not fit the other settings: its ${sentence.slice(path.length + 1)}`;
  });
}
