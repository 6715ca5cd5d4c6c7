import type {
  DetailsRecord,
  InputDetails,
  InputMediaFile,
  JobProgressRecord,
  JobRecord,
  MediaFileRecord,
  OutputDetails,
  OutputMediaFile,
} from '../../shared/records.js';
import { redact, withoutPassword } from '../../shared/redact.js';
import { displayProgress, displayState, etaOfFile, etaOfJob, isFinal } from '../../shared/states.js';
import { safeText } from '../../shared/text/safe-text.js';
import { adviceFor } from './error-text.js';
import { colourState, type TextColours } from './paint.js';
import { hullFacts, qualityFacts } from './quality-text.js';
import { humanDuration, humanId, humanPercent, humanSize, humanTime, humanUntil } from './units.js';
import { type Fact, factLines } from './wrap-text.js';

/** The current state of a job, in addition to its record. */
export interface JobSnapshot {
  readonly now: Date;
  /** Null if it is unknown or the job has ended. */
  readonly progress: JobProgressRecord | null;
}

/**
 * A job with its input and outputs, as `venc show` prints it. Times are in UTC. The renditions of a ladder that the
 * input has no use for are one line.
 */
export function jobText(job: JobRecord, colours: TextColours, { now, progress }: JobSnapshot): string {
  const skipped = job.output_media_files
    .filter((output) => output.state === 'skipped')
    .map((output) => ({ id: output.id, label: output.label, reason: (output.warnings ?? []).join(' ') }));
  const unusedIds = skipped.filter(isUnusedRendition).map(({ id }) => id);
  const facts: readonly Fact[] = [
    ['submitted', humanTime(job.submitted_at)],
    ...(job.finished_at === null ? [] : [['ended', humanTime(job.finished_at)] as const]),
    ...elapsedFacts(job, now),
    ...durationFacts(job),
    ...(job.worker === undefined ? [] : [['worker', job.worker] as const]),
    ...(progress === null
      ? []
      : [['progress', formatProgress(displayProgress(progress), etaOfJob(progress.outputs))] as const]),
    ...(job.test ? [['test', 'yes: outputs are cut to 5 seconds'] as const] : []),
    ...(job.grouping === null ? [] : [['grouping', job.grouping] as const]),
    ...(job.paused === true ? [['paused', `yes: venc resume ${job.id} ends that`] as const] : []),
    ...(job.priority === undefined ? [] : [['priority', String(job.priority)] as const]),
    ...(job.requires === undefined ? [] : [['requires', job.requires.join(', ')] as const]),
    ...(job.pass_through === null ? [] : [['pass_through', job.pass_through] as const]),
    ...unusedRenditions(skipped).map(
      ({ labels, cause }) => ['skipped', `${labels.join(', ')}: ${cause}`] as const,
    ),
    ...(job.warnings ?? []).map(({ field, message }) => ['warning', `${field} ${message}`] as const),
  ];
  const files = [
    { title: 'input', file: job.input_media_file, label: null },
    ...job.output_media_files
      .filter(({ id }) => !unusedIds.includes(id))
      .map((output) => ({ title: 'output', file: output, label: output.label })),
  ];
  const lines = [
    `${colours.bold(`job ${humanId(job.id)}`)}  ${state(jobState(job), colours)}`,
    ...factLines(facts, 2),
    ...files.flatMap(({ title, file, label }) => [
      '',
      `${colours.bold(`${title} ${humanId(file.id)}`)}  ${state(file.state, colours)}${labelText(label)}`,
      ...factLines(
        [
          ...(title === 'input' && job.input_name !== undefined
            ? [['file', withoutPassword(job.input_name)] as const]
            : []),
          ...progressFacts(file.id, progress),
          ...requiredFacts(file),
          ...mediaFacts(withoutExpiredLink(file, now)),
          ...expiryFacts(file, now),
          ...qualityFacts(file),
          ...hullFacts(file),
          ...trackFacts(file),
          ...warningFacts(file),
          ...failureFacts(file),
        ],
        2,
      ),
    ]),
    ...thumbnailLines(job, colours),
  ];
  return lines.map((line) => `${line}\n`).join('');
}

/** An input, as `venc input` prints it. */
export function inputText(input: InputDetails, colours: TextColours): string {
  return fileText('input', input, null, [['job', humanId(input.job_id)]], colours);
}

/** An output, as `venc output` prints it. */
export function outputText(output: OutputDetails, colours: TextColours): string {
  return fileText('output', output, output.label, [], colours);
}

function jobState({
  state,
  paused,
  input_media_file: input,
  output_media_files: outputs,
}: JobRecord): string {
  return displayState({ state, input, outputs, paused });
}

