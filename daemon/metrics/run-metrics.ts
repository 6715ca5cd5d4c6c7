import { Counter, Histogram, type Registry } from 'prom-client';
import { type RunObserver, stageNames } from '../jobs/run-observer.js';

/** Registers the metrics of the stages of runs. */
export function createRunMetrics(registry: Registry): RunObserver {
  const registers = [registry];
  const stages = new Histogram({
    name: 'venc_stage_duration_seconds',
    help: 'Wall seconds of each stage of a run, without the time that it waited to begin.',
    labelNames: ['stage'],
    buckets: [0.01, 0.05, 0.25, 1, 5, 15, 60, 300, 900, 3600, 14_400],
    registers,
  });
  for (const stage of stageNames) stages.zero({ stage });
  const encodeSeconds = new Counter({
    name: 'venc_encode_seconds_total',
    help: 'Wall seconds that encoders ran, all passes and attempts included.',
    registers,
  });
  const mediaSeconds = new Counter({
    name: 'venc_encoded_media_seconds_total',
    help: 'Duration of the outputs that were encoded and delivered.',
    registers,
  });
  const speed = new Histogram({
    name: 'venc_encode_speed_ratio',
    help: 'Duration of an encoded output divided by the wall seconds of its encoders.',
    buckets: [0.1, 0.25, 0.5, 1, 2, 4, 8, 16, 32, 64],
    registers,
  });
  return {
    startRun() {
      /** Wall seconds of the encoders of each output. Outputs that are encoded together share all of them. */
      const secondsByOutput = new Map<number, number>();
      return {
        startStage({ name: stage, outputIds = [] }) {
          const startedAt = performance.now();
          return () => {
            const seconds = (performance.now() - startedAt) / 1000;
            stages.observe({ stage }, seconds);
            if (stage !== 'encode') return;
            encodeSeconds.inc(seconds);
            for (const id of outputIds) secondsByOutput.set(id, (secondsByOutput.get(id) ?? 0) + seconds);
          };
        },
        changed(change) {
          if (change.type !== 'output-finished') return;
          const seconds = secondsByOutput.get(change.id);
          const duration = change.media?.durationSeconds ?? null;
          if (seconds === undefined || duration === null) return;
          mediaSeconds.inc(duration);
          if (seconds > 0) speed.observe(duration / seconds);
        },
        end() {},
      };
    },
  };
}
