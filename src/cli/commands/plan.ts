import type { Command } from 'commander';
import { type ExitCode, exitCodes } from '../../shared/exit-codes.js';
import type { OutputMediaFile } from '../../shared/records.js';
import { redact } from '../../shared/redact.js';
import { lostTrackText } from '../../shared/text/file-facts.js';
import { jsonText, safeText } from '../../shared/text/safe-text.js';
import { shellLine } from '../../shared/text/shell-words.js';
import { isUrl } from '../../shared/text/url-text.js';
import { missingFolders, rejectInputAsOutput } from '../../shared/util/check-destinations.js';
import type { Context, ProgramFlags } from '../context.js';
import { outsOf, resolveDestinations, withLadderFolder } from '../destinations/resolve-destinations.js';
import { collectValues } from '../input/args.js';
import { oneInput } from '../input/find-inputs.js';
import {
  addJobOptions,
  daemonSettings,
  type JobArgs,
  sidecarOption,
  withExamplesFirst,
} from '../input/job-args.js';
import { isRequestName, localRequest } from '../input/job-input.js';
import { addLadderOptions, hasLadder } from '../input/ladder-flags.js';
import { createPresets, withPresetLadder } from '../input/presets.js';
import {
  printResponseWarnings,
  withoutProgram,
  withTypedErrors,
  withValidation,
} from '../input/typed-request.js';
import { isUnusedRendition, unusedRenditions } from '../output/job-text.js';
import { assignDestinations } from '../run/assign-destinations.js';

interface PlanOptions extends JobArgs, ProgramFlags {
  readonly out?: readonly string[];
  readonly json?: boolean;
}

/** `venc plan INPUT`: prints the ffmpeg command lines of `venc run` without running them. */
export function define(command: Command, { handler }: Context): void {
  command
    .argument('<input>', 'a local media file, a request (FILE.json, FILE.xml), or - for a request on stdin')
    .option(
      '-o, --out <file>',
      'the file of an output, one -o for each --output, or a folder for all',
      collectValues,
    )
    .option('--json', 'print a JSON array with an object for each command line')
    .option(...sidecarOption)
    .option('--ffmpeg <path>', 'the ffmpeg to plan for (or VENC_FFMPEG)')
    .option('--ffprobe <path>', 'the ffprobe to read the input with (or VENC_FFPROBE)');
  withExamplesFirst(addLadderOptions(addJobOptions(command, daemonSettings), 'dir'), details).action(
    handler((arg: string, options: PlanOptions, context: Context) => {
      const withChooser = { ...options, presets: createPresets(context.io.env) };
      return withTypedErrors(arg, withChooser, () => run(arg, withChooser, context));
    }),
  );
}

const details = `
Prints a line for each run of ffmpeg, quoted for a POSIX shell, with comments (#) above. Accepts the flags of run, reads the
input with ffprobe, writes nothing and connects to no other machine. The lines read the input in place and write the files that
run would write, without overwriting any (-n). Intermediate files, and outputs that have to be uploaded, go to the current
folder. venc run adds only the flags that it needs to read the progress.

With --json the object of a line has program and args, what the line does (encode, thumbnails, copy), its share of the work, and its
outputs: the number, label, url and path (the file that is written) of each, source, the number of the output that it is made from,
and tracks and left_out, the numbers of the tracks that it has, and those that it lacks, with the reason.

Exit codes: 0 if every output can be made, 1 if one cannot, 2 if the request is rejected.

Examples:
  venc plan film.mov
  venc plan film.mov -o out/ --output label=small,width=640 \\
    --output label=large
  venc plan film.mov --hls out/
  venc plan film.mov -o film.webm --start-clip 10 --clip-length 30
  venc plan film.mov --output width=640 --output filename=a.mp3 --json`;

async function run(arg: string, given: PlanOptions, context: Context): Promise<ExitCode> {
  const { io } = context;
  const options = withLadderFolder(await withPresetLadder(given, isRequestName(arg)));
  const programs = await context.programs(options);
  const request = await localRequest(arg, options, { io });
  const found = oneInput(arg);
  const outs = await resolveDestinations(outsOf(options, found), found, {
    cwd: process.cwd(),
    args: options,
  });
  const { body, paths } = await withValidation(request, () => assignDestinations(request, outs, 'kept'));
  await rejectInputAsOutput(
    body.input,
    paths,
    hasLadder(options) ? 'another folder' : 'another file with -o',
  );
  const { dryRun } = await import('../../../daemon/dry-run/dry-run.js');
  const plan = await dryRun(body, {
    ...programs,
    files: paths.map((path) => (isUrl(path) ? null : path)),
  }).catch((error: unknown) => {
    throw withoutProgram(error);
  });
  const destinations = paths.map(redact);
  // The other warnings were printed when the request was read.
  await printResponseWarnings(
    { warnings: plan.requestWarnings, outputs: plan.outputs },
    isRequestName(arg) ? body : null,
    { io, typed: { arg, args: options } },
  );
  const skipped = plan.outputs.flatMap(({ number, label, skipped: reason }) =>
    reason === null ? [] : [{ number, label, reason }],
  );
  for (const { labels, cause } of unusedRenditions(skipped))
    io.writeInfo(`venc: ${labels.join(', ')} ${labels.length === 1 ? 'is' : 'are'} left out: ${cause}\n`);
  for (const output of skipped.filter((one) => !isUnusedRendition(one)))
    io.writeStderr(`venc: warning: output ${output.number}: ${output.reason}\n`);
  for (const warning of plan.warnings) io.writeStderr(`venc: warning: ${warning}\n`);
  if (options.json === true) {
    const steps = plan.steps.map(({ outputs, does, args, share }) => {
      const [program, ...commandArgs] = stepCommand(plan.program, { does, args });
      const made = plan.outputs.filter(({ number }) => outputs.includes(number));
      return {
        outputs: made.map(({ number, label, url, path, source, tracks, left_out }) => ({
          ...{ number, label, url, path, source, tracks, left_out },
        })),
        does,
        program,
        args: commandArgs,
        ...(share === null ? {} : { share }),
      };
    });
    await io.writeStdout(`${jsonText(steps, 2)}\n`);
  } else {
    // The command lines write no playlists and no segments.
    const written = plan.outputs.flatMap(({ path }) => path ?? []);
    const folders = await missingFolders(written);
    await io.writeStdout(planText(plan, { destinations, missingFolders: folders }));
  }
  io.writeStderr(formatPlanFailure(plan, destinations));
  return plan.outputs.every(({ failure }) => failure === null) ? exitCodes.done : exitCodes.jobFailed;
}

