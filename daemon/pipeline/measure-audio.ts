import { createOnce } from '../../src/shared/util/collections.js';
import type { Ffmpeg } from '../ffmpeg/index.js';
import type { JobOutput } from '../jobs/job.js';
import type { Run } from '../jobs/run.js';
import type { MeasuredAudio } from '../plan/decide/normalization.js';
import type { Plan, PlannedMeasurement } from '../plan/plan-types.js';
import type { SourceChanges } from './source-changes.js';
import { runStage } from './stages.js';

/** An output to plan, with what was measured in its tracks of audio, by the index of the stream. */
interface MeasurableOutput {
  readonly output: JobOutput;
  readonly measured: ReadonlyMap<number, MeasuredAudio>;
}

/** Runs work that decodes a whole input when the limit of concurrent encodes allows it. */
export type WithEncoder = <T>(work: () => Promise<T>) => Promise<T>;

/** How the outputs are planned and measured. */
interface MeasuringOptions<T> {
  readonly planFor: (outputs: readonly T[]) => Plan;
  readonly scratch: string;
  readonly source: SourceChanges;
  readonly withEncoder: WithEncoder;
}

/**
 * Measures the audio of the outputs whose plan asks for it, and plans them again, until nothing is missing: at most two
 * values for each track. Outputs with the same audio are measured once. An output whose audio cannot be measured fails
 * here and is omitted. Progress is not updated meanwhile.
 */
export async function measureAudio<T extends MeasurableOutput>(
  run: Run,
  given: readonly T[],
  { planFor, scratch, source, withEncoder }: MeasuringOptions<T>,
): Promise<readonly T[]> {
  const once = createOnce<MeasuredAudio>();
  const measureOnce = (planned: PlannedMeasurement): Promise<MeasuredAudio> => {
    const ffmpeg = source.ffmpeg();
    const key = JSON.stringify([ffmpeg.ffmpeg.path, planned.measurement, planned.runs.at(-1)]);
    return once(key, () => measure(run, ffmpeg, planned, scratch));
  };
  const measureOne = async (one: T): Promise<T> => {
    const measured = new Map(one.measured);
    for (const planned of planFor([one]).measurements) {
      const found = await measureOnce(planned);
      measured.set(planned.streamIndex, { ...measured.get(planned.streamIndex), ...found });
    }
    return { ...one, measured };
  };
  const measureNext = async (outputs: readonly T[]): Promise<readonly T[]> => {
    const next: T[] = [];
    for (const one of outputs) {
      const found = await runStage(
        run,
        () => source.withChanges(() => measureOne(one)),
        'TranscodingError',
        (failure) => run.change({ type: 'output-failed', id: one.output.id, failure }),
      );
      if (found !== null) next.push(found);
    }
    return next;
  };
  let outputs = given;
  for (;;) {
    const { measurements } = planFor(outputs);
    if (measurements.length === 0) return outputs;
    outputs = await withEncoder(() => measureNext(outputs));
  }
}

async function measure(
  run: Run,
  ffmpeg: Ffmpeg,
  { runs, measurement }: PlannedMeasurement,
  scratch: string,
): Promise<MeasuredAudio> {
  const options = { signal: run.signal, scratch, onProgress: () => {} };
  const [last = [], ...before] = runs.toReversed();
  for (const args of before.toReversed()) await ffmpeg.run(args, options);
  return await ffmpeg.measureAudio(last, measurement, options);
}
