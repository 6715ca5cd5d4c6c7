import type { ErrorClass } from '../../src/shared/error-classes.js';
import { isVencError } from '../../src/shared/errors.js';
import type { LadderPointRecord, QualityRecord, QualitySearch } from '../../src/shared/records.js';
import { redact } from '../../src/shared/redact.js';
import type { JobRequest, OutputSettings } from '../../src/shared/settings/index.js';
import type { ReportedWarning } from '../../src/shared/settings/setting.js';
import type { InputState, JobState, OutputState } from '../../src/shared/states.js';
import { safeText } from '../../src/shared/text/safe-text.js';
import type { MediaFacts } from './media.js';
import type { CaptionFileFacts, CaptionRenditionFacts, TrackFacts } from './rendition-facts.js';
import type { TrackOrigins } from './tracks.js';

/*
 * Terms. A job has one input and one or more outputs. A *run* is one attempt to process a job; it holds the job's
 * *claim*, a token. A *crash* is a run that ended without reporting a result because the daemon was killed. Times are
 * ISO 8601 strings in UTC. Ids are integers from one sequence.
 */

/**
 * The id of the account that the first start creates. It is fixed, so that its jobs survive the loss of
 * `accounts.json`.
 */
export const defaultAccountId = 'default';

/** Size and checksum of a file, measured on the downloaded or delivered bytes. */
export interface FileFacts {
  readonly sizeBytes: number;
  /** MD5 as 32 hexadecimal digits. Absent if nobody is shown the checksums of local files. */
  readonly md5?: string;
}

/** The facts of a file whose checksum is known. */
export type FileFactsWithMd5 = Required<FileFacts>;

/**
 * The `Idempotency-Key` with which a job was created (contract, section 4), and a fingerprint of its request. The same
 * key with another fingerprint is a different request.
 */
export interface IdempotencyRecord {
  readonly key: string;
  readonly fingerprint: string;
}

interface JobFile {
  readonly id: number;
  readonly createdAt: string;
  readonly updatedAt: string;
  readonly finishedAt: string | null;
  readonly media: MediaFacts | null;
  readonly file: FileFacts | null;
  readonly failure: JobFailure | null;
}

/** Settings of transfers from Aspera servers; absent ones have the defaults of the transport. Rates are in Kbps. */
export interface AsperaSettings {
  readonly policy?: 'fair' | 'low';
  readonly minimumKbps?: number;
  readonly maximumKbps?: number;
}

/**
 * A file of this machine that is read where it is (`in-place:`), as it was when the client proved that it may read it.
 * An encode reads it only if it is still the same.
 */
export interface InPlaceFile {
  /** Its `identityOf`. */
  readonly identity: string;
  readonly sizeBytes: number;
  /** Nanoseconds since 1970, as a decimal number. */
  readonly modifiedNs: string;
  /** The daemon that can read it, by the id of its data folder: no other machine gets the job. */
  readonly daemonId: string;
}

/** The input of a job. `url` may contain credentials; responses show it without them. */
export interface JobInput extends JobFile {
  readonly state: InputState;
  readonly url: string;
  /**
   * Maximum number of parallel connections for the download (`download_connections`). Absent if the request does not
   * set it.
   */
  readonly connections?: number;
  /** The name of the saved credentials to download it with. Absent if the request does not set it. */
  readonly credentials?: string;
  /** How `ascp` downloads it from an Aspera server. Absent if the request does not set it. */
  readonly aspera?: AsperaSettings;
  /**
   * The MD5 that the downloaded file must have (`expected_md5_checksum`), in lower case. Absent if the request does not
   * set it.
   */
  readonly expectedMd5?: string;
  /** The `file:` URL is that of a file that is read where it is. Absent for all other inputs. */
  readonly inPlace?: InPlaceFile;
}

/** One thumbnail of an output. Those of older versions have only the first four fields. */
export interface JobThumbnail {
  readonly id: number;
  /** Without credentials. */
  readonly url: string;
  readonly createdAt: string;
  readonly updatedAt: string;
  /** The URL to which it was delivered. May contain credentials. */
  readonly destination?: string;
  /** The index of its set in the settings of the output. */
  readonly setIndex?: number;
  /** The label of its set. Absent if the set has none. */
  readonly label?: string;
  readonly format?: 'png' | 'jpg';
  readonly width?: number;
  readonly height?: number;
  readonly sizeBytes?: number;
}

/** What was measured in a rendition that was cut into segments. */
export interface RenditionFacts {
  /** The number of segments. */
  readonly segments: number;
  readonly longestSegmentSeconds: number;
  /** Names of the codecs in playlists (RFC 6381); null for a stream that it does not have, or that has no name. */
  readonly videoCodec: string | null;
  readonly audioCodec: string | null;
  /** Frames per second, counted; absent without video. */
  readonly frameRate?: number;
  /** Bits per second: the highest rate of a segment, and that of the whole rendition. */
  readonly peakBitrate: number;
  readonly averageBitrate: number;
  /** Whether its playlist says that each segment begins with a keyframe. */
  readonly isIndependent: boolean;
  /** Its playlist of keyframes; absent if there is none. */
  readonly keyframes?: {
    /** The name, next to the playlist of the segments. */
    readonly name: string;
    readonly peakBitrate: number;
    readonly averageBitrate: number;
  };
  /** Its captions; absent if it has none. */
  readonly captions?: readonly CaptionRenditionFacts[];
  /** Its tracks, if they are in files of their own: video before audio. */
  readonly tracks?: readonly TrackFacts[];
}

