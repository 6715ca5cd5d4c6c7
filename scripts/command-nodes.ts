import { commandNodes } from '../src/cli/completion/command-nodes.js';
import { createIo } from '../src/cli/terminal/io.js';

/*
 * Run by the build: prints the commands as data for completions. A JSON object, by the name of the requested command, with
 * '' for none.
 */
const io = createIo(process, false, (code) => process.exit(code));
const program = await commandNodes(undefined, io);
// Completions do not show what stands below the flags of a command.
const jsonOf = (value: unknown) => JSON.stringify(value, (key, one) => (key === 'details' ? '' : one));
const texts: Record<string, string> = { '': jsonOf(program) };
for (const [index, { path }] of program.commands.entries()) {
  const [name = ''] = path;
  texts[name] = jsonOf((await commandNodes(name, io)).commands[index]);
}
process.stdout.write(JSON.stringify(texts));
