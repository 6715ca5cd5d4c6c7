import { isFinal } from '../../src/shared/states.js';
import type { JobFailure, JobOutput } from './job.js';
import { skippedBecause } from './skip-rules.js';

/** The outputs whose `source` is the given output. */
export function dependentsOf(outputs: readonly JobOutput[], { label }: JobOutput): readonly JobOutput[] {
  return label === null ? [] : outputs.filter(({ settings }) => settings.source === label);
}

/**
 * The ids of the outputs that have ended, but whose file an unfinished output needs as its source. The file is no longer on this machine, so
 * it is made again and not delivered again.
 */
export function sourcesToMakeAgain(outputs: readonly JobOutput[]): ReadonlySet<number> {
  const ids = new Set<number>();
  for (const output of outputs.filter(({ state }) => !isFinal(state))) {
    let source = sourceOf(outputs, output);
    while (source !== undefined && !ids.has(source.id)) {
      if (isFinal(source.state)) ids.add(source.id);
      source = sourceOf(outputs, source);
    }
  }
  return ids;
}

function sourceOf(outputs: readonly JobOutput[], { settings }: JobOutput): JobOutput | undefined {
  return settings.source === undefined ? undefined : outputs.find(({ label }) => label === settings.source);
}

/** Ends the outputs that wait for an output that is not made, directly or through others. */
export function withoutSource(
  outputs: readonly JobOutput[],
  source: JobOutput,
  edit: Pick<JobOutput, 'state' | 'failure' | 'warnings' | 'updatedAt' | 'finishedAt'>,
): readonly JobOutput[] {
  const waiting = dependentsOf(outputs, source).filter(({ state }) => state === 'waiting');
  return waiting.reduce(
    (all, dependent) =>
      withoutSource(
        all.map((output) => (output.id === dependent.id ? { ...output, ...edit } : output)),
        dependent,
        edit,
      ),
    outputs,
  );
}

/** The sentence in the record of an output that is skipped because the output that it is made from was. */
export function skippedSource({ id, label }: Pick<JobOutput, 'id' | 'label'>): string {
  return skippedBecause(`the output ${label ?? id}, which it is made from, was skipped`);
}

/** The failure of an output whose source failed. */
export function sourceFailure({ id, label }: Pick<JobOutput, 'id' | 'label'>): JobFailure {
  return {
    errorClass: 'SourceFailedError',
    message: `The output ${label ?? id}, which is the source of this one, failed.`,
  };
}
