import type { InputEvent, InputState, JobState, OutputEvent, OutputState } from './states.js';

/*
 * The records as they travel: the service's own spelling. A daemon of ours answers with exactly these fields;
 * a remote service may leave some out or send numbers as text, which src/client/ sees to.
 * Times are ISO 8601 in UTC.
 */

/** What is common to the input and the outputs inside a job (section 2.3). */
export interface MediaFileRecord {
  readonly id: number;
  readonly url: string | null;
  readonly format: string | null;
  readonly created_at: string;
  readonly updated_at: string;
  readonly finished_at: string | null;
  readonly duration_in_ms: number | null;
  readonly frame_rate: number | null;
  readonly audio_sample_rate: number | null;
  readonly audio_bitrate_in_kbps: number | null;
  readonly audio_codec: string | null;
  readonly video_codec: string | null;
  readonly video_bitrate_in_kbps: number | null;
  readonly total_bitrate_in_kbps: number | null;
  readonly width: number | null;
  readonly height: number | null;
  /** Number of channels as text, e.g. `"2"`. */
  readonly channels: string | null;
  readonly file_size_bytes: number | null;
  readonly test: boolean;
  readonly error_message: string | null;
  readonly error_class: string | null;
  /** In job details only, never in the list. */
  readonly md5_checksum?: string | null;
}

/** `input_media_file` of a job (section 2.3). */
export interface InputMediaFile extends MediaFileRecord {
  readonly state: InputState;
}

/** One of `output_media_files` of a job (section 2.3). */
export interface OutputMediaFile extends MediaFileRecord {
  readonly state: OutputState;
  readonly label: string | null;
}

/** One of `thumbnails` of a job (section 2.3). */
export interface ThumbnailRecord {
  readonly id: number;
  readonly url: string;
  readonly created_at: string;
  readonly updated_at: string;
}

/** A job (section 2.3), plus `grouping`. On the wire it stands in `{"job": ...}`. */
export interface JobRecord {
  readonly id: number;
  readonly state: JobState;
  readonly test: boolean;
  readonly pass_through: string | null;
  readonly grouping: string | null;
  readonly created_at: string;
  readonly updated_at: string;
  readonly submitted_at: string;
  readonly finished_at: string | null;
  readonly input_media_file: InputMediaFile;
  readonly output_media_files: readonly OutputMediaFile[];
  readonly thumbnails: readonly ThumbnailRecord[];
}

/** What input and output details share (sections 2.1 and 2.2), plus the reason of a failure. */
export interface DetailsRecord {
  readonly id: number;
  readonly url: string | null;
  readonly format: string | null;
  readonly duration_in_ms: number | null;
  readonly file_size_in_bytes: number | null;
  readonly total_bitrate_in_kbps: number | null;
  readonly video_codec: string | null;
  readonly video_bitrate_in_kbps: number | null;
  readonly width: number | null;
  readonly height: number | null;
  readonly frame_rate: number | null;
  readonly audio_codec: string | null;
  readonly audio_bitrate_in_kbps: number | null;
  readonly audio_sample_rate: number | null;
  readonly channels: string | null;
  readonly md5_checksum: string | null;
  readonly error_class: string | null;
  readonly error_message: string | null;
}

/** Input details (section 2.1). */
export interface InputDetails extends DetailsRecord {
  readonly job_id: number;
  readonly state: InputState;
  readonly privacy: boolean;
}

/** Output details (section 2.2). */
export interface OutputDetails extends DetailsRecord {
  readonly state: OutputState;
  readonly label: string | null;
}

/** What a running encoder says of itself: frames a second, multiple of real time, milliseconds to go. */
export interface EncoderPace {
  readonly fps?: number;
  readonly speed?: number;
  readonly eta_in_ms?: number;
}

/** Progress of an input or an output (section 2.4). Percentages are 0-100 with at most two decimals. */
export interface ProgressRecord extends EncoderPace {
  readonly state: InputState | OutputState | 'assigning';
  readonly current_event?: InputEvent | OutputEvent;
  readonly current_event_progress?: number;
  readonly progress: number;
}

/** Progress of a whole job: `GET /v2/jobs/<id>/progress`, an addition to the document. */
export interface JobProgressRecord {
  readonly state: JobState;
  readonly progress: number;
  readonly input: ProgressRecord & { readonly id: number };
  readonly outputs: readonly (ProgressRecord & { readonly id: number })[];
}

/** Answer to a create (section 4.1): the job id as text, output ids as numbers. */
export interface CreatedRecord {
  readonly id: string | null;
  readonly outputs: readonly {
    readonly id: number | null;
    readonly label: string | null;
    readonly url: string | null;
  }[];
  readonly test?: true;
}

/** Body of every refusal. */
export interface ErrorsRecord {
  readonly errors: readonly string[];
}
