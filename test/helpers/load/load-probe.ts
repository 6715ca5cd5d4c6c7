import { loadOf, startLoad } from '../../../bench/http-load.js';
import { processKey } from '../daemon-process.js';

const pauseMs = 20;
const sliceMs = 1000;

/** Requests that a separate process sends all the time, in order to measure their times while something else goes on. */
export interface LoadProbe {
  /** Ends the requests; may be called again. Resolves to their times in milliseconds; rejects if a request was not answered with 200. */
  stop(): Promise<readonly number[]>;
}

/** Sends GET requests in turn over some connections, each with short pauses. */
export async function startProbe(
  url: string,
  paths: readonly string[],
  connections: number,
): Promise<LoadProbe> {
  const { lengths: _, ...load } = await loadOf(url, paths, { 'Service-Api-Key': processKey });
  const generator = startLoad();
  const samples: number[] = [];
  let isStopped = false;
  let isGeneratorStopped = false;
  const atMost = { milliseconds: sliceMs, requests: Number.POSITIVE_INFINITY };
  const running = (async () => {
    while (!isStopped) {
      // Lengths change while jobs progress.
      const slice = await generator.run({ ...load, lengths: null, connections, pauseMs, atMost });
      for (const sample of slice.samplesMs) samples.push(sample);
    }
  })();
  // Reported by `stop`.
  running.catch(() => undefined);
  return {
    async stop() {
      isStopped = true;
      try {
        await running;
      } finally {
        if (!isGeneratorStopped) await generator.stop();
        isGeneratorStopped = true;
      }
      return samples;
    },
  };
}
