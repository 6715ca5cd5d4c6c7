const flagsWithValue: readonly string[] = ['--data', '--target'];

/** The name of the command: the first argument that is neither an option nor the value of one. */
export function findRequestedCommand(args: readonly string[]): string | undefined {
  return args[findRequestedIndex(args)];
}

/** The index of that argument; -1 without one. */
export function findRequestedIndex(args: readonly string[]): number {
  return args.findIndex(
    (arg, index) => !arg.startsWith('-') && !flagsWithValue.includes(args[index - 1] ?? ''),
  );
}
