import { sizesOf } from './code-size.js';
import type { SourceFile } from './source-file.js';

/** The largest number of lines and files of each module, by its folder. */
export type Budget = Readonly<Record<string, { readonly lines: number; readonly files: number }>>;

/** Reports every module of the program that exceeds its budget or has none. */
export function checkBudget(
  files: readonly SourceFile[],
  budget: Budget,
  moduleOf: (path: string) => string | null,
): readonly string[] {
  const program = files.filter(({ path }) => /^(src|daemon)\//.test(path));
  return [...sizesOf(program, moduleOf)].flatMap(([module, size]) => {
    const limit = budget[module];
    if (limit === undefined) return [`${module}: has no budget.`];
    return (['lines', 'files'] as const).flatMap((what) =>
      size[what] > limit[what]
        ? [`${module}: has ${size[what]} ${what}, more than its budget of ${limit[what]}.`]
        : [],
    );
  });
}
