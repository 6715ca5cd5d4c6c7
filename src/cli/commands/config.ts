import { delimiter, resolve, sep } from 'node:path';
import type { Command } from 'commander';
import { serviceUrl } from '../../client/target.js';
import { changeConfig } from '../../config/change-file.js';
import {
  type ConfigKey,
  configKeys,
  configPath,
  configTable,
  defaultOf,
  findConfigViolation,
} from '../../config/config.js';
import { daemonFlags } from '../../config/daemon-flags.js';
import { localTarget } from '../../config/targets.js';
import { VencError } from '../../shared/errors.js';
import { exitCodes } from '../../shared/exit-codes.js';
import { withoutPassword } from '../../shared/redact.js';
import { findSuggestions } from '../../shared/text/suggestions.js';
import type { Context } from '../context.js';
import { formatExamples } from '../help/help-text.js';
import { findTarget } from '../input/find-target.js';
import type { ConfigRecord } from '../output/setup-tables.js';
import { addOutputFormatOptions, type OutputFormatOptions, printRecords } from '../terminal/print-records.js';
import { warnQuarantined } from '../terminal/report-error.js';

interface SetOptions {
  readonly unset?: boolean;
}

/** `venc config`: defaults of flags, by their names. */
export function define(command: Command, context: Context): void {
  command.addHelpText('after', `${keysText()}${details}`);
  command
    .command('get')
    .description('Print what a key is configured as; nothing where it is not.')
    .argument('<key>', configKeys.join(', '))
    .addHelpText('after', formatExamples('venc config get ffmpeg'))
    .action(context.handler((arg: string) => get(arg, context)));
  command
    .command('set')
    .description('Configure a key.')
    .argument('<key>', configKeys.join(', '))
    .argument('[value]', 'what the flag of this name would be given')
    .option('--unset', 'take its value away')
    .addHelpText(
      'after',
      formatExamples('venc config set ffmpeg /opt/ffmpeg/bin/ffmpeg', 'venc config set progress --unset'),
    )
    .action(
      context.handler((arg: string, value: string | undefined, options: SetOptions) =>
        set(arg, value, options, context),
      ),
    );
  addOutputFormatOptions(
    command.command('list').description('List all keys with their values, and where each value comes from.'),
    'many',
  )
    .addHelpText('after', formatExamples('venc config list', 'venc config list --json'))
    .action(context.handler((options: OutputFormatOptions) => list(options, context)));
  command
    .command('path')
    .description('Print the path of the configuration file, be it there or not.')
    .addHelpText('after', formatExamples('cat "$(venc config path)"'))
    .action(context.handler(() => path(context)));
}

function keysText(): string {
  const isDaemons = (key: ConfigKey) => key in daemonFlags;
  const general = configKeys.filter((key) => !isDaemons(key)).map(keyLine);
  const daemons = configKeys.filter(isDaemons).map(keyLine);
  return `\nKeys:\n${general.join('\n')}\n\nKeys for venc daemon:\n${daemons.join('\n')}\n`;
}

function keyLine(key: ConfigKey): string {
  const { help, choices } = configTable[key];
  const isTold = choices === null || choices.every((choice) => help.includes(choice));
  return `  ${key.padEnd(23)}${help}${isTold ? '' : `: ${choices.join(', ')}`}`;
}

const details = `
A flag wins over its variable (VENC_DATA, VENC_FFMPEG ...), and that over what is
configured. Keys of services are kept by venc target, not here.

Several folders stand in files-root with : between them. For one start,
--no-allow-private-network undoes allow-private-network.

Examples:
  venc config set data /srv/venc
  venc config set files-root /srv/films:/srv/sounds
  venc config list`;

async function get(arg: string, { io, config }: Context) {
  const value = (await config())[keyOf(arg)];
  if (value !== undefined) await io.writeStdout(`${withoutPassword(value)}\n`);
  return exitCodes.done;
}

async function set(arg: string, value: string | undefined, { unset }: SetOptions, { io }: Context) {
  const key = keyOf(arg);
  if ((value === undefined) === (unset !== true)) {
    throw new VencError('UsageError', 'config set takes either a value or --unset.', {
      hint: `for example: venc config set ${key} ${configTable[key].choices?.[0] ?? 'VALUE'}`,
    });
  }
  if (value !== undefined) await check(key, value, io.env);
  // The daemon of this machine is what there is where no target is configured.
  const kept =
    value === undefined || (key === 'target' && value === localTarget) ? null : wherever(key, value);
  warnQuarantined(io, await changeConfig(io.env, key, kept));
  return exitCodes.done;
}

/** Paths are kept so that they lead to the same place from everywhere. A program without a folder is looked for on PATH. */
function wherever(key: ConfigKey, value: string): string {
  if (key === 'data' || ((key === 'ffmpeg' || key === 'ffprobe') && value.includes(sep)))
    return resolve(value);
  if (key !== 'files-root') return value;
  return value
    .split(delimiter)
    .map((folder) => resolve(folder))
    .join(delimiter);
}

async function check(key: ConfigKey, value: string, env: Context['io']['env']): Promise<void> {
  const rule = findConfigViolation(key, value);
  if (rule !== null) {
    const suggestions = findSuggestions(value, configTable[key].choices ?? []);
    const hint = suggestions.length === 0 ? {} : { hint: `did you mean ${suggestions.join(', ')}?` };
    throw new VencError('UsageError', `${key} ${rule}.`, hint);
  }
  if (key === 'target') await findTarget(env, value);
  if (key === 'url' && serviceUrl(value) === null) {
    throw new VencError('UsageError', 'url must begin with http:// or https://.');
  }
}

async function list(options: OutputFormatOptions, { io, config }: Context) {
  const configured = await config();
  const records = configKeys.map((key): ConfigRecord => {
    const { variable } = configTable[key];
    const configuredValue = variable === null ? '' : (io.env[variable] ?? '');
    const value = configuredValue === '' ? configured[key] : configuredValue;
    const from = variable === null || configuredValue === '' ? configPath(io.env) : variable;
    const fallback = defaultOf(key, io.env);
    if (value === undefined) return { key, value: null, from: 'default', default: fallback };
    return { key, value: withoutPassword(value), from, default: fallback };
  });
  await printRecords(io, options, {
    items: records,
    known: { key: '', value: '', from: '', default: '' },
    emptyText: 'there are no keys',
    text: async (style) => {
      const { configTableText } = await import('../output/setup-tables.js');
      return configTableText(records, style);
    },
  });
  return exitCodes.done;
}

async function path({ io }: Context) {
  await io.writeStdout(`${configPath(io.env)}\n`);
  return exitCodes.done;
}

function keyOf(arg: string): ConfigKey {
  const plain = arg.replace(/^--/, '');
  const key = configKeys.find((name) => name === plain);
  if (key !== undefined) return key;
  const suggestions = findSuggestions(plain, configKeys);
  throw new VencError('UsageError', `There is no key ${JSON.stringify(arg)} to configure.`, {
    hint:
      suggestions.length > 0
        ? `did you mean ${suggestions.join(', ')}?`
        : `the keys are ${configKeys.join(', ')}`,
  });
}
