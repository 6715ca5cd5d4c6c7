import type { Command } from 'commander';
import { commandTable } from '../command-table.js';
import { createContext } from '../context.js';
import { addCommand, createProgram } from '../program.js';
import type { Io } from '../terminal/io.js';

/** The program with all commands loaded, for completions and manual pages. It cannot be run. */
export async function loadFullProgram(io: Io): Promise<Command> {
  const program = createProgram(io);
  const context = createContext(io, () => ({}));
  for (const [name, { summary, load }] of Object.entries(commandTable)) {
    const loaded = await load();
    loaded.define(addCommand(program, name, summary), context);
  }
  return program;
}
