import { safeText } from '../../shared/text/safe-text.js';
import { shellLine } from '../../shared/text/shell-words.js';
import { isUrl } from '../../shared/text/url-text.js';

/** The plan of `venc plan` that the text shows. */
export interface PrintedPlan {
  readonly program: string;
  readonly outputs: readonly {
    readonly number: number;
    readonly label: string | null;
    readonly path: string | null;
    readonly source: number | null;
    readonly copyOf: string | null;
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
export function stepCommand(
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
    return [`# ${outputName(output)}: ${safeText(`${where}${originText(output)}`)}`];
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
