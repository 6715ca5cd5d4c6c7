import { exitCodes } from '../shared/exit-codes.js';
import { productVersion } from '../shared/version.js';
import { createIo, mayBeTerminal } from './terminal/io.js';

/**
 * The entry point: runs the command that the arguments name and sets the exit code. It reports the errors of all
 * commands. `--version` is answered before anything else is loaded.
 */
export async function main(argv: readonly string[]): Promise<void> {
  await hideSecrets(argv);
  const io = createIo(process, await wantsColour(argv), (code) => process.exit(code));
  if (argv[0] === '--version' || argv[0] === '-V') {
    await io.writeStdout(`${productVersion}\n`);
    return;
  }
  // Completion scripts call this at every TAB.
  if (argv[0] === '__complete') {
    const { complete } = await import('./completion/complete.js');
    return complete(argv.slice(1), io);
  }
  const isDebugging = argv.includes('--debug');
  try {
    const { runProgram } = await import('./program.js');
    process.exitCode = await runProgram(argv, io);
  } catch (error) {
    const { formatError, exitCodeOf } = await import('./output/error-text.js');
    io.writeStderr(formatError(error, isDebugging));
    process.exitCode = exitCodeOf(error);
    // A reader of stdout that has stopped reading must not keep a command that was interrupted.
    if (process.exitCode === exitCodes.interrupted) process.exit();
  }
}

/** Whether colours are allowed. The configuration is read only on a terminal, because other outputs are never coloured. */
async function wantsColour(argv: readonly string[]): Promise<boolean> {
  if (argv.includes('--no-color')) return false;
  if (!mayBeTerminal(1) && !mayBeTerminal(2)) return true;
  const { readConfig } = await import('../config/config.js');
  return (await readConfig(process.env)).config.color !== 'never';
}

/** Hides the arguments from the process list if they contain a password, which would be visible until the command ends. */
async function hideSecrets(argv: readonly string[]): Promise<void> {
  if (!argv.some((arg) => /[@=:]/.test(arg))) return;
  const { redact } = await import('../shared/redact.js');
  if (argv.some((arg) => redact(arg) !== arg)) process.title = 'venc';
}
