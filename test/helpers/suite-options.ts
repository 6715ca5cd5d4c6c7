import { randomInt } from 'node:crypto';

/** Options of the suites with random operations: `chaos/`, `hostile/` and `load/`. */
export interface SuiteOptions {
  /** Determines every random choice of a suite: the same seed repeats them. */
  readonly seed: number;
  /** Whether a suite runs in its long form, which takes minutes to hours. */
  readonly isLong: boolean;
}

const seedVariable = 'VENC_TEST_SEED';
const longVariable = 'VENC_TEST_LONG';
const maxSeed = 2 ** 31;

/** The arguments of `run-tests`. */
interface RunOptions extends SuiteOptions {
  readonly pattern: string;
  /** Whether one file runs after another, because the files measure what they use. */
  readonly isSerial: boolean;
}

/**
 * Parses the arguments of `run-tests`: `[PATTERN] [--long] [--seed NUMBER] [--serial]`. Without `--seed` and `VENC_TEST_SEED`, the seed is
 * random.
 */
export function parseSuiteArgs(
  args: readonly string[],
  env: Readonly<Record<string, string | undefined>> = process.env,
): RunOptions {
  const seed = parseSeed(env[seedVariable] ?? String(randomInt(maxSeed)));
  const parsed = { pattern: '', isLong: false, isSerial: false, seed };
  const rest = [...args];
  for (let arg = rest.shift(); arg !== undefined; arg = rest.shift()) {
    if (arg === '--long') parsed.isLong = true;
    else if (arg === '--serial') parsed.isSerial = true;
    else if (arg === '--seed') parsed.seed = parseSeed(rest.shift());
    else if (arg.startsWith('--'))
      throw new Error(`${arg} is not an option; use --long, --seed NUMBER or --serial.`);
    else parsed.pattern = arg;
  }
  return parsed;
}

/** The environment variables that pass the options on to the processes of a suite. */
export function suiteEnvironment({ seed, isLong }: SuiteOptions): Readonly<Record<string, string>> {
  return { [seedVariable]: String(seed), ...(isLong ? { [longVariable]: '1' } : {}) };
}

/** The options of this run. A test that was started without `run-tests` gets seed 1 and the short form. */
export function suiteOptions(env: NodeJS.ProcessEnv = process.env): SuiteOptions {
  return { seed: parseSeed(env[seedVariable] ?? '1'), isLong: env[longVariable] === '1' };
}

/**
 * Prints the closing line of a suite: its name, seed and form, what it counted, and its time, which is that since `beganAt` on the clock of
 * `performance.now()`, or since the start of the process.
 */
export function printClosingLine(name: string, parts: readonly string[], beganAt = 0): void {
  const { seed, isLong } = suiteOptions();
  const seconds = ((performance.now() - beganAt) / 1000).toFixed(1);
  const all = [`seed ${seed}`, isLong ? 'long form' : 'short form', ...parts, `${seconds} s`];
  console.log(`${name}: ${all.join('; ')}`);
}

function parseSeed(text: string | undefined): number {
  const seed = Number(text);
  if (text === undefined || text === '' || !Number.isInteger(seed) || seed < 0 || seed >= maxSeed)
    throw new Error(`--seed takes a whole number from 0 to ${maxSeed - 1}, not "${text ?? ''}".`);
  return seed;
}
