import type {
  InputDetails,
  JobProgressRecord,
  JobRecord,
  MediaFileRecord,
  OutputDetails,
  OutputMediaFile,
} from '../../shared/records.js';
import { withoutPassword } from '../../shared/redact.js';
import { displayProgress, displayState, etaOfFile, etaOfJob } from '../../shared/states.js';
import {
  attemptFacts,
  expiryFacts,
  type Fact,
  failureFacts,
  mediaFacts,
  queueFacts,
  reportFacts,
  requestWarnings,
  timeFacts,
  trackFacts,
  warningFacts,
  withoutExpiredLink,
} from '../../shared/text/file-facts.js';
import { hullFacts, qualityFacts } from '../../shared/text/quality-facts.js';
import { safeText } from '../../shared/text/safe-text.js';
import { humanDuration, humanId, humanPercent } from '../../shared/text/units.js';
import { colourState, type TextColours } from './paint.js';
import { factLines } from './wrap-text.js';

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
    ...timeFacts(job, now),
    ...(progress === null
      ? []
      : [['progress', formatProgress(displayProgress(progress), etaOfJob(progress.outputs))] as const]),
    ...reportFacts(job),
    ...(job.paused === true ? [['paused', `yes: venc resume ${job.id} ends that`] as const] : []),
    ...queueFacts(job),
    ...(job.pass_through === null ? [] : [['pass_through', job.pass_through] as const]),
    ...unusedRenditions(skipped).map(
      ({ labels, cause }) => ['skipped', `${labels.join(', ')}: ${cause}`] as const,
    ),
    ...requestWarnings(job),
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
    ...attemptLines(job, colours),
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

/** The last attempts to deliver the notifications of a job, one line each. */
function attemptLines(job: JobRecord, colours: TextColours): readonly string[] {
  const lines = attemptFacts(job).map(([time, text]) => `  ${safeText(`${time}  ${text}`)}`);
  return lines.length === 0 ? [] : ['', colours.bold('notifications'), ...lines];
}

function state(text: string, colours: TextColours): string {
  return colourState(colours, text, safeText(text));
}

function labelText(label: string | null): string {
  return label === null ? '' : `  "${safeText(label)}"`;
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
