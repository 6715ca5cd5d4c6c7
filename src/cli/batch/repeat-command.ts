import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Command } from 'commander';
import { redact } from '../../shared/redact.js';
import { nameOf, optionsAt } from '../input/args.js';
import { listText } from '../input/input-list.js';

/**
 * Flags that are not repeated: the inputs are named, and an idempotency key would return the failed job again.
 */
const leftOut: readonly string[] = ['from', 'match', 'exclude', 'idempotencyKey'];

/** The most names in a command; more are in a file. */
const maxNames = 10;

/**
 * The command line that repeats a command with other inputs, without passwords: its flags as typed, and the inputs or
 * a file with them. The file is in a new temporary folder.
 */
export async function repeatCommand(command: Command, inputs: readonly string[]): Promise<readonly string[]> {
  const flags = optionsAt(command).flatMap((option) => {
    const attribute = option.attributeName();
    const owner = command.options.includes(option) ? command : command.parent;
    if (leftOut.includes(attribute) || owner?.getOptionValueSource(attribute) !== 'cli') return [];
    const value: unknown = owner.getOptionValue(attribute);
    if (option.isBoolean() || option.negate) return value === !option.negate ? [nameOf(option)] : [];
    const values: readonly unknown[] = Array.isArray(value) ? value : [value];
    return values.flatMap((one) =>
      option.optional || String(one).startsWith('-')
        ? [`${nameOf(option)}=${one}`]
        : [nameOf(option), String(one)],
    );
  });
  const words = ['venc', command.name(), ...flags.map(redact)];
  if (inputs.length <= maxNames) {
    const needsEnd = inputs.some((name) => name.startsWith('-'));
    return [...words, ...(needsEnd ? ['--'] : []), ...inputs.map(redact)];
  }
  const file = join(await mkdtemp(join(tmpdir(), 'venc-failed-')), 'inputs.txt');
  await writeFile(file, listText(inputs.map(redact)), { mode: 0o600 });
  return [...words, '--from', file];
}
