import { safeText } from '../../api/safe-text.js';
import { shellLine } from './shell-words.js';

/** What `venc plan` found, as far as it is told to people. */
export interface PrintedPlan {
  readonly program: string;
  readonly outputs: readonly {
    readonly number: number;
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

/** All words of a step, the program first. */
export function stepWords(program: string, args: readonly string[]): readonly string[] {
  return [program, ...ownArgs, ...args];
}

/**
 * The steps as a shell reads them, one a line, each below a remark that says what it is for. `places` are the files that the
 * outputs become, in their order.
 */
export function planText({ program, outputs, steps }: PrintedPlan, places: readonly string[]): string {
  const files = outputs.flatMap(({ number, path }) =>
    path === null ? [] : [`# output ${number}: ${path} becomes ${safeText(places[number - 1] ?? '')}`],
  );
  const lines = steps.flatMap(({ outputs: numbers, does, args }, index) => {
    const whose = `${numbers.length === 1 ? 'output' : 'outputs'} ${numbers.join(', ')}`;
    const what = does === 'encode' ? '' : ': thumbnails, if the file is as long as expected';
    return [
      '',
      `# step ${index + 1} of ${steps.length}, for ${whose}${what}`,
      shellLine(stepWords(program, args)),
    ];
  });
  return steps.length === 0 ? '' : `${[...files, ...lines].join('\n')}\n`;
}

/** Why outputs cannot be made of the input, a line for each; nothing where all can. */
export function planFailureText({ outputs }: PrintedPlan, places: readonly string[]): string {
  return outputs
    .flatMap(({ number, fault }) => {
      if (fault === null) return [];
      const what = safeText(`${places[number - 1] ?? ''}: ${fault.errorClass}: ${fault.message}`);
      return [`venc: output ${number} cannot be made: ${what}\n`];
    })
    .join('');
}
