import type { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { isVencError } from '../../../src/shared/errors.js';
import type { ControlConnection } from './control-connection.js';
import type { DataConnection } from './data-connection.js';

/** How long a server has to say why it let go of a data connection. */
const replyGraceMs = 2_000;

/**
 * Has one file or listing passed: sends the command, moves the bytes once the server is ready for them, and waits for its confirmation.
 * Where the data connection breaks, what the server says of it tells more than the break does: "no room left" comes that way.
 */
export async function transferData(
  control: ControlConnection,
  command: string,
  { socket, ready }: DataConnection,
  streamData: (socket: Socket) => Promise<void>,
): Promise<void> {
  const started = latch();
  const completed: Promise<void> = control.handle(command, (reply, task) => {
    if (reply instanceof Error) return task.reject(reply);
    started.open();
    if (reply.code >= 300) task.reject(new Error('the server asked for something'));
    else if (reply.code >= 200) task.resolve(undefined);
  });
  // Bytes of a transfer that was given up would never end.
  completed.catch(() => socket.destroy());
  try {
    await Promise.race([started.opened, completed]);
    try {
      await ready;
      await streamData(socket);
    } catch (error) {
      socket.destroy();
      if (!isVencError(error))
        await Promise.race([completed, sleep(replyGraceMs, undefined, { ref: false })]);
      throw error;
    }
    await completed;
  } finally {
    socket.destroy();
  }
}

function latch(): { readonly opened: Promise<void>; open: () => void } {
  let open = () => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { opened, open: () => open() };
}
