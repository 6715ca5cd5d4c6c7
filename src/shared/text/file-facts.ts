import type {
  DetailsRecord,
  InputMediaFile,
  JobRecord,
  MediaFileRecord,
  OutputDetails,
  OutputMediaFile,
} from '../records.js';
import { redact, withoutPassword } from '../redact.js';
import { isFinal } from '../states.js';
import { adviceFor } from './advice.js';
import { humanDuration, humanSize, humanTime, humanUntil } from './units.js';

/** A line of details: a name and a value. */
export type Fact = readonly [name: string, value: string];

/** When a job was submitted and ended, how long it and its stages took, and who ran it. */
export function timeFacts(job: JobRecord, now: Date): readonly Fact[] {
  const { submitted_at: from, finished_at: to, state, worker } = job;
  const end = to ?? (isFinal(state) ? null : now.toISOString());
  const seconds = end === null ? Number.NaN : (Date.parse(end) - Date.parse(from)) / 1000;
  return [
    ['submitted', humanTime(from)],
    ...(to === null ? [] : [['ended', humanTime(to)] as const]),
    ...(seconds >= 0
      ? [['elapsed', `${humanDuration(seconds)}${to === null ? ' so far' : ''}`] as const]
      : []),
    ...durationFacts(job),
    ...(worker === undefined ? [] : [['worker', worker] as const]),
  ];
}

/** Whether a job is a test job, and its report grouping. */
export function reportFacts({ test, grouping }: JobRecord): readonly Fact[] {
  return [
    ...(test ? [['test', 'yes: outputs are cut to 5 seconds'] as const] : []),
    ...(grouping === null ? [] : [['grouping', grouping] as const]),
  ];
}

/** How a job waits in the queue. */
export function queueFacts({ priority, requires }: JobRecord): readonly Fact[] {
  return [
    ...(priority === undefined ? [] : [['priority', String(priority)] as const]),
    ...(requires === undefined ? [] : [['requires', requires.join(', ')] as const]),
  ];
}

/** What a request asked for and did not get. */
export function requestWarnings({ warnings = [] }: JobRecord): readonly Fact[] {
  return warnings.map(({ field, message }) => ['warning', `${field} ${message}`]);
}

/** How long the stages of a job took, as far as that is known. */
function durationFacts(job: JobRecord): readonly Fact[] {
  const stages = [
    ['waited', job.waited_in_ms],
    ['encoded', job.encoded_in_ms],
    ['delivered', job.delivered_in_ms],
  ] as const;
  return stages.flatMap(([name, ms]) =>
    ms === undefined ? [] : [[name, humanDuration(ms / 1000)] as const],
  );
}

/** Until when the service hosts an output. */
export function expiryFacts(
  { expires_at: expiresAt }: MediaFileRecord & { readonly expires_at?: string },
  now: Date,
): readonly Fact[] {
  if (expiresAt === undefined) return [];
  const time = humanTime(expiresAt);
  return Date.parse(expiresAt) <= now.getTime()
    ? [['expired', time]]
    : [['expires', `in ${humanUntil(expiresAt, now)}, ${time}`]];
}

/** Hours for which a service hosts an output (section 1). */
const retentionHours = 24;

/** Removes a URL that no longer works: that of an output that was not made or is no longer hosted. */
export function withoutExpiredLink(
  file: MediaFileRecord & { readonly state: string; readonly expires_at?: string },
  now: Date,
): MediaFileRecord {
  const isNotProduced = ['cancelled', 'failed', 'skipped', 'no input'].includes(file.state);
  const isHosted = /\/hosted\/[^/]+\//.test(file.url ?? '');
  const ageHours = (now.getTime() - Date.parse(file.finished_at ?? '')) / 3_600_000;
  const isOver =
    file.expires_at === undefined ? ageHours >= retentionHours : Date.parse(file.expires_at) <= now.getTime();
  return isHosted && (isNotProduced || isOver) ? { ...file, url: null } : file;
}

type Media = DetailsRecord | MediaFileRecord;

/** Known facts about the video, the audio and the container of a file. */
export function mediaFacts(media: Media): readonly Fact[] {
  const sizeBytes = 'file_size_bytes' in media ? media.file_size_bytes : media.file_size_in_bytes;
  const seconds = media.duration_in_ms === null ? null : media.duration_in_ms / 1000;
  const facts: readonly (readonly [string, readonly (string | null)[]])[] = [
    ['url', [media.url === null ? null : withoutPassword(media.url)]],
    ['format', [media.format, seconds === null ? null : humanDuration(seconds), known(sizeBytes, humanSize)]],
    [
      'video',
      [
        media.video_codec,
        media.width === null || media.height === null ? null : `${media.width}x${media.height}`,
        known(media.frame_rate, (rate) => `${Math.round(rate * 1000) / 1000} fps`),
        known(media.video_bitrate_in_kbps, kilobits),
        media.closed_captions === true ? 'closed captions' : null,
      ],
    ],
    [
      'audio',
      [
        media.audio_codec,
        known(media.channels, (channels) => `${channels} channel${channels === '1' ? '' : 's'}`),
        known(media.audio_sample_rate, (rate) => `${rate} Hz`),
        known(media.audio_bitrate_in_kbps, kilobits),
      ],
    ],
    ['dash url', [manifestUrl(media)]],
    ...captionFiles(media),
    ['segments', segmentParts(media)],
    ['md5', [media.md5_checksum ?? null]],
  ];
  return facts.flatMap(([name, parts]) => {
    const value = parts.filter((part) => part !== null && part !== '').join(', ');
    return value === '' ? [] : [[name, value] as const];
  });
}

