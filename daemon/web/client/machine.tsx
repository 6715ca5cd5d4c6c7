/** @jsxImportSource hono/jsx */
import { type MachineState, MachineView } from '../views/machine.js';
import { attempt, canChange, read, refresh, sayConnection, send, unreachable } from './call.js';
import { mount } from './mount.js';

/** How often health and workers are read again while the document is visible, in milliseconds: no event names them. */
const intervalMs = 5000;

/** Shows the daemon and its workers as they are now, and the buttons. */
export function showMachine(initial: MachineState): void {
  const container = document.querySelector<HTMLElement>('#machine');
  if (container === null) return;
  const view = (state: MachineState) => (
    <MachineView
      {...state}
      changeQueue={canChange ? changeQueue : null}
      changeWorker={canChange ? changeWorker : null}
    />
  );
  const load = async () => {
    const isLoaded = await refresh(async () => update(await read<MachineState>('machine')));
    sayConnection(isLoaded ? '' : unreachable);
  };
  const change = (path: string, body?: object) =>
    void attempt(async () => {
      await send('PUT', path, body);
      await load();
    });
  const changeQueue = (what: 'pause' | 'freeze' | 'resume') =>
    what === 'resume'
      ? change('queue/resume')
      : change('queue/pause', what === 'freeze' ? { now: true } : {});
  const changeWorker = (name: string, what: string) => change(`workers/${encodeURIComponent(name)}/${what}`);
  const update = mount(container, view, initial);
  setInterval(() => {
    if (!document.hidden) void load();
  }, intervalMs);
}
