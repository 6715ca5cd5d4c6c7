import { pathToFileURL } from 'node:url';
import type { Command } from 'commander';
import { VencError } from '../../shared/errors.js';
import { jsonText, safeText } from '../../shared/text/safe-text.js';
import { isUrl } from '../../shared/text/url-text.js';
import { rejectInputAsOutput, requireAbsent, requireWritable } from '../../shared/util/check-destinations.js';
import { withRunFolder } from '../../shared/util/run-folder.js';
import type { Context, ProgramFlags } from '../context.js';
import { readableFileSize } from '../input/files.js';
import { listenForInterrupt } from '../terminal/interrupt.js';
import { openProgressDisplay } from '../terminal/progress-display.js';

interface JoinCommandOptions extends ProgramFlags {
  readonly out?: string;
  readonly force?: boolean;
  readonly json?: boolean;
}

/** `venc join A B -o C`: joins video files, one after another. */
export function define(command: Command, { handler }: Context): void {
  command
    .argument('<files...>', 'two or more local video files, in their order')
    .option('-o, --out <file>', 'the file to write: .mp4, .mov, .mkv or .webm')
    .option('--force', 'overwrite an existing file')
    .option('--json', 'print the job that wrote the file as JSON, with how it was joined')
    .option('--ffmpeg <path>', 'the ffmpeg to use (or VENC_FFMPEG)')
    .option('--ffprobe <path>', 'the ffprobe to use (or VENC_FFPROBE)')
    .addHelpText('after', details)
    .action(handler(run));
}

const details = `
The video is copied if all files agree and the copy has exactly their frames, which is checked. Otherwise it is encoded once,
with the displayed size and the frame rate of the first file; others are fitted into it. Audio is encoded, unless it is PCM
or FLAC: a copy of other codecs has a gap at each border. That of each file is cut or filled to the length of its video, so
that both stay in sync. A warning names tracks that the files do not have alike, which are left out. Runs on this machine,
without a daemon.

Examples:
  venc join part1.mp4 part2.mp4 -o film.mp4
  venc join intro.mov talk.mp4 outro.webm -o all.mp4 --force`;

async function run(
  files: readonly string[],
  { out, force = false, json = false, ...flags }: JoinCommandOptions,
  context: Context,
): Promise<void> {
  const { io } = context;
  if (files.length < 2)
    throw new VencError('UsageError', 'A join needs two or more files.', {
      hint: 'venc join part1.mp4 part2.mp4 -o film.mp4',
    });
  if (out === undefined)
    throw new VencError('UsageError', 'Name the file to write with -o.', { hint: 'for example -o film.mp4' });
  const url = files.find(isUrl);
  if (url !== undefined) throw new VencError('UsageError', `The files must be local, and ${url} is a URL.`);
  for (const file of files) await readableFileSize(file);
  await requireWritable([out]);
  for (const file of files) await rejectInputAsOutput(pathToFileURL(file).href, [out]);
  if (!force) await requireAbsent([out]);
  const programs = await context.programs(flags);
  const { joinFiles } = await import('../../../daemon/app/join-files.js');
  const isDrawn = io.canDraw.stderr && !io.isQuiet && !io.isVerbose;
  const display = await openProgressDisplay(io, isDrawn ? 'tty' : 'none', 'join');
  const { signal, dispose } = listenForInterrupt(io);
  try {
    const { encodedBecause, warnings, job } = await withRunFolder((folder) =>
      joinFiles(files, {
        ...programs,
        ...{ output: out, folder, signal },
        onDetail: io.isVerbose
          ? (line) => io.writeStderr(`venc: ${safeText(line.replace(/^Job \d+: /, ''))}\n`)
          : undefined,
        onProgress: (percent, activity) => display.update(percent, activity, {}),
      }),
    );
    display.stop();
    const method =
      encodedBecause === null ? 'the video was copied' : `the video was encoded, because ${encodedBecause}`;
    io.writeInfo(`venc: ${safeText(method)}\n`);
    for (const warning of warnings) io.writeStderr(`venc: warning: ${safeText(warning)}\n`);
    const record = { ...job, encoded_because: encodedBecause, join_warnings: warnings };
    await io.writeStdout(json ? `${jsonText(record, 2)}\n` : `${out}\n`);
  } finally {
    display.stop();
    dispose();
  }
}
