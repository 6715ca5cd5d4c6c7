import type {
  errorsFields,
  inPlaceChallengeFields,
  jobPauseFields,
  queueFields,
  settingFields,
} from './records/answers.js';
import type { RecordOf } from './records/field.js';
import type { createdFields, jobFields, jobHeadFields, thumbnailFields } from './records/job.js';
import type { jobChangesFields } from './records/job-changes.js';
import type { logLineFields } from './records/log.js';
import type {
  detailsFields,
  inputDetailsFields,
  inputFileFields,
  listedInputFields,
  listedOutputFields,
  mediaFileFields,
  outputDetailsFields,
  outputFileFields,
} from './records/media.js';
import type { presetFields, presetListFields, savedPresetFields } from './records/presets.js';
import type {
  earlyOutputProgressFields,
  inputProgressFields,
  outputProgressFields,
  queuePauseFields,
} from './records/progress.js';
import type { ladderPointFields, measurementFields, qualityFields } from './records/quality.js';
import type { allReportFields, liveReportFields, vodReportFields } from './records/reports.js';
import type { workerStateFields } from './records/workers.js';
import type { InputEvent, JobState, OutputEvent } from './states.js';

/*
 * The records on the wire, with the names of the service, derived from the tables in records/. The daemon responds
 * with exactly these fields; a remote service may omit fields or send numbers as text, which src/client/ normalises.
 * Times are ISO 8601 in UTC.
 */

/** The checksum of a file: in job details only, never in the list. */
interface Checksummed {
  readonly md5_checksum?: string | null;
}

/** The common fields of the input and the outputs inside a job (section 2.3). */
export type MediaFileRecord = RecordOf<typeof mediaFileFields> & Checksummed;

/** `input_media_file` of a job (section 2.3). */
export type InputMediaFile = RecordOf<typeof listedInputFields> &
  Checksummed &
  Pick<RecordOf<typeof inputFileFields>, 'tracks'>;

/** One of `output_media_files` of a job (section 2.3). */
export type OutputMediaFile = RecordOf<typeof listedOutputFields> &
  Checksummed &
  Pick<
    RecordOf<typeof outputFileFields>,
    | 'quality'
    | 'hull'
    | 'tracks'
    | 'left_out'
    | 'encoded_in_ms'
    | 'delivered_in_ms'
    | 'expires_at'
    | 'warnings'
    | 'requires'
  >;

/** What a measurement of the quality of a video found. */
export type QualityMeasurement = RecordOf<typeof measurementFields>;

/** What is known of the quality of an output: without a check it was not measured. */
export type QualityRecord = RecordOf<typeof qualityFields>;

/** The part of it that says how the factor for a `quality_target` was found. */
export type QualitySearch = Required<
  Pick<
    QualityRecord,
    'target' | 'floor' | 'crf' | 'predicted' | 'probes' | 'samples' | 'search_seconds' | 'limited_by'
  >
>;

/** One point of a ladder that was chosen by the content of a film. */
export type LadderPointRecord = RecordOf<typeof ladderPointFields>;

/** One of `thumbnails` of a job (section 2.3). */
export type ThumbnailRecord = RecordOf<typeof thumbnailFields>;

/** A job without its files. */
export type JobHead = RecordOf<typeof jobHeadFields>;

/** A job (section 2.3), plus `grouping`. On the wire it is wrapped in `{"job": ...}`. */
export interface JobRecord extends JobHead {
  /** Absent if the request had none. */
  readonly input_name?: string;
  readonly input_media_file: InputMediaFile;
  readonly output_media_files: readonly OutputMediaFile[];
  readonly thumbnails: readonly ThumbnailRecord[];
  /** In job details only. Absent if it is 0. */
  readonly priority?: number;
  /** Whether the job itself is paused. Absent if not. */
  readonly paused?: boolean;
  /** Labels that a machine must have to work on the job: in job details only. Absent if there are none. */
  readonly requires?: readonly string[];
  /** How long the stages of the job took: in job details only. Absent as far as they are not known. */
  readonly waited_in_ms?: number;
  readonly encoded_in_ms?: number;
  readonly delivered_in_ms?: number;
  /** Name of the remote worker that runs or ran the job. Absent if the daemon itself does. */
  readonly worker?: string;
  /** The last attempts to deliver its notifications: in job details only. Absent if there are none. */
  readonly notification_attempts?: RecordOf<typeof jobFields>['notification_attempts'];
  /** Name of its account: in lists of a named account, or of all. Otherwise absent. */
  readonly account?: string;
  /** Warnings about the request: in job details only. Absent if there are none. */
  readonly warnings?: CreatedRecord['warnings'];
}

