import type { JobRequest, OutputSettings } from './index.js';
import { defaultLadderTarget } from './ladders.js';
import { toNumber } from './output-rules.js';
import type { RequestWarning } from './setting.js';

/** Settings of the video that the ladder decides. */
const decidedByLadder = [
  ...(['width', 'height', 'size', 'aspect_mode', 'upscale', 'quality', 'crf', 'quality_floor'] as const),
  ...(['video_bitrate', 'max_video_bitrate', 'target_size', 'bitrate_cap', 'buffer_size'] as const),
  ...(['device_profile', 'constant_bitrate'] as const),
] as const satisfies readonly (keyof OutputSettings)[];

/** Settings with which an output has no video that a ladder could decide. */
const contradictions = [
  'source',
  'skip_video',
  'copy_video',
] as const satisfies readonly (keyof OutputSettings)[];

/** Options of which one is a lower and one an upper limit. */
const optionPairs = [
  ['min_renditions', 'max_renditions'],
  ['min_bitrate', 'max_bitrate'],
  ['min_granularity', 'max_granularity'],
  ['min_resolution', 'max_resolution'],
] as const;

/** A warning for each setting of a rendition that its ladder decides. It is an error in strict mode. */
export function settingsOfLadder(settings: OutputSettings, path: string): readonly RequestWarning[] {
  if (settings.dynamic_profile_rendition === undefined) return [];
  return decidedByLadder
    .filter((name) => settings[name] !== undefined)
    .map((name) => ({
      field: `${path}.${name}`,
      message: 'has no effect with dynamic_profile_rendition: the ladder decides it',
      strictError: 'must not be given with dynamic_profile_rendition',
    }));
}

/** A warning about a ladder without outputs. It is an error in strict mode. */
export function ladderWithoutOutputs(
  { generate_dynamic_profile: isWanted, dynamic_profile_options: options }: Partial<JobRequest>,
  outputs: readonly OutputSettings[],
): readonly RequestWarning[] {
  if (isWanted !== true)
    return options === undefined
      ? []
      : [
          {
            field: 'dynamic_profile_options',
            message: 'has no effect without generate_dynamic_profile',
            strictError: 'must not be given without generate_dynamic_profile',
          },
        ];
  if (outputs.some(({ dynamic_profile_rendition: rendition }) => rendition !== undefined)) return [];
  return [
    {
      field: 'generate_dynamic_profile',
      message: 'has no effect: no output has dynamic_profile_rendition',
      strictError: 'needs an output with dynamic_profile_rendition',
    },
  ];
}

/** Validation errors of a ladder and its outputs. */
export function validateLadder(
  { generate_dynamic_profile: isWanted, dynamic_profile_options: options = {} }: Partial<JobRequest>,
  outputs: readonly OutputSettings[],
): readonly string[] {
  const reversed = optionPairs.flatMap(([min, max]) =>
    toNumber(options[min]) > toNumber(options[max] ?? Number.POSITIVE_INFINITY)
      ? [`dynamic_profile_options.${min} must not be above ${max}`]
      : [],
  );
  const renditions = outputs.flatMap((settings, index) =>
    settings.dynamic_profile_rendition === undefined ? [] : [{ settings, path: `outputs[${index}]` }],
  );
  const codecOf = (settings: OutputSettings) => settings.video_codec ?? options.video_codec ?? 'h264';
  const [first] = renditions;
  return [
    ...reversed,
    ...renditions.flatMap(({ settings, path }) => {
      const { type = 'standard' } = settings;
      const name = `${path}.dynamic_profile_rendition`;
      if (isWanted !== true) return [`${name} needs generate_dynamic_profile`];
      if (type !== 'standard' && type !== 'segmented')
        return [`${name} must not be given for an output of type ${type}`];
      const contradiction = contradictions.find(
        (one) => settings[one] !== undefined && settings[one] !== false,
      );
      if (contradiction !== undefined) return [`${name} must not be given with ${contradiction}`];
      return first !== undefined && codecOf(settings) !== codecOf(first.settings)
        ? [`${path}.video_codec must be the same in all renditions of a ladder`]
        : [];
    }),
  ];
}

/**
 * The outputs of a request, in which renditions of a ladder have what its options set for all of them, and the score
 * that its best one is to have. A rendition is measured only if it asks for that.
 */
export function withLadderOptions(
  { generate_dynamic_profile: isWanted, dynamic_profile_options: options = {} }: Omit<JobRequest, 'outputs'>,
  outputs: readonly OutputSettings[],
): readonly OutputSettings[] {
  if (isWanted !== true) return outputs;
  const { video_codec, max_frame_rate, keyframe_rate } = options;
  return outputs.map((settings): OutputSettings => {
    if (settings.dynamic_profile_rendition === undefined) return settings;
    const isAsked = settings.quality_target !== undefined || settings.measure_quality === true;
    return {
      ...(video_codec === undefined ? {} : { video_codec }),
      ...(max_frame_rate === undefined ? {} : { max_frame_rate }),
      ...(keyframe_rate === undefined ? {} : { keyframe_rate }),
      ...(isAsked ? {} : { quality_check: 'none' as const }),
      ...{ quality_target: defaultLadderTarget, quality_reference: 'source' },
      ...Object.fromEntries(
        Object.entries(settings).filter(([name]) => !decidedByLadder.some((decided) => decided === name)),
      ),
    };
  });
}
