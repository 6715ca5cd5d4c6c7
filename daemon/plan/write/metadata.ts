import type { ChapterFacts, Tag } from '../../jobs/media.js';
import type { Decision } from '../decide/decisions.js';
import type { PlannedFile, PlanPaths } from '../plan-types.js';
import { fileArgument } from '../safe-input.js';
import { videoTimecodeOf } from './attached.js';
import { skipOf } from './output.js';

/** The file with the tags and chapters of an output, which ffmpeg reads as an input; none if it has neither. */
export function metadataFileOf(decision: Decision, paths: PlanPaths): readonly PlannedFile[] {
  const { metadata } = decision;
  if (metadata === undefined) return [];
  // `-ss` of the output moves the chapters of all inputs.
  const { seconds: skipSeconds } = skipOf(decision);
  const tags = metadata.tags.filter(({ name }) => name !== 'timecode' || videoTimecodeOf(decision) === null);
  const content = metadataText(tags, metadata.chapters, skipSeconds);
  return [{ path: pathOf(decision, paths), content, holds: 'metadata' }];
}

/** Tags and chapters in ffmpeg's format for metadata. The chapters are moved by a number of seconds. */
export function metadataText(
  tags: readonly Tag[],
  chapters: readonly ChapterFacts[],
  skipSeconds = 0,
): string {
  const milliseconds = (seconds: number) => Math.round((seconds + skipSeconds) * 1000);
  const lines = [
    ';FFMETADATA1',
    ...tags.map(({ name, value }) => `${escaped(name)}=${escaped(value)}`),
    ...chapters.flatMap(({ startSeconds, endSeconds, title }) => [
      ...['[CHAPTER]', 'TIMEBASE=1/1000'],
      ...[`START=${milliseconds(startSeconds)}`, `END=${milliseconds(endSeconds)}`],
      ...(title === undefined ? [] : [`title=${escaped(title)}`]),
    ]),
  ];
  return `${lines.join('\n')}\n`;
}

/** The file with the tags and chapters as an input. */
export function metadataInputArgs(decision: Decision, paths: PlanPaths): readonly string[] {
  if (decision.metadata === undefined) return [];
  const demuxer = ['-protocol_whitelist', 'file,pipe', '-format_whitelist', 'ffmetadata', '-f', 'ffmetadata'];
  return [...demuxer, '-i', fileArgument(pathOf(decision, paths))];
}

function pathOf({ outputId }: Decision, { scratch }: PlanPaths): string {
  return `${scratch}/metadata-${outputId}.txt`;
}

/** Text as ffmpeg's format has it: special characters and line feeds have a backslash. */
function escaped(text: string): string {
  return text.replace(/[=;#\\\n]/g, '\\$&');
}
