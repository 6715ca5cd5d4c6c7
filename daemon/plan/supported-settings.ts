import type { JobRequest, jobTable, OutputSettings, outputTable } from '../../src/shared/settings/index.js';

/** How this version handles a setting. */
export type SettingSupport =
  /** Supported; implemented in this file of the repository. */
  | { readonly by: string }
  /** Accepted, without effect in this daemon. */
  | { readonly noEffect: string }
  /** Rejected with this text (after the name of the setting), except for values that match the default behaviour. */
  | { readonly unsupported: string; readonly unless?: readonly unknown[] };

/** The nested settings of a setting; never if it has none. */
type FieldsOf<S> = S extends { kind: 'object'; fields: infer F }
  ? F
  : S extends { kind: 'list'; of: infer O }
    ? FieldsOf<O>
    : never;

/** Paths of all settings of a table; nested ones as `watermark.x`. */
type PathsOf<T> = {
  [K in keyof T & string]: K | ([FieldsOf<T[K]>] extends [never] ? never : `${K}.${PathsOf<FieldsOf<T[K]>>}`);
}[keyof T & string];

/** The path of a setting of the job. */
export type JobPath = PathsOf<typeof jobTable>;
/** The path of a setting of an output. */
export type OutputPath = PathsOf<typeof outputTable>;

/** How each field of a job is handled. A new field without an entry does not compile. */
export const supportedJobFields = {
  input: { by: 'daemon/pipeline/run-job.ts' },
  test: { by: 'daemon/actions/create-job.ts' },
  download_connections: { by: 'daemon/jobs/draft.ts' },
  region: { noEffect: 'all jobs are encoded on this machine' },
  grouping: { by: 'daemon/jobs/draft.ts' },
  pass_through: { by: 'daemon/jobs/draft.ts' },
  mock: { by: 'daemon/actions/create-job.ts' },
  notifications: { by: 'daemon/jobs/draft.ts' },
  'notifications.url': { by: 'daemon/jobs/notifications.ts' },
  'notifications.format': { by: 'daemon/jobs/notifications.ts' },
  'notifications.headers': { by: 'daemon/jobs/notifications.ts' },
} as const satisfies Record<JobPath, SettingSupport>;

/** How each setting of an output is handled. A new setting without an entry does not compile. */
export const supportedOutputSettings = {
  label: { by: 'daemon/jobs/draft.ts' },
  url: { by: 'daemon/actions/check-request.ts' },
  base_url: { by: 'daemon/actions/check-request.ts' },
  filename: { by: 'daemon/actions/check-request.ts' },
  video_codec: { by: 'daemon/plan/decide/choose-codecs.ts' },
  speed: { by: 'daemon/plan/decide/decide-video.ts' },
  public: { by: 'daemon/jobs/output-files.ts' },
  access_control: { by: 'daemon/jobs/output-files.ts' },
  'access_control.grantee': { by: 'daemon/jobs/output-files.ts' },
  'access_control.permission': { by: 'daemon/jobs/output-files.ts' },
  'access_control.permissions': { by: 'daemon/jobs/output-files.ts' },
  notifications: { by: 'daemon/jobs/notifications.ts' },
  'notifications.url': { by: 'daemon/jobs/notifications.ts' },
  'notifications.format': { by: 'daemon/jobs/notifications.ts' },
  'notifications.headers': { by: 'daemon/jobs/notifications.ts' },
  width: { by: 'daemon/plan/decide/size.ts' },
  height: { by: 'daemon/plan/decide/size.ts' },
  size: { by: 'daemon/plan/decide/size.ts' },
  upscale: { by: 'daemon/plan/decide/size.ts' },
  aspect_mode: { by: 'daemon/plan/decide/size.ts' },
  quality: { by: 'daemon/plan/decide/decide-video.ts' },
  video_bitrate: { by: 'daemon/plan/decide/decide-video.ts' },
  bitrate_cap: { by: 'daemon/plan/decide/decide-video.ts' },
  buffer_size: { by: 'daemon/plan/decide/decide-video.ts' },
  onepass: { by: 'daemon/plan/decide/decide-video.ts' },
  audio_codec: { by: 'daemon/plan/decide/choose-codecs.ts' },
  audio_quality: { by: 'daemon/plan/decide/decide-audio.ts' },
  audio_bitrate: { by: 'daemon/plan/decide/decide-audio.ts' },
  audio_sample_rate: { by: 'daemon/plan/decide/decide-audio.ts' },
  audio_channels: { by: 'daemon/plan/decide/decide-audio.ts' },
  skip_audio: { by: 'daemon/plan/decide/choose-codecs.ts' },
  skip_video: { by: 'daemon/plan/decide/choose-codecs.ts' },
  deinterlace: { by: 'daemon/plan/decide/decide-video.ts' },
  max_frame_rate: { by: 'daemon/plan/decide/timing.ts' },
  frame_rate: { by: 'daemon/plan/decide/timing.ts' },
  decimate: { by: 'daemon/plan/decide/timing.ts' },
  keyframe_interval: { by: 'daemon/plan/decide/decide-video.ts' },
  rotate: { by: 'daemon/plan/decide/decide-video.ts' },
  start_clip: { by: 'daemon/plan/decide/clip.ts' },
  clip_length: { by: 'daemon/plan/decide/clip.ts' },
  watermark: { by: 'daemon/plan/decide/watermarks.ts' },
  'watermark.url': { by: 'daemon/pipeline/watermark-fetcher.ts' },
  'watermark.x': { by: 'daemon/plan/decide/watermarks.ts' },
  'watermark.y': { by: 'daemon/plan/decide/watermarks.ts' },
  'watermark.width': { by: 'daemon/plan/decide/watermarks.ts' },
  'watermark.height': { by: 'daemon/plan/decide/watermarks.ts' },
  thumbnails: { by: 'daemon/jobs/output-files.ts' },
  'thumbnails.number': { by: 'daemon/jobs/output-files.ts' },
  'thumbnails.public': { by: 'daemon/jobs/output-files.ts' },
  'thumbnails.access_control': { by: 'daemon/jobs/output-files.ts' },
  'thumbnails.access_control.grantee': { by: 'daemon/jobs/output-files.ts' },
  'thumbnails.access_control.permission': { by: 'daemon/jobs/output-files.ts' },
  'thumbnails.access_control.permissions': { by: 'daemon/jobs/output-files.ts' },
} as const satisfies Record<OutputPath, SettingSupport>;

/**
 * Returns a validation error, with the path, for each unsupported setting of a request, so that no setting is accepted and then
 * ignored. An unsupported setting is reported once, not again for its nested settings.
 */
export function unsupportedSettingErrors(
  request: Partial<JobRequest> & Pick<JobRequest, 'outputs'>,
): readonly string[] {
  return [
    ...validateAgainst(supportedJobFields, request, ''),
    ...request.outputs.flatMap((settings: OutputSettings, index) =>
      validateAgainst(supportedOutputSettings, settings, `outputs[${index}].`),
    ),
  ];
}

function validateAgainst(
  table: Readonly<Record<string, SettingSupport>>,
  settings: Readonly<Record<string, unknown>>,
  prefix: string,
): readonly string[] {
  return Object.entries(settings).flatMap(([name, value]) => {
    const support = table[name];
    if (value === undefined || support === undefined || !('unsupported' in support)) return [];
    return (support.unless ?? []).includes(value) ? [] : [`${prefix}${name} ${support.unsupported}`];
  });
}
