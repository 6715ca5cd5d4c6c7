import { safeText } from '../../shared/text/safe-text.js';
import { isUrl } from '../../shared/text/url-text.js';
import { shellLine } from './shell-words.js';

/** What `venc plan` found, as far as it is told to people. */
export interface PrintedPlan {
  readonly program: string;
  readonly outputs: readonly {
    readonly number: number;
    readonly label: string | null;
    readonly path: string | null;
    readonly fault: { readonly errorClass: string; readonly message: string } | null;
  }[];
  readonly steps: readonly {
    readonly outputs: readonly number[];
    readonly does: 'encode' | 'thumbnails';
    readonly args: readonly string[];
  }[];
}

/**
 * What goes in front of the arguments of a step: a run adds to these only how it follows the progress. Without `-nostdin` ffmpeg
 * would eat the lines below its own where a shell reads them from a pipe.
 */
const ownArgs = ['-hide_banner', '-nostdin'] as const;

/** All words of a step, the program first. The files are the user's own here, so that none is overwritten (-n in place of -y). */
export function stepCommand(program: string, args: readonly string[]): readonly string[] {
  return [program, ...ownArgs, ...(args[0] === '-y' ? ['-n', ...args.slice(1)] : args)];
}

/** How an output is named to people: by its number, and by its label where it has one. */
export function outputName({
  number,
  label,
}: {
  readonly number: number;
  readonly label: string | null;
}): string {
  return label === null ? `output ${number}` : `output ${number} (${safeText(label)})`;
}

/** What the lines of a plan need to know of the files that the outputs become. */
export interface PlanDestinations {
  /** Path or address of each output, in their order. */
  readonly destinations: readonly string[];
  /** Folders that the lines write to and that do not exist. */
  readonly missingFolders: readonly string[];
}

/** The steps as a shell reads them, one a line, each below a remark that says what it is for. */
export function planText(
  { program, outputs, steps }: PrintedPlan,
  { destinations, missingFolders }: PlanDestinations,
): string {
  const files = outputs.flatMap((output) => {
    const { number, path } = output;
    if (path === null) return [];
    const destination = destinations[number - 1] ?? '';
    return [
      `# ${outputName(output)}: ${safeText(isUrl(destination) ? `${path}, to be sent to ${destination}` : path)}`,
    ];
  });
  const folders =
    missingFolders.length === 0 ? [] : ['', shellLine(['mkdir', '-p', '--', ...missingFolders])];
  const lines = steps.flatMap(({ outputs: numbers, does, args }, index) => {
    const whose = `${numbers.length === 1 ? 'output' : 'outputs'} ${numbers.join(', ')}`;
    const what = does === 'encode' ? '' : ': thumbnails, if the file is as long as expected';
    return [
      '',
      `# step ${index + 1} of ${steps.length}, for ${whose}${what}`,
      shellLine(stepCommand(program, args)),
    ];
  });
  return steps.length === 0 ? '' : `${[...files, ...folders, ...lines].join('\n')}\n`;
}

/** Why outputs cannot be made of the input, a line for each; nothing if all can. */
export function formatPlanFailure({ outputs }: PrintedPlan, destinations: readonly string[]): string {
  return outputs
    .flatMap((output) => {
      const { number, fault } = output;
      if (fault === null) return [];
      const what = safeText(`${destinations[number - 1] ?? ''}: ${fault.errorClass}: ${fault.message}`);
      return [`venc: ${outputName(output)} cannot be made: ${what}\n`];
    })
    .join('');
}
