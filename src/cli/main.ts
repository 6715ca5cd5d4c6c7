import { productVersion } from '../api/version.js';
import { createIo } from './io.js';

/**
 * The program: reads the words after its name, does what they ask and sets the exit code. Every error of every command ends
 * here. `--version` is answered before anything else is loaded.
 */
export async function main(argv: readonly string[]): Promise<void> {
  await hideSecrets(argv);
  const io = createIo(process, !argv.includes('--no-color'), (code) => process.exit(code));
  if (argv[0] === '--version' || argv[0] === '-V') {
    await io.out(`${productVersion}\n`);
    return;
  }
  const isDebugging = argv.includes('--debug');
  try {
    const { runProgram } = await import('./program.js');
    process.exitCode = await runProgram(argv, io);
  } catch (error) {
    const { errorText, exitCodeOf } = await import('./print/error-text.js');
    io.note(errorText(error, isDebugging));
    process.exitCode = exitCodeOf(error);
  }
}

/** A password in an argument would stand in the process list for as long as the command runs. */
async function hideSecrets(argv: readonly string[]): Promise<void> {
  if (!argv.some((word) => /[@=:]/.test(word))) return;
  const { redact } = await import('../api/redact.js');
  if (argv.some((word) => redact(word) !== word)) process.title = 'venc';
}
