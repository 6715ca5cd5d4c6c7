import type { Run, RunHandler } from '../jobs/run.js';
import type { RunObserver, StageOutcome } from '../jobs/run-observer.js';
import { outcomeOf } from './stages.js';

/** Wraps a handler so that observers see the begin, the stages, the changes and the end of each run. */
export function observeRuns(handler: RunHandler, observers: readonly RunObserver[]): RunHandler {
  if (observers.length === 0) return handler;
  return async (run) => {
    const observations = observers.map((observer) => observer.startRun(run.job));
    const end = (outcome: StageOutcome) => {
      for (const observation of observations) observation.end(outcome);
    };
    let seenNumber = 0;
    const observed: Run = {
      ...run,
      async change(change, changeNumber) {
        const job = await run.change(change, changeNumber);
        // A change that a worker repeats was seen already.
        if (changeNumber !== undefined && changeNumber <= seenNumber) return job;
        seenNumber = changeNumber ?? seenNumber;
        for (const observation of observations) observation.changed(change, job);
        return job;
      },
      startStage(stage) {
        const ends = observations.map((observation) => observation.startStage(stage));
        return (outcome) => {
          for (const endStage of ends) endStage(outcome);
        };
      },
    };
    try {
      await handler(observed);
      // A stopped run ends without an error.
      end(run.signal.aborted ? outcomeOf(run, run.signal.reason) : { type: 'done' });
    } catch (error) {
      end(outcomeOf(run, error));
      throw error;
    }
  };
}
