import type { Clip, Decision, Sound } from '../decide/decisions.js';
import type { PlanPaths } from '../plan-types.js';
import { fileArgument, safeInputArgs, safeInputOptions } from '../safe-input.js';
import { secondsArgument } from './seconds.js';

/** The run that packs the sound of an input anew, without decoding it: see `decideRepack`. */
export function repackArgs(decision: Decision, sound: Sound, paths: PlanPaths): readonly string[] {
  return [
    '-y',
    ...safeInputArgs(paths.input),
    ...['-map', `0:${sound.streamIndex}`, '-c:a', 'copy', '-map_metadata', '-1'],
    ...['-f', 'amr', repackedFile(decision, paths)],
  ];
}

/** What that run left, as an input of its own: brought back to the times it had in the first one. */
export function repackedInputArgs(
  decision: Decision,
  offsetSeconds: number,
  paths: PlanPaths,
): readonly string[] {
  return [...safeInputOptions, ...placing(decision.clip, offsetSeconds), '-i', repackedFile(decision, paths)];
}

function placing({ readFromSeconds }: Clip, offsetSeconds: number): readonly string[] {
  const later = offsetSeconds - readFromSeconds;
  if (later < 0) return ['-ss', secondsArgument(-later)];
  return later > 0 ? ['-itsoffset', secondsArgument(later)] : [];
}

function repackedFile({ outputId }: Decision, { scratch }: PlanPaths): string {
  return fileArgument(`${scratch}/sound-${outputId}.amr`);
}
