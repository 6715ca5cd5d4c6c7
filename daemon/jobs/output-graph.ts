import { isFinal } from '../../src/shared/states.js';
import { type JobFailure, type JobOutput, safeFailure } from './job.js';
import { skippedBecause } from './skip-rules.js';

/** The outputs whose `source` is the given output. */
export function dependentsOf(outputs: readonly JobOutput[], { label }: JobOutput): readonly JobOutput[] {
  return label === null ? [] : outputs.filter(({ settings }) => settings.source === label);
}

/**
 * The ids of the outputs that have ended, but whose file an unfinished output needs as its source. The file is no
 * longer on this machine, so it is made again and not delivered again.
 */
export function sourcesToMakeAgain(outputs: readonly JobOutput[]): ReadonlySet<number> {
  if (outputs.every(({ settings }) => settings.source === undefined)) return noIds;
  const byLabel = outputsByLabel(outputs);
  const visited = new Set<JobOutput>();
  for (const { state, settings } of outputs) {
    let source = isFinal(state) ? undefined : byLabel.get(settings.source ?? null);
    while (source !== undefined && !visited.has(source)) {
      visited.add(source);
      source = byLabel.get(source.settings.source ?? null);
    }
  }
  return new Set([...visited].flatMap(({ id, state }) => (isFinal(state) ? [id] : [])));
}

const noIds: ReadonlySet<number> = new Set();

/** The outputs that have a label, by it. */
export function outputsByLabel(outputs: readonly JobOutput[]): ReadonlyMap<string | null, JobOutput> {
  return new Map(
    outputs.flatMap((output) => (output.label === null ? [] : [[output.label, output] as const])),
  );
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
  return safeFailure({
    errorClass: 'SourceFailedError',
    message: `The output ${label ?? id}, which is the source of this one, failed.`,
  });
}