type Tracks = Pick<OutputMediaFile, 'left_out'> & Pick<InputMediaFile, 'tracks'>;

/**
 * The tracks of a file, unless it has only one of video and one of audio, and those of its source that it lacks.
 * A track without a number is all chapters.
 */
export function trackFacts({ tracks = [], left_out: leftOut = [] }: Tracks): readonly Fact[] {
  const isOrdinary =
    tracks.length <= 2 && tracks.every(({ kind, track }) => /^(?:video|audio)$/.test(kind) && track === 1);
  const shown = isOrdinary ? [] : tracks;
  return [
    ...shown.map((track) => [`track ${track.number ?? ''}`.trim(), trackText(track)] as const),
    ...leftOut.map((track) => ['left out', lostTrackText(track)] as const),
  ];
}

/** A track of the source that an output lacks, and why. */
export function lostTrackText({
  number,
  kind,
  reason,
}: NonNullable<OutputMediaFile['left_out']>[number]): string {
  return `${kind}${number === null ? '' : ` ${number}`}: ${reason}`;
}

function trackText(track: NonNullable<InputMediaFile['tracks']>[number]): string {
  const { kind, codec, channels, language, title, disposition, file_name: fileName, count } = track;
  const from = 'from' in track ? track.from : null;
  return [
    count === undefined ? kind : `${count} ${kind}`,
    codec,
    channels === null ? null : `${channels} channel${channels === 1 ? '' : 's'}`,
    language,
    title === null ? null : JSON.stringify(title),
    ...disposition,
    fileName,
    from === null ? null : `from ${from}`,
  ]
    .filter((part) => part !== null && part !== undefined)
    .join(', ');
}

/** The files of captions next to an output. */
function captionFiles({ caption_files: files = [] }: Media & Partial<OutputDetails>) {
  return files.map(
    ({ url, language, label }) => ['captions', [withoutPassword(url), language, label]] as const,
  );
}

/** The address of the DASH manifest that an output has besides its playlist. */
function manifestUrl({ dash_url: url }: Media & Partial<OutputDetails>): string | null {
  return url === undefined ? null : withoutPassword(url);
}

/** The segments of an output, the longest one, and the codecs as playlists name them. */
function segmentParts(media: Media & Partial<OutputDetails>): readonly (string | null)[] {
  const { segments, fragment_duration_in_ms: longest = null } = media;
  if (segments === undefined) return [];
  return [
    String(segments),
    known(longest, (ms) => `${Math.round(ms / 100) / 10} s at most`),
    known(media.peak_bitrate_in_kbps ?? null, (rate) => `peak ${kilobits(Math.ceil(rate))}`),
    known(media.average_bitrate_in_kbps ?? null, (rate) => `average ${kilobits(Math.ceil(rate))}`),
    [media.rfc_6381_video_codec, media.rfc_6381_audio_codec].filter((codec) => codec !== undefined).join(' '),
  ];
}

/** What the plan changed for this input. */
export function warningFacts(file: object): readonly Fact[] {
  const warnings = 'warnings' in file && Array.isArray(file.warnings) ? file.warnings : [];
  return warnings.map((warning) => ['warning', redact(String(warning))] as const);
}

/** The error of a file and what to do about it. */
export function failureFacts(media: Pick<Media, 'error_class' | 'error_message'>): readonly Fact[] {
  const { error_class: errorClass, error_message: message } = media;
  if (errorClass === null && message === null) return [];
  const what = [errorClass, redact(message ?? '')].filter((part) => part !== null && part !== '').join(': ');
  const advice = adviceFor(errorClass, message);
  return [['error', what], ...(advice === null ? [] : [['advice', advice] as const])];
}

function kilobits(rate: number): string {
  return `${rate} kbps`;
}

function known<Value>(value: Value | null, write: (value: Value) => string): string | null {
  return value === null ? null : write(value);
}

/** The last attempts to deliver the notifications of a job: when each ended, and what came of it. */
export function attemptFacts({ notification_attempts: attempts = [] }: JobRecord): readonly Fact[] {
  return attempts.map(({ attempted_at: at, event, output_id: outputId, destination, ...answer }) => {
    const subject = `${event.replaceAll('_', ' ')}${outputId === null ? '' : ` (${outputId})`}`;
    const { attempt, status, error_message: error } = answer;
    const result = error ?? `accepted${status === null ? '' : ` (${status})`}`;
    const count = attempt === 1 ? '' : `, attempt ${attempt}`;
    return [humanTime(at), redact(`${subject} to ${destination}${count}: ${result}`)];
  });
}
