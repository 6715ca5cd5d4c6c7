import type { AudioDecision, Clip, Decision } from '../decide/decisions.js';
import type { PlanPaths } from '../plan-types.js';
import { fileArgument, safeInputArgs, safeInputOptions } from '../safe-input.js';
import { secondsArgument } from './seconds.js';

/** The run that packs the sound of an input anew, without decoding it: see `decideRepack`. */
export function repackArgs(decision: Decision, audio: AudioDecision, paths: PlanPaths): readonly string[] {
  return [
    '-y',
    ...safeInputArgs(paths.input),
    ...['-map', `0:${audio.streamIndex}`, '-c:a', 'copy', '-map_metadata', '-1'],
    ...['-f', 'amr', repackedFile(decision, paths)],
  ];
}

/** What that run left, as an input of its own: brought back to the times it had in the first one. */
export function repackedInputArgs(
  decision: Decision,
  offsetSeconds: number,
  paths: PlanPaths,
): readonly string[] {
  return [
    ...safeInputOptions,
    ...seekArgs(decision.clip, offsetSeconds),
    '-i',
    repackedFile(decision, paths),
  ];
}

function seekArgs({ readFromSeconds }: Clip, offsetSeconds: number): readonly string[] {
  const delaySeconds = offsetSeconds - readFromSeconds;
  if (delaySeconds < 0) return ['-ss', secondsArgument(-delaySeconds)];
  return delaySeconds > 0 ? ['-itsoffset', secondsArgument(delaySeconds)] : [];
}

function repackedFile({ outputId }: Decision, { scratch }: PlanPaths): string {
  return fileArgument(`${scratch}/sound-${outputId}.amr`);
}
