import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { StreamPlan } from './stream-client.js';

/** What the streams have received. */
export interface StreamTotals {
  /** What went wrong, one sentence each: the first ones. */
  readonly violations: readonly string[];
  readonly events: number;
  /** Number of events of each stalled client, with its job. */
  readonly stalledEvents: readonly (readonly [jobId: number, events: number])[];
  /** The time from the release of a step to the arrival of its event at each following stream, in milliseconds. */
  readonly deliveriesMs: readonly number[];
}

/** The commands of the program that keeps the streams. Each rejects if something unexpected happens, or after a minute. */
export interface StreamCommands {
  /** Opens all streams and waits for the first event of each. */
  open(argument: {
    readonly url: string;
    readonly key: string;
    readonly plans: readonly StreamPlan[];
  }): Promise<void>;
  /** Waits until every following stream shows this progress of its input. */
  waitForStep(argument: { readonly percent: number; readonly releasedAt: number }): Promise<void>;
  /** Breaks the connections of the leaving clients. */
  disconnectLeaving(): Promise<void>;
  /** Breaks the connections of the returning clients and opens them again with `Last-Event-ID`. */
  reconnectReturning(): Promise<void>;
  /** Waits for the end of all streams that are read; those of returning clients are then opened once more. */
  waitForEnds(): Promise<void>;
  /** Lets the stalled clients read, up to their end. */
  drainStalled(): Promise<void>;
  /** Compares the streams with the final record of each job, and with the steps that following streams must have shown. */
  totals(argument: {
    readonly finalData: readonly (readonly [jobId: number, data: string])[];
    readonly percents: readonly number[];
  }): Promise<StreamTotals>;
}

/** The program that keeps the streams, in its own process. */
export interface StreamProcess extends StreamCommands {
  stop(): Promise<void>;
}

/** Starts a process for event streams. Its commands run one after another. */
export function startStreamProcess(): StreamProcess {
  const program = fileURLToPath(new URL('./stream-program.js', import.meta.url));
  const child = fork(program, { serialization: 'advanced' });
  const ended = once(child, 'exit');
  const call = async (name: keyof StreamCommands, argument: unknown = {}): Promise<unknown> => {
    child.send({ name, argument });
    const [answer] = (await Promise.race([once(child, 'message'), ended])) as [unknown];
    const { result, error } = (answer ?? {}) as { readonly result?: unknown; readonly error?: string };
    if (error !== undefined) throw new Error(error);
    if (child.exitCode !== null) throw new Error(`the process of the streams ended with ${child.exitCode}`);
    return result;
  };
  return {
    open: async (argument) => void (await call('open', argument)),
    waitForStep: async (argument) => void (await call('waitForStep', argument)),
    disconnectLeaving: async () => void (await call('disconnectLeaving')),
    reconnectReturning: async () => void (await call('reconnectReturning')),
    waitForEnds: async () => void (await call('waitForEnds')),
    drainStalled: async () => void (await call('drainStalled')),
    totals: async (argument) => (await call('totals', argument)) as StreamTotals,
    async stop() {
      if (child.connected) child.disconnect();
      await ended;
    },
  };
}
