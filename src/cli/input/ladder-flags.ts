import type { Command } from 'commander';
import { VencError } from '../../shared/errors.js';
import { ladderDefaults, maxRenditions } from '../../shared/settings/ladders.js';
import { safeText } from '../../shared/text/safe-text.js';
import { isUrl } from '../../shared/text/url-text.js';
import { isObject } from '../../shared/util/is-object.js';

/** The flags of a ladder. `true` without a value. */
export interface LadderArgs {
  readonly hls?: string | true;
  readonly dash?: string | true;
  /** Heights of the renditions; `auto` chooses them by the content. */
  readonly ladder?: readonly number[] | 'auto';
  readonly ts?: true;
  /** The preset that stands for `--hls`, in place of the flag. */
  readonly ladderPreset?: string;
}

/** Adds the flags of a ladder. `place` says what their value names. */
export function addLadderOptions(command: Command, place: string): Command {
  const heading = 'Streaming:';
  const add = (flags: string, help: string) => command.createOption(flags, help).helpGroup(heading);
  return command
    .addOption(
      add(
        `--hls [${place}]`,
        'make a ladder of renditions for players, with playlists of HLS and DASH',
      ).argParser(placeOf('--hls')),
    )
    .addOption(add(`--dash [${place}]`, 'the same with DASH only').argParser(placeOf('--dash')))
    .addOption(
      add(
        '--ladder <heights>',
        'the heights of the renditions, such as 1080,720,480; auto measures which sizes and bitrates suit the film',
      ).argParser(heightsOf),
    )
    .addOption(add('--ts', 'with --hls: transport streams, for players of before 2016'));
}

function placeOf(flag: string): (text: string) => string {
  return (text) => {
    if (text.trim() !== '') return text;
    throw new VencError('UsageError', `${flag} has an empty value.`, {
      hint: `without a value: ${flag} alone`,
    });
  };
}

/** Heights that a video may have. */
const [minHeight, maxHeight] = [48, 4320] as const;

function heightsOf(text: string): readonly number[] | 'auto' {
  if (text.trim().toLowerCase() === 'auto') return 'auto';
  const heights = text
    .split(',')
    .map((part) => (/^ *\d+p? *$/.test(part) ? Number.parseInt(part, 10) : Number.NaN));
  if (heights.some((height) => !(height >= minHeight && height <= maxHeight && height % 2 === 0)))
    throw new VencError(
      'UsageError',
      `--ladder takes even heights from ${minHeight} to ${maxHeight}, not "${safeText(text)}".`,
      { hint: 'for example --ladder 1080,720,480, or --ladder auto' },
    );
  const distinct = [...new Set(heights)].toSorted((one, other) => other - one);
  if (distinct.length > maxRenditions)
    throw new VencError('UsageError', `--ladder takes at most ${maxRenditions} heights.`);
  return distinct;
}

/** The folder of `--hls` or `--dash`; null if neither has one. */
export function ladderFolder({ hls, dash }: LadderArgs): string | null {
  return typeof hls === 'string' ? hls : typeof dash === 'string' ? dash : null;
}

/** Whether a ladder is asked for. */
export function hasLadder({ hls, dash }: LadderArgs): boolean {
  return hls !== undefined || dash !== undefined;
}

/** What messages call the flags of a ladder: the preset that stands for them, if that was typed. */
export function ladderTerm({ ladderPreset }: LadderArgs): string {
  return ladderPreset === undefined ? '--hls or --dash' : `--preset ${ladderPreset}`;
}

/** What names the outputs instead of `--name`; null if nothing does. */
export function otherNames(options: LadderArgs & { readonly [attribute: string]: unknown }): string | null {
  if (hasLadder(options)) return ladderTerm(options);
  return options.filename === undefined ? null : '--filename';
}

/** Where the settings of a ladder come from. */
interface LadderSettings {
  /** The name of the preset; empty without one. */
  readonly name: string;
  /** The settings that were given as flags. */
  readonly typed: ReadonlySet<string>;
}

/**
 * The request with the outputs of the ladder that the flags ask for, or unchanged if they ask for none. Rejects
 * with `UsageError` if flags or settings contradict it.
 */
export async function withLadder(
  body: Record<string, unknown>,
  args: LadderArgs & { readonly output?: readonly string[] },
  hasRequest: boolean,
  preset: LadderSettings = { name: '', typed: new Set() },
): Promise<Record<string, unknown>> {
  const { hls, dash, ladder, ts } = args;
  if (!hasLadder(args)) {
    const unused = ladder !== undefined ? '--ladder' : ts === true ? '--ts' : null;
    if (unused === null) return body;
    throw new VencError('UsageError', `${unused} needs --hls or --dash.`);
  }
  const places = [hls, dash].filter((place) => typeof place === 'string');
  if (places.length > 1)
    throw new VencError('UsageError', 'Name the folder with --hls or --dash, not with both.');
  if (ts === true && dash !== undefined)
    throw new VencError('UsageError', '--ts makes transport streams, which DASH does not have.');
  if (hasRequest)
    throw new VencError(
      'UsageError',
      `The outputs come from ${ladderTerm(args)}, which takes a video and not a request.`,
    );
  if (args.output !== undefined)
    throw new VencError('UsageError', `The outputs come from ${ladderTerm(args)}: remove --output.`, {
      hint: 'flags of settings apply to all renditions',
    });
  const { output: _one, outputs, ...job } = body;
  const [settings = {}, ...others] = Array.isArray(outputs) ? outputs : [];
  if (others.length > 0 || !isObject(settings))
    throw new VencError(
      'UsageError',
      `--hls and --dash take a preset with one output, and --preset ${preset.name} has several.`,
    );
  const folder = ladderFolder(args);
  const { defaultHeights, ladderOutputs } = await import('../../shared/settings/ladder-outputs.js');
  const outputsOfLadder = ladderOutputs(settings, {
    kind: ts === true ? 'ts' : hls === undefined ? 'dash' : 'cmaf',
    heights: ladder === 'auto' ? { count: countOf(job.dynamic_profile_options) } : (ladder ?? defaultHeights),
    baseUrl: folder !== null && isUrl(folder) ? folder : null,
    flags: ladderTerm(args),
    termOf: (name) =>
      preset.name === '' || preset.typed.has(name)
        ? `--${name.replaceAll('_', '-')}`
        : `${name} of --preset ${preset.name}`,
  });
  return {
    ...job,
    ...(ladder === 'auto' ? { generate_dynamic_profile: true } : {}),
    outputs: outputsOfLadder,
  };
}

/** How many renditions the options of a ladder allow. */
function countOf(options: unknown): number {
  const given = isObject(options)
    ? Number(options.max_renditions ?? ladderDefaults.max_renditions)
    : Number.NaN;
  return given >= 1 && given <= maxRenditions ? Math.floor(given) : ladderDefaults.max_renditions;
}

/** Throws `UsageError` if the place of a ladder is not one that a service can write to, or one for several inputs. */
export function rejectLadderPlace(args: LadderArgs, inputCount: number): void {
  const place = ladderFolder(args);
  if (place === null) return;
  const flag = typeof args.hls === 'string' ? '--hls' : '--dash';
  if (!isUrl(place))
    throw new VencError(
      'UsageError',
      `${flag} takes a URL here, not "${safeText(place)}": the service writes the files.`,
      {
        hint: `put the input in front of ${flag}; for files on this machine: --wait --download out/, or venc run`,
      },
    );
  if (inputCount > 1)
    throw new VencError(
      'UsageError',
      `${flag} ${safeText(place)} is for one input: the files of several have the same names.`,
    );
}