/** The common fields of input and output details (sections 2.1 and 2.2). */
export type DetailsRecord = RecordOf<typeof detailsFields>;

/** Input details (section 2.1), plus the reason for a failure. */
export type InputDetails = RecordOf<typeof inputDetailsFields>;

/** Output details (section 2.2), plus the reason for a failure. */
export type OutputDetails = RecordOf<typeof outputDetailsFields>;

/** The speed of a running encoder: frames per second, multiple of real time, milliseconds left. */
export interface EncoderSpeed {
  readonly fps?: number;
  readonly speed?: number;
  readonly eta_in_ms?: number;
}

type InputProgressState = RecordOf<typeof inputProgressFields>['state'];
type OutputProgressState = RecordOf<typeof outputProgressFields>['state'];

/** Progress of an input or an output (section 2.4). Percentages are 0-100 with at most two decimals. */
export interface ProgressRecord<
  State extends string = InputProgressState | OutputProgressState,
  Event extends string = InputEvent | OutputEvent,
> extends EncoderSpeed {
  readonly state: State;
  readonly current_event?: Event;
  readonly current_event_progress?: number;
  readonly progress: number;
}

/** Progress of a whole job: `GET /v2/jobs/<id>/progress`, an addition to the document. */
export interface JobProgressRecord {
  readonly state: JobState;
  readonly progress: number;
  /** Whether the job itself is paused. Absent if not. */
  readonly paused?: boolean;
  /** The pause of the queue. Absent if there is none, and once the job has ended. */
  readonly queue?: RecordOf<typeof queuePauseFields>;
  readonly input: ProgressRecord & { readonly id: number };
  readonly outputs: readonly (ProgressRecord & { readonly id: number })[];
}

/** Progress of an output in the early, unversioned form (section 9). */
export type EarlyOutputProgress = RecordOf<typeof earlyOutputProgressFields>;

/** An event of `GET /v2/events`, an addition to the document. */
export type JobChangesRecord = RecordOf<typeof jobChangesFields>;

/** A line of a log: `GET /v2/jobs/<id>/log` and `GET /v2/log`, additions to the document. */
export type LogRecord = RecordOf<typeof logLineFields>;

/** A remote worker: `GET /v2/workers`, an addition to the document. */
export type WorkerRecord = RecordOf<typeof workerStateFields>;

/** The pause of a job: `PUT /v2/jobs/<id>/pause`, an addition to the document. */
export type JobPauseRecord = RecordOf<typeof jobPauseFields>;

/** The state of the queue: `GET /v2/queue`, an addition to the document. */
export type QueueRecord = RecordOf<typeof queueFields>;

/** A preset. */
export type PresetRecord = RecordOf<typeof presetFields>;

/** A preset that was saved. */
export type SavedPresetRecord = RecordOf<typeof savedPresetFields>;

/** The presets of an account, and those that come with venc. */
export type PresetListRecord = RecordOf<typeof presetListFields>;

/** What a client must read of a file that is to be read in place. */
export type InPlaceChallenge = RecordOf<typeof inPlaceChallengeFields>;

/** Response to a create request (section 4.1): the job id as text, output ids as numbers. */
export type CreatedRecord = RecordOf<typeof createdFields>;

/** One setting of a job or an output, as `GET /v2/settings` lists it. */
export type SettingRecord = RecordOf<typeof settingFields>;

/** Usage report for live streaming (section 4.11). */
export type LiveReport = RecordOf<typeof liveReportFields>;
/** Usage report for files encoded. */
export type VodReport = RecordOf<typeof vodReportFields>;
/** Usage report for both (section 4.10). */
export type AllReport = RecordOf<typeof allReportFields>;

/** Body of every error response. */
export type ErrorsRecord = RecordOf<typeof errorsFields>;
