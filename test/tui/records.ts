import type {
  InputMediaFile,
  JobProgressRecord,
  JobRecord,
  MediaFileRecord,
  OutputMediaFile,
} from '../../src/shared/records.js';

const at = '2024-05-01T10:00:00Z';

const file: Omit<MediaFileRecord, 'id' | 'url'> = {
  format: null,
  created_at: at,
  updated_at: at,
  finished_at: null,
  duration_in_ms: null,
  frame_rate: null,
  audio_sample_rate: null,
  audio_bitrate_in_kbps: null,
  audio_codec: null,
  video_codec: null,
  video_bitrate_in_kbps: null,
  total_bitrate_in_kbps: null,
  width: null,
  height: null,
  channels: null,
  file_size_bytes: null,
  test: false,
  error_message: null,
  error_class: null,
};

/** A progress record of a job with the input `id + 1` and the given outputs. */
export function progressRecord(
  id: number,
  parts: Partial<JobProgressRecord> = {},
): JobProgressRecord & { readonly id: number } {
  return {
    id,
    state: 'processing',
    progress: 0,
    input: { id: id + 1, state: 'finished', progress: 100 },
    outputs: [{ id: id + 2, state: 'processing', progress: 0 }],
    ...parts,
  };
}

/** The details of a job with the input `id + 1` and one output, `id + 2`. */
export function jobRecord(
  id: number,
  parts: Partial<JobRecord> = {},
  input: Partial<InputMediaFile> = {},
  output: Partial<OutputMediaFile> = {},
): JobRecord {
  return {
    id,
    state: 'finished',
    test: false,
    pass_through: null,
    grouping: null,
    created_at: at,
    updated_at: at,
    submitted_at: at,
    finished_at: at,
    input_media_file: {
      ...file,
      id: id + 1,
      state: 'finished',
      url: 'http://example.com/films/bunny.mp4?token=x',
      ...input,
    },
    output_media_files: [{ ...file, id: id + 2, state: 'finished', url: null, label: 'web', ...output }],
    thumbnails: [],
    ...parts,
  };
}
