import { type Command, Option } from 'commander';
import { VencError } from '../../shared/errors.js';
import { byteSizeParser, durationParser } from '../../shared/flag-parsers.js';
import { redact } from '../../shared/redact.js';
import { productVersion } from '../../shared/version.js';
import type { Context } from '../context.js';
import { formatExamples } from '../input/args.js';
import { requireFolder } from '../input/files.js';

interface McpFlags {
  readonly root?: string;
  readonly maxSize: number;
  readonly maxTime: number;
}

/** `venc mcp`: offers tools to a model over the Model Context Protocol, on stdin and stdout. */
export function define(command: Command, context: Context): void {
  command
    .option('--root <dir>', 'the folder that all files must be in (default: the current folder)')
    .addOption(
      new Option('--max-size <size>', 'the largest local file to read')
        .argParser(byteSizeParser('--max-size'))
        .default(20e9, '20GB'),
    )
    .addOption(
      new Option('--max-time <time>', 'the longest time of a call')
        .argParser(durationParser('--max-time'))
        .default(7200, '2h'),
    )
    .addHelpText('after', details)
    .action(context.handler(run));
}

const details = `
A program with a language model starts this command, and calls its tools over stdin and stdout: probe, plan and encode work on
this machine, submit and status with the service that venc uses, and list_settings with neither. No tool runs a shell, reads or
writes a file outside of the folder, also by a symbolic link, or connects to an address of a private network.

In the configuration of such a program, the command is venc, and the arguments are mcp, --root and the folder.
${formatExamples('venc mcp --root films --max-time 30m')}`;

async function run({ root = '.', maxSize, maxTime }: McpFlags, context: Context): Promise<void> {
  const { io } = context;
  await requireFolder(root, '--root');
  const [{ openRoot }, { localTools }, { serviceTools }, { withTimeLimit }, { configure }] =
    await Promise.all([
      import('../mcp/root.js'),
      import('../mcp/local-tools.js'),
      import('../mcp/service-tools.js'),
      import('../mcp/limits.js'),
      import('../../library/index.js'),
    ]);
  const { ffmpeg, ffprobe } = await context.programs({});
  configure({ ...(ffmpeg === null ? {} : { ffmpeg }), ...(ffprobe === null ? {} : { ffprobe }) });
  const limits = { maxBytes: maxSize, maxSeconds: maxTime };
  const shared = { root: await openRoot(root), limits };
  const tools = [...localTools(shared), ...serviceTools({ ...shared, client: context.client })];
  const { listenForInterrupt } = await import('../terminal/interrupt.js');
  const { serveMcp } = await import('../../mcp/serve-mcp.js');
  const listening = listenForInterrupt(io);
  await serveMcp({
    tools: tools.map((tool) => withTimeLimit(tool, limits)),
    version: productVersion,
    instructions: `Encodes video and audio. Files are below ${shared.root.folder}; relative paths begin there. Call plan before encode.`,
    ...{ stdin: io.stdin(), stdout: io.stdout, signal: listening.signal },
    describeError,
  }).finally(() => listening.dispose());
}

/** An error for a model: what happened, and what to do. */
function describeError(error: unknown): string {
  if (!(error instanceof Error)) return redact(String(error));
  const { message, hint } = { hint: null, ...error, message: error.message };
  const messages = error instanceof VencError ? error.messages.join('\n') : message;
  return redact(typeof hint === 'string' ? `${messages}\nhint: ${hint}` : messages);
}
