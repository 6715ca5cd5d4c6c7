import type { Command } from 'commander';
import { type ExitCode, exitCodes } from '../../shared/exit-codes.js';
import { redact } from '../../shared/redact.js';
import { jsonText } from '../../shared/text/safe-text.js';
import { isUrl } from '../../shared/text/url-text.js';
import type { Context, ProgramFlags } from '../context.js';
import { missingFolders, rejectInputAsOutput } from '../destinations/check-destinations.js';
import { resolveDestinations } from '../destinations/resolve-destinations.js';
import { collectValues } from '../input/args.js';
import { withoutProgram, withTypedErrors, withValidation } from '../input/command-errors.js';
import { addJobOptions, daemonSettings, type JobArgs, withExamplesFirst } from '../input/job-args.js';
import { isRequestName, localRequest, type ParseXml } from '../input/job-input.js';
import { addLadderOptions, hasLadder } from '../input/ladder-flags.js';
import { printResponseWarnings } from '../input/print-warnings.js';
import { formatPlanFailure, planText, stepCommand } from '../output/plan-text.js';
import { isUnusedRendition, unusedRenditions } from '../output/unused-renditions.js';
import { assignDestinations } from '../run/assign-destinations.js';
import { outsOf, withLadderFolder } from '../run/ladder-folder.js';

interface PlanOptions extends JobArgs, ProgramFlags {
  readonly out?: readonly string[];
  readonly json?: boolean;
}

/** `venc plan INPUT`: prints the ffmpeg command lines of `venc run` without running them. */
export function define(command: Command, context: Context): void {
  command
    .argument('<input>', 'a local media file, a request (FILE.json, FILE.xml), or - for a request on stdin')
    .option(
      '-o, --out <file>',
      'the file of an output, one -o for each --output, or a folder for all',
      collectValues,
    )
    .option('--json', 'print a JSON array with an object for each command line')
    .option('--ffmpeg <path>', 'the ffmpeg to plan for (or VENC_FFMPEG)')
    .option('--ffprobe <path>', 'the ffprobe to read the input with (or VENC_FFPROBE)');
  withExamplesFirst(addLadderOptions(addJobOptions(command, daemonSettings), 'dir'), details).action(
    context.handler((arg: string, options: PlanOptions) =>
      withTypedErrors(arg, options, () => run(arg, options, context)),
    ),
  );
}

const details = `
Prints a line for each run of ffmpeg, quoted for a POSIX shell, with comments (#) above. Accepts the flags of run, reads the
input with ffprobe, writes nothing and connects to no other machine. The lines read the input in place and write the files that
run would write, without overwriting any (-n). Intermediate files, and outputs that have to be uploaded, go to the current
folder. venc run adds only the flags that it needs to read the progress.

With --json the object of a line has program and args, what the line does (encode, thumbnails, copy), its share of the work, and its
outputs: the number, label, url and path (the file that is written) of each, and source, the number of the output that it is made from.

Exit codes: 0 if every output can be made, 1 if one cannot, 2 if the request is rejected.

Examples:
  venc plan film.mov
  venc plan film.mov -o out/ --output label=small,width=640 \\
    --output label=large
  venc plan film.mov --hls out/
  venc plan film.mov -o film.webm --start-clip 10 --clip-length 30
  venc plan film.mov --output width=640 --output filename=a.mp3 --json`;

const parseXml: ParseXml = async (text) =>
  (await import('../../shared/xml/read-xml-request.js')).readXmlRequest(text);

async function run(arg: string, given: PlanOptions, context: Context): Promise<ExitCode> {
  const { io } = context;
  const options = withLadderFolder(given);
  const programs = await context.programs(options);
  const request = await localRequest(arg, options, io, parseXml);
  const outs = await resolveDestinations(outsOf(options, [arg]), 1, { cwd: process.cwd(), args: options });
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
    io.writeStderr(`venc: ${labels.join(', ')} ${labels.length === 1 ? 'is' : 'are'} left out: ${cause}\n`);
  for (const output of skipped.filter((one) => !isUnusedRendition(one)))
    io.writeStderr(`venc: output ${output.number}: ${output.reason}\n`);
  for (const warning of plan.warnings) io.writeStderr(`venc: ${warning}\n`);
  if (options.json === true) {
    const steps = plan.steps.map(({ outputs, does, args, share }) => {
      const [program, ...commandArgs] = stepCommand(plan.program, { does, args });
      const made = plan.outputs.filter(({ number }) => outputs.includes(number));
      return {
        outputs: made.map(({ number, label, url, path, source }) => ({ number, label, url, path, source })),
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
