import { EventEmitter } from 'node:events';
import { promiseHooks } from 'node:v8';

/** A task that uncaught errors are assigned to: the run of a job. */
export interface ErrorScope {
  readonly job: { readonly id: number; readonly isPrivate?: true };
  fail(error: unknown): void;
}

/**
 * Where a promise or an emitter keeps the scope that it was created in.
 *
 * `AsyncLocalStorage` would follow a scope through every callback by itself. On Node 20 it slows down every promise,
 * socket and timer of the process as soon as it is used once, so that each request costs a tenth more.
 */
const scopeOf = Symbol('error scope');

interface Scoped {
  [scopeOf]?: ErrorScope | undefined;
}

type Initialize = (this: EventEmitter, options?: unknown) => void;

/** `EventEmitter.init` is what every constructor of an emitter calls; Node's module `domain` replaces it as well. */
const emitters = EventEmitter as unknown as { init: Initialize };

/** The scope of the code that is running, and the error that was thrown last in a callback of one. */
const state: {
  current: ErrorScope | undefined;
  thrown: { readonly error: unknown; readonly scope: ErrorScope } | null;
  taskCount: number;
  stop: () => void;
} = { current: undefined, thrown: null, taskCount: 0, stop: () => undefined };

/**
 * Runs a task in a scope, and settles as it does. The scope follows the task through promises and through the events of
 * all emitters that are created in it: sockets, streams, requests, child processes. Callbacks of timers need
 * {@link inScope}.
 */
export async function runInErrorScope<T>(scope: ErrorScope, task: () => Promise<T>): Promise<T> {
  if (state.taskCount === 0) state.stop = followScopes();
  state.taskCount += 1;
  try {
    return await call(scope, task);
  } finally {
    state.taskCount -= 1;
    if (state.taskCount === 0) state.stop();
  }
}

/** The scope of the code that calls this; undefined outside of any. */
export function currentScope(): ErrorScope | undefined {
  return state.current;
}

/** Binds a callback, such as that of a timer, to the scope of the code that calls this. */
export function inScope<Args extends unknown[]>(callback: (...args: Args) => void): (...args: Args) => void {
  const { current } = state;
  return current === undefined ? callback : (...args) => call(current, () => callback(...args));
}

/** Moves an emitter, such as a connection that is used again, to the scope of the code that calls this. */
export function moveToScope(emitter: EventEmitter): void {
  bindEmitter(emitter, state.current);
}

/** The scope of an error that nobody caught, or of the promise that was rejected with it. */
export function scopeOfUncaught(error: unknown, promise: Promise<unknown> | null): ErrorScope | undefined {
  if (promise !== null) return (promise as Scoped)[scopeOf];
  return state.thrown !== null && state.thrown.error === error ? state.thrown.scope : undefined;
}

function call<T>(scope: ErrorScope | undefined, task: () => T): T {
  const outer = state.current;
  state.current = scope;
  try {
    return task();
  } catch (error) {
    // The innermost scope counts.
    if (scope !== undefined && state.thrown?.error !== error) state.thrown = { error, scope };
    throw error;
  } finally {
    state.current = outer;
  }
}

function followScopes(): () => void {
  const { init } = emitters;
  emitters.init = function (this: EventEmitter, options?: unknown): void {
    if (state.current !== undefined) bindEmitter(this, state.current);
    init.call(this, options);
  };
  const stopHooks = promiseHooks.createHook({
    init(promise: Promise<unknown> & Scoped) {
      if (state.current !== undefined) promise[scopeOf] = state.current;
    },
    before(promise: Promise<unknown> & Scoped) {
      state.current = promise[scopeOf];
    },
    after() {
      state.current = undefined;
    },
  }) as () => void;
  return () => {
    stopHooks();
    emitters.init = init;
    state.current = undefined;
  };
}

function bindEmitter(emitter: EventEmitter & Scoped, scope: ErrorScope | undefined): void {
  if (!Object.hasOwn(emitter, scopeOf)) {
    const hidden = { configurable: true, writable: true, enumerable: false };
    // Streams read from their implementation in ticks of their own.
    for (const name of ['emit', 'read'] as const) {
      const inherited = (emitter as unknown as Record<string, unknown>)[name];
      if (typeof inherited !== 'function') continue;
      const value = function (this: Scoped, ...args: unknown[]): unknown {
        return call(this[scopeOf], () => Reflect.apply(inherited, this, args));
      };
      Object.defineProperty(emitter, name, { ...hidden, value });
    }
  }
  emitter[scopeOf] = scope;
}
