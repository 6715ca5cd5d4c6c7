/** @jsxImportSource hono/jsx */
import type { Child } from 'hono/jsx';
import { render, useState } from 'hono/jsx/dom';

/** Draws a state into an element, in place of what is there. The returned function draws the next state: only what differs changes. */
export function mount<State extends object>(
  container: HTMLElement,
  draw: (state: State) => Child,
  initial: State,
): (state: State) => void {
  let set: (state: State) => void = () => {};
  const Root = () => {
    const [state, setState] = useState(initial);
    set = setState;
    return <>{draw(state)}</>;
  };
  container.replaceChildren();
  render(<Root />, container);
  return (state) => set(state);
}
