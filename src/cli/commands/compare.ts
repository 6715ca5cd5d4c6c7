import type { Command } from 'commander';
import { comparisonFacts } from '../../shared/text/quality-facts.js';
import { jsonText, safeText } from '../../shared/text/safe-text.js';
import type { Context, ProgramFlags } from '../context.js';
import { factLines } from '../output/wrap-text.js';
import { listenForInterrupt } from '../terminal/interrupt.js';
import { openProgressDisplay } from '../terminal/progress-display.js';

interface CompareOptions extends ProgramFlags {
  readonly metric: 'vmaf' | 'vmaf-neg';
  readonly frames?: string;
  readonly json?: boolean;
}

/** `venc compare FILE REFERENCE`: measures how close a video comes to its original. */
export function define(command: Command, { handler }: Context): void {
  command
    .argument('<file>', 'the video to measure')
    .argument('<reference>', 'the video that it was encoded from')
    .addOption(
      command
        .createOption('--metric <name>', 'vmaf-neg does not count enhanced contrast as quality')
        .choices(['vmaf', 'vmaf-neg'])
        .default('vmaf'),
    )
    .option('--frames <dir>', 'write a PNG of the worst frame of both videos, side by side, into this folder')
    .option('--json', 'print the measurement as JSON')
    .option('--ffmpeg <path>', 'the ffmpeg that decodes (or VENC_FFMPEG)')
    .option('--ffprobe <path>', 'the ffprobe to read the files with (or VENC_FFPROBE)')
    .addHelpText('after', details)
    .action(handler(run));
}

const details = `
Prints the VMAF of the video, from 0 to 100: 95 looks like the original to most viewers, and 6 points are a visible difference.
Both videos are scaled to 1920x1080 (3840x2160 above 1440 lines), and their frames are compared by number, so both need
equally many. Runs on this machine, without a daemon. docs/quality.md explains the figures.

Exit codes: 0 if the quality was measured, 1 if not, 2 if the command is wrong.

Examples:
  venc compare small.mp4 film.mov
  venc compare small.mp4 film.mov --frames worst/
  venc compare small.mp4 film.mov --json | jq .mean`;

async function run(file: string, reference: string, options: CompareOptions, context: Context) {
  const { io } = context;
  const programs = await context.programs(options);
  const { compareFiles } = await import('../../../daemon/app/compare-files.js');
  const isDrawn = io.canDraw.stderr && options.json !== true && !io.isQuiet && !io.isVerbose;
  const display = await openProgressDisplay(io, isDrawn ? 'tty' : 'none', 'compare');
  const { signal, dispose } = listenForInterrupt(io);
  try {
    const found = await compareFiles([file, reference], {
      ...programs,
      ...{ metric: options.metric, framesFolder: options.frames ?? null, signal },
      onDetail: io.isVerbose ? (line) => io.writeStderr(`venc: ${safeText(line)}\n`) : undefined,
      onProgress: (percent) => display.update(percent, 'measuring', {}),
    });
    display.stop();
    const { quality, warnings, image } = found;
    for (const warning of warnings) io.writeStderr(`venc: warning: ${safeText(warning)}\n`);
    if (options.json === true) {
      await io.writeStdout(`${jsonText({ ...quality, warnings, image }, 2)}\n`);
      return;
    }
    const facts = [...comparisonFacts(quality), ...(image === null ? [] : [['image', image] as const])];
    await io.writeStdout(io.toTerminalSymbols(`${factLines(facts).join('\n')}\n`));
  } finally {
    display.stop();
    dispose();
  }
}