/** Where a file is delivered: see `destination` and `url` of {@link JobOutput}. */
export interface OutputDestination {
  readonly destination: string;
  readonly url: string;
}

/** One output of a job. */
export interface JobOutput extends JobFile {
  readonly state: OutputState;
  readonly label: string | null;
  readonly settings: OutputSettings;
  /**
   * The URL to which a transport delivers the file. May contain credentials. `hosted://TOKEN/FILE` for hosted files.
   */
  readonly destination: string;
  /** The URL of the delivered file, as responses show it, without credentials. */
  readonly url: string;
  /**
   * Where the file is delivered if the delivery to `destination` has failed (`secondary_url`). Absent if the request
   * does not set it.
   */
  readonly secondary?: OutputDestination;
  /**
   * Why the delivery to the requested URL failed. Set only if the file was delivered to `secondary`, whose URLs
   * `destination` and `url` then have.
   */
  readonly primaryUploadError?: string;
  /** What was measured when it was cut into segments. Absent if it is not segmented or has not finished. */
  readonly rendition?: RenditionFacts;
  /** The settings of the request, if a rendition of a ladder was chosen for it, which has replaced some. */
  readonly requested?: OutputSettings;
  /** For a playlist: from which points its ladder was chosen. Absent without one. */
  readonly hull?: readonly LadderPointRecord[];
  /** The factor that was found for its `quality_target`. Absent if it was not searched. */
  readonly search?: QualitySearch;
  /** What was measured of the quality of its video. Absent if it was not measured. */
  readonly quality?: QualityRecord;
  /** When its encode began. Absent if it has not begun, or is not made here. */
  readonly startedAt?: string;
  /** How long the delivery of its files took. Absent if it has not finished. */
  readonly deliverySeconds?: number;
  /** The files of captions that were delivered next to its file. Absent if there are none. */
  readonly captionFiles?: readonly CaptionFileFacts[];
  readonly thumbnails: readonly JobThumbnail[];
  /**
   * Files on this machine that were delivered for it, by their identity, each stored before it got its name: a later
   * run may replace them. Absent if there are none, and once the job has finished.
   */
  readonly deliveredFiles?: readonly string[];
  /** From which tracks of its source those of its file are made. Absent if it is not encoded, or has not begun. */
  readonly origins?: TrackOrigins;
  /** What only the input revealed, e.g. a corrected rate: one sentence each. Absent if there is none. */
  readonly warnings?: readonly string[];
}

/** The last progress of a file that failed or was cancelled. */
export interface LastProgress {
  /** Id of the input or output. */
  readonly id: number;
  /** Overall percent, 0-100. */
  readonly percent: number;
}

/** A remote worker that holds or held the claim of a job. */
export interface ClaimingWorker {
  readonly name: string;
  /** The token of its claim. It is kept when the job ends, so that a repeated last change is recognized. */
  readonly token: string;
  /**
   * The number of its last stored change. A worker repeats a change whose answer was lost, and the same number is
   * stored once.
   */
  readonly changeNumber: number;
}

/** A claim that ended when its outputs had, while those of other machines had not. */
export interface EndedClaim {
  readonly token: string;
  /** The outputs that it was for. */
  readonly outputIds: readonly number[];
  /** The number of its last stored change; 0 for runs of the daemon itself. */
  readonly changeNumber: number;
}

/** The limits of a ladder, as the request has them (`dynamic_profile_options`). */
export type LadderOptions = NonNullable<JobRequest['dynamic_profile_options']>;

/** The ladder of a job whose renditions are chosen by the content of its film (`generate_dynamic_profile`). */
export interface JobLadder {
  readonly options: LadderOptions;
  /**
   * The best size for each bitrate that was measured on the film, and the renditions, highest bitrate first. Absent
   * before they were chosen.
   */
  readonly points?: readonly LadderPointRecord[];
}

