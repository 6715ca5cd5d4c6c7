import { type Command, Option } from 'commander';
import { VencError } from '../../shared/errors.js';
import { durationParser } from '../../shared/flag-parsers.js';
import { repeatCommand } from '../batch/repeat-command.js';
import type { Context } from '../context.js';
import { addNameOption } from '../destinations/name-pattern.js';
import { conflictOption } from '../destinations/number-names.js';
import { addFolderOptions } from '../input/find-inputs.js';
import { fromOption, namedInputs } from '../input/input-list.js';
import { addJobOptions, sidecarOption, withExamplesFirst } from '../input/job-args.js';
import { isRequestName } from '../input/job-input.js';
import { addLadderOptions, rejectLadderPlace } from '../input/ladder-flags.js';
import { createPresets, withPresetLadder } from '../input/presets.js';
import { withTypedErrors } from '../input/typed-request.js';
import type { SubmitOptions } from '../submit/requests.js';
import { submit } from '../submit/submit.js';
import { progressOption } from '../terminal/progress-mode.js';

/** `venc submit INPUT...`: creates a job for each input (section 4.1) and prints its id. */
export function define(command: Command, { handler }: Context): void {
  command
    .argument(
      '[input...]',
      'URLs, media files, folders, requests (FILE.json, FILE.xml), or - for a request on stdin',
    )
    .option(...fromOption)
    .option('--xml', 'parse the request as XML')
    .addOption(
      new Option('--ndjson', 'with -: one JSON request per line, a job for each').conflicts([
        'xml',
        'download',
        'stage',
        'inPlace',
        'sidecarSubtitles',
        'match',
        'exclude',
        'name',
        'skipExisting',
      ]),
    )
    .option('--idempotency-key <key>', 'create no second job with this key within 24 hours', idempotencyKeyOf)
    .option('--json', 'print whole responses, one per line')
    .option('--wait', 'wait until the jobs end; the exit code is by their state')
    .option(
      '--timeout <time>',
      'with --wait: give up after a time such as 90s or 2h',
      durationParser('--timeout'),
    )
    .option('--download <dir>', 'with --wait: download the outputs to this folder')
    .option('--force', 'overwrite existing files (--download, file: URLs)')
    .option('--stage <url>', 'upload local files here first (s3:, ftp:, sftp: ...)')
    .addOption(
      new Option('--in-place', 'read local files where they are, without an upload').conflicts('stage'),
    )
    .option(...sidecarOption)
    .option(...progressOption);
  addFolderOptions(command);
  addNameOption(command, '{stem}-{label}.{ext}').option(...conflictOption);
  command.addOption(
    new Option('--skip-existing', 'with --download: skip inputs with whole outputs').conflicts('force'),
  );
  withExamplesFirst(addLadderOptions(addJobOptions(command), 'url'), details).action(
    handler((args: readonly string[], given: SubmitOptions, context: Context) => {
      const options = { ...given, presets: createPresets(context.io.env, context.client) };
      return withTypedErrors(args.length === 1 ? args[0] : undefined, options, async () => {
        if (args.length === 0 && options.from === undefined)
          throw new VencError('UsageError', 'submit needs an input, or a list of inputs with --from.', {
            hint: 'for example: venc submit film.mov',
          });
        rejectUnusedFlags(options);
        rejectLadderPlace(options, args.length);
        const inputs = await namedInputs(args, options);
        const hasRequest = options.ndjson === true || inputs.some(isRequestName);
        const chosen = await withPresetLadder(options, hasRequest);
        return submit(inputs, chosen, context, (names) => repeatCommand(command, names));
      });
    }),
  );
}

/** Throws `UsageError` for flags without effect and for conflicting flags. */
function rejectUnusedFlags({ wait, timeout, download, json, skipExisting }: SubmitOptions): void {
  const unusedFlags = [
    ['--timeout', timeout !== undefined && wait !== true, '--wait'],
    ['--download', download !== undefined && wait !== true, '--wait'],
    ['--skip-existing', skipExisting === true && download === undefined, '--download'],
  ] as const;
  for (const [flag, isUnused, partner] of unusedFlags)
    if (isUnused) throw new VencError('UsageError', `${flag} needs ${partner}.`);
  if (json === true && download !== undefined) {
    throw new VencError('UsageError', '--json cannot be combined with --download.', {
      hint: 'use venc wait and venc download with the id in the JSON',
    });
  }
}

/** Parses an idempotency key. Throws `UsageError` unless it has 1 to 200 printable ASCII characters, which
 * leaves room for the suffix `-N`. */
function idempotencyKeyOf(arg: string): string {
  if (/^[!-~]{1,200}$/.test(arg)) return arg;
  throw new VencError(
    'UsageError',
    '--idempotency-key must be 1 to 200 printable ASCII characters without spaces.',
  );
}

const details = `
Prints the id of each job, in the order of the inputs. A folder stands for the media files in it and in its folders, which
--download makes again. If an input fails, the others are still submitted, unless the service is unreachable or rejects the
key; the exit code is that of the first failure. A flag overrides the request file, and --output a flag.
Other users of this machine can see passwords in arguments for a moment: send such requests through - instead.

Examples:
  venc submit https://example.com/film.mov
  venc submit film.mov --wait --download films --filename film.mp4
  venc submit films/ --wait --download encoded --skip-existing
  venc submit film.mov --hls s3://bucket/film
  venc submit request.json --test
  echo '{"input": "sftp://me:secret@example.com/a.mov"}' | venc submit -
  venc submit - --ndjson --idempotency-key tuesday < jobs.ndjson`;