/** The time from the submission to the end, or to now. */
function elapsedFacts({ submitted_at: from, finished_at: to, state }: JobRecord, now: Date): readonly Fact[] {
  const end = to ?? (isFinal(state) ? null : now.toISOString());
  const seconds = end === null ? Number.NaN : (Date.parse(end) - Date.parse(from)) / 1000;
  if (!(seconds >= 0)) return [];
  return [['elapsed', `${humanDuration(seconds)}${to === null ? ' so far' : ''}`]];
}

function progressFacts(id: number, progress: JobProgressRecord | null): readonly Fact[] {
  const file = [progress?.input, ...(progress?.outputs ?? [])].find((one) => one?.id === id);
  if (file === undefined || file.state !== 'processing') return [];
  return [['progress', formatProgress(file.progress, etaOfFile(file))]];
}

/** The labels of the machine that makes an output. */
function requiredFacts(file: MediaFileRecord & Pick<OutputMediaFile, 'requires'>): readonly Fact[] {
  return file.requires === undefined ? [] : [['requires', file.requires.join(', ')]];
}

function formatProgress(percent: number, etaMs: number | null): string {
  return `${humanPercent(percent)}${etaMs === null ? '' : `, ${humanDuration(etaMs / 1000)} left`}`;
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
function expiryFacts(
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
function withoutExpiredLink(
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

function fileText(
  title: string,
  file: InputDetails | OutputDetails,
  label: string | null,
  facts: readonly Fact[],
  colours: TextColours,
): string {
  const lines = [
    `${colours.bold(`${title} ${humanId(file.id)}`)}  ${state(file.state, colours)}${labelText(label)}`,
    ...factLines(
      [...facts, ...mediaFacts(file), ...qualityFacts(file), ...hullFacts(file), ...failureFacts(file)],
      2,
    ),
  ];
  return lines.map((line) => `${line}\n`).join('');
}

function thumbnailLines(job: JobRecord, colours: TextColours): readonly string[] {
  if (job.thumbnails.length === 0) return [];
  const urls = job.thumbnails.map(
    ({ url, group_label: label = null }) => `  ${safeText(withoutPassword(url))}${labelText(label)}`,
  );
  return ['', colours.bold('thumbnails'), ...urls];
}

function state(text: string, colours: TextColours): string {
  return colourState(colours, text, safeText(text));
}

function labelText(label: string | null): string {
  return label === null ? '' : `  "${safeText(label)}"`;
}

type Media = DetailsRecord | MediaFileRecord;

/** Known facts about the video, the audio and the container of a file. */
function mediaFacts(media: Media): readonly Fact[] {
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
function trackFacts({ tracks = [], left_out: leftOut = [] }: Tracks): readonly Fact[] {
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
function warningFacts(file: object): readonly Fact[] {
  const warnings = 'warnings' in file && Array.isArray(file.warnings) ? file.warnings : [];
  return warnings.map((warning) => ['warning', redact(String(warning))] as const);
}

/** The error of a file and what to do about it. */
function failureFacts(media: Pick<Media, 'error_class' | 'error_message'>): readonly Fact[] {
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

/** An output that was skipped, and the sentence of its record about it. */
interface SkippedOutput {
  readonly label: string | null;
  readonly reason: string;
}

/**
 * What the input has, in the reason for which a rendition of a ladder is left out: its rules are those of the ladder,
 * so that the setting means nothing to the user. Null for all other outputs.
 */
function causeOf({ label, reason }: SkippedOutput): string | null {
  if (label === null || !/^(?:\d+p|v\d+)$/.test(label)) return null;
  const pattern =
    /^This output was skipped, because (the ladder for this film has \d+ renditions?|the input has (?:\d+ lines(?=, and skip\.min_height )|no video(?=\.)))/;
  return pattern.exec(reason)?.[1] ?? null;
}

/** Whether an output is a rendition of a ladder that the input has no use for. */
export function isUnusedRendition(output: SkippedOutput): boolean {
  return causeOf(output) !== null;
}

/**
 * The unused renditions of a ladder among skipped outputs: their labels, and what the input has, once for all with the
 * same cause.
 */
export function unusedRenditions(
  outputs: readonly SkippedOutput[],
): readonly { readonly labels: readonly string[]; readonly cause: string }[] {
  const causes = new Map<string, string[]>();
  for (const output of outputs) {
    const cause = causeOf(output);
    if (cause !== null) causes.set(cause, [...(causes.get(cause) ?? []), safeText(output.label ?? '')]);
  }
  return [...causes].map(([cause, labels]) => ({ labels, cause }));
}