/** A job as it is stored. Immutable: `apply` returns a new job for each change. */
export interface Job {
  readonly id: number;
  readonly accountId: string;
  readonly state: JobState;
  /** Test mode: outputs are cut to 5 seconds. */
  readonly test: boolean;
  /** Whether the URLs of the job are kept out of the log (`private`). Absent if not. */
  readonly isPrivate?: true;
  readonly passThrough: string | null;
  /** The name of the input as its account knows it, such as the path of an uploaded file. Absent if there is none. */
  readonly inputName?: string;
  readonly grouping: string | null;
  /** From -10 to 10; the greatest is run first. Absent if it is 0. */
  readonly priority?: number;
  /** Whether the job itself is paused: it does not start, or its programs are stopped. Absent if not, and once it ended. */
  readonly isPaused?: true;
  /**
   * Labels that a machine must have to work on the job, in lower case, each once. Absent if there are none. Those of an
   * output are in its settings.
   */
  readonly requires?: readonly string[];
  /**
   * The storage services whose keys are taken from the environment of the machine that runs the job. Absent if there
   * are none.
   */
  readonly services?: readonly string[];
  readonly createdAt: string;
  readonly updatedAt: string;
  readonly submittedAt: string;
  /** When a machine first began to work on it since it was last submitted. Absent before. */
  readonly startedAt?: string;
  readonly finishedAt: string | null;
  readonly input: JobInput;
  readonly outputs: readonly JobOutput[];
  /** Token of the run that holds the job; null if there is none. */
  readonly claim: string | null;
  /**
   * The remote worker that holds the claim, or that held it when the job ended. Absent for runs of the daemon itself.
   */
  readonly worker?: ClaimingWorker;
  /** Absent if its outputs are as the request describes them. */
  readonly ladder?: JobLadder;
  /** The outputs that the holder of the claim makes. Absent if it makes all. */
  readonly claimedOutputs?: readonly number[];
  /**
   * The claims that ended before the job did, since it was last submitted: so a repeated last change is recognized.
   * Absent if there are none.
   */
  readonly endedClaims?: readonly EndedClaim[];
  /** Number of crashes since the job was last submitted. */
  readonly crashes: number;
  readonly resubmits: number;
  /** Last progress of the files that failed or were cancelled. Removed when a file is processed again. */
  readonly lastProgress: readonly LastProgress[];
  /** null if the client sent no `Idempotency-Key`. */
  readonly idempotency: IdempotencyRecord | null;
  /** Warnings of the create. Absent if there are none. */
  readonly warnings?: readonly ReportedWarning[];
  /** Endpoints to notify when the job ends. Those of an output are in its settings. */
  readonly notifications: readonly NotificationTarget[];
  /** Notifications that are not delivered yet. */
  readonly pendingNotifications: readonly Notification[];
  /** The last attempts to deliver its notifications, oldest first. Absent if there are none. */
  readonly notificationAttempts?: readonly AttemptRecord[];
}

/** Why an input or output failed: `error_class` and `error_message` of its record. Contains no secrets. */
export interface JobFailure {
  readonly errorClass: ErrorClass;
  readonly message: string;
}

/** Converts an error to a failure. Errors other than `VencError` get the class `fallback`. */
export function toJobFailure(error: unknown, fallback: ErrorClass): JobFailure {
  const message = redact(error instanceof Error ? error.message : String(error));
  return safeFailure({ errorClass: isVencError(error) ? error.errorClass : fallback, message });
}

/**
 * A failure as it is stored: on one line, and without control codes of terminals. Messages of ffmpeg and of servers quote
 * names and metadata, and `error_message` is printed by other programs than venc, which may not escape it.
 */
export function safeFailure({ errorClass, message }: JobFailure): JobFailure {
  return { errorClass, message: safeText(message.replace(/[\t\r\n]+/g, ' ')) };
}

/** The endpoint of a notification (contract, section 10). `url` and `headers` may contain secrets. */
export interface NotificationTarget {
  readonly url: string;
  readonly format: 'json' | 'xml';
  readonly headers: Readonly<Record<string, string>>;
}

/** How an endpoint or a mail program answered an attempt to deliver a notification. Contains no secrets. */
export interface AttemptAnswer {
  /** Scheme, host and port of the endpoint: the path of a URL may be a secret. Of a mail, that it is one. */
  readonly destination: string;
  /** The HTTP status; null if there was no answer, and for a mail. */
  readonly status: number | null;
  /** Why the notification was not accepted, as a sentence; null if it was. */
  readonly failure: string | null;
}

/** An attempt to deliver a notification, and its answer. */
export interface AttemptRecord extends AttemptAnswer {
  readonly notificationId: string;
  /** Id of the output that ended; null if the job ended. */
  readonly outputId: number | null;
  /** What the notification said: `job` or `output` and the state, such as `job_finished`. */
  readonly event: string;
  /** The number of the attempt, from 1. */
  readonly attempt: number;
  /** When it ended, ISO 8601 in UTC. */
  readonly at: string;
}

/**
 * An undelivered notification that a job or an output ended. The change that ends the job or output also creates the
 * notification and both are stored in one write, so a crash cannot lose it.
 */
export interface Notification {
  /** The `webhook-id` of Standard Webhooks. The same for every attempt. */
  readonly id: string;
  /** Id of the output that ended; null if the job ended. */
  readonly outputId: number | null;
  readonly target: NotificationTarget;
  /** Number of attempts so far. */
  readonly attempts: number;
  /** Time of the next attempt, ISO 8601 in UTC. */
  readonly dueAt: string;
  /** Whether a client asked to send it again: then a failed attempt is not repeated. Absent if not. */
  readonly isResent?: true;
}