/** The plan of `venc plan` that the text shows. */
export interface PrintedPlan {
  readonly program: string;
  readonly outputs: readonly {
    readonly number: number;
    readonly label: string | null;
    readonly path: string | null;
    readonly source: number | null;
    readonly copyOf: string | null;
    readonly tracks: readonly number[];
    readonly left_out: NonNullable<OutputMediaFile['left_out']>;
    readonly failure: { readonly errorClass: string; readonly message: string } | null;
  }[];
  readonly steps: readonly {
    readonly outputs: readonly number[];
    readonly does: 'encode' | 'thumbnails' | 'copy';
    readonly args: readonly string[];
  }[];
}

/**
 * Arguments before those of a step. A run adds only what it needs to read the progress. Without `-nostdin` ffmpeg would
 * consume the following lines if a shell reads them from a pipe.
 */
const ownArgs = ['-hide_banner', '-nostdin'] as const;

/**
 * The command line of a step, the program first. It writes to files of the user, so it never overwrites (-n instead of
 * -y).
 */
function stepCommand(
  program: string,
  { does, args }: Pick<PrintedPlan['steps'][number], 'does' | 'args'>,
): readonly string[] {
  if (does === 'copy') return ['cp', '-n', '--', ...args];
  return [program, ...ownArgs, ...(args[0] === '-y' ? ['-n', ...args.slice(1)] : args)];
}

/** The name of an output for people: its number, and its label if it has one. */
function outputName({ number, label }: { readonly number: number; readonly label: string | null }): string {
  return label === null ? `output ${number}` : `output ${number} (${safeText(label)})`;
}

/** The destinations of the outputs of a plan. */
interface PlanDestinations {
  /** Path or URL of each output, in order. */
  readonly destinations: readonly string[];
  /** Folders to create before the command lines run. */
  readonly missingFolders: readonly string[];
}

/** The steps as shell command lines, one per line, each after a comment that describes it. */
export function planText(
  { program, outputs, steps }: PrintedPlan,
  { destinations, missingFolders }: PlanDestinations,
): string {
  const files = outputs.flatMap((output) => {
    const { number, path } = output;
    if (path === null) return [];
    const destination = destinations[number - 1] ?? '';
    const where = isUrl(destination) ? `${path}, to be uploaded to ${destination}` : path;
    return [`# ${outputName(output)}: ${safeText(`${where}${originText(output)}`)}`, ...trackLines(output)];
  });
  const folders =
    missingFolders.length === 0 ? [] : ['', shellLine(['mkdir', '-p', '--', ...missingFolders])];
  const lines = steps.flatMap(({ outputs: numbers, does, args }, index) => {
    const whose = `${numbers.length === 1 ? 'output' : 'outputs'} ${numbers.join(', ')}`;
    return [
      '',
      `# step ${index + 1} of ${steps.length}, for ${whose}${stepNotes[does]}`,
      shellLine(stepCommand(program, { does, args })),
    ];
  });
  return steps.length === 0 ? '' : `${[...files, ...folders, ...lines].join('\n')}\n`;
}

/** Which tracks of its source an output has, and which it lacks. Nothing for one of video and one of audio. */
function trackLines({ tracks, left_out: leftOut }: PrintedPlan['outputs'][number]): readonly string[] {
  if (tracks.length <= 2 && leftOut.length === 0) return [];
  return [`tracks ${tracks.join(', ')}`, ...leftOut.map((track) => `left out: ${lostTrackText(track)}`)].map(
    (text) => `#   ${safeText(text)}`,
  );
}

const stepNotes = {
  encode: '',
  thumbnails: ': thumbnails, if the file is as long as expected',
  copy: ': a copy',
} as const;

/** What an output is made from, unless that is the input. */
function originText({ source, copyOf }: PrintedPlan['outputs'][number]): string {
  if (copyOf !== null) return `, a copy of ${copyOf}`;
  return source === null ? '' : `, made from output ${source}`;
}

/** The errors of outputs that cannot be made from the input, one per line; empty if there are none. */
export function formatPlanFailure({ outputs }: PrintedPlan, destinations: readonly string[]): string {
  return outputs
    .flatMap((output) => {
      const { number, failure } = output;
      if (failure === null) return [];
      const what = safeText(`${destinations[number - 1] ?? ''}: ${failure.errorClass}: ${failure.message}`);
      return [`venc: ${outputName(output)} cannot be made: ${what}\n`];
    })
    .join('');
}
