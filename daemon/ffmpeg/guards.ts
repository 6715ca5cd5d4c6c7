import { safeInputOptions } from '../plan/safe-input.js';

/** Options come in pairs of a name and a value. */
const guards = safeInputOptions.flatMap((option, index) => {
  const value = safeInputOptions[index + 1];
  return index % 2 === 0 && value !== undefined ? [{ option, value }] : [];
});

/**
 * The arguments with every input guarded: where one of `safeInputOptions` is missing in front of an `-i` it is put there;
 * one that is there stays as it is. A plan is expected to have them; this room does not run without. An input whose format
 * is fixed by `-f` (a generated source) needs no list of formats.
 */
export function guardInputs(args: readonly string[]): readonly string[] {
  const guarded: string[] = [];
  let start = 0;
  for (const [index, arg] of args.entries()) {
    if (arg !== '-i') continue;
    const inputOptions = args.slice(start, index);
    const isFixed = inputOptions.includes('-f');
    const missing = guards.filter(
      ({ option }) => !inputOptions.includes(option) && !(isFixed && option === '-format_whitelist'),
    );
    guarded.push(...inputOptions, ...missing.flatMap(({ option, value }) => [option, value]), '-i');
    start = index + 1;
  }
  return [...guarded, ...args.slice(start)];
}
