import { delimiter, resolve, sep } from 'node:path';
import type { Command } from 'commander';
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
import { findTarget, localTarget } from '../../config/targets.js';
import { serviceUrl } from '../../shared/client/service-url.js';
import { VencError } from '../../shared/errors.js';
import { withoutPassword } from '../../shared/redact.js';
import { findSuggestions } from '../../shared/text/suggestions.js';
import type { Context } from '../context.js';
import { formatExamples } from '../input/args.js';
import { addListCommand } from '../terminal/print-records.js';
import { warnQuarantined } from '../terminal/report-error.js';

interface SetOptions {
  readonly unset?: boolean;
}

/** `venc config`: manages the defaults of flags, by their names. */
export function define(command: Command, context: Context): void {
  command.addHelpText('after', `${keysText()}${details}`);
  command
    .command('get')
    .description('Print the value of a key; nothing if it is not configured.')
    .argument('<key>', configKeys.join(', '))
    .addHelpText('after', formatExamples('venc config get ffmpeg'))
    .action(context.handler(get));
  command
    .command('set')
    .description('Configure a key.')
    .argument('<key>', configKeys.join(', '))
    .argument('[value]', 'as for the flag of this name')
    .option('--unset', 'remove its value')
    .addHelpText(
      'after',
      formatExamples('venc config set ffmpeg /opt/ffmpeg/bin/ffmpeg', 'venc config set progress --unset'),
    )
    .action(context.handler(set));
  addListCommand(command, context, {
    name: 'settings',
    description: 'List all keys with their values and the source of each value.',
    details: formatExamples('venc config list', 'venc config list --json'),
    known: { key: 'data', value: '', from: '', default: '' },
    columns: () => [
      { title: 'KEY', priority: 3, text: ({ key }) => key },
      {
        title: 'VALUE',
        priority: 2,
        minWidth: 24,
        text: ({ value, default: fallback }) => value ?? fallback,
      },
      { title: 'FROM', priority: 1, minWidth: 24, text: ({ from }) => from },
    ],
    read: list,
  });
  command
    .command('path')
    .description('Print the path of the configuration file, whether it exists or not.')
    .addHelpText('after', formatExamples('cat "$(venc config path)"'))
    .action(context.handler(path));
}

function keysText(): string {
  const isDaemonKey = (key: ConfigKey) => key in daemonFlags;
  const general = configKeys.filter((key) => !isDaemonKey(key)).map(keyLine);
  const daemons = configKeys.filter(isDaemonKey).map(keyLine);
  return `\nKeys:\n${general.join('\n')}\n\nKeys for venc daemon:\n${daemons.join('\n')}\n`;
}

function keyLine(key: ConfigKey): string {
  const { help, choices } = configTable[key];
  const showsChoices = choices === null || choices.every((choice) => help.includes(choice));
  return `  ${key.padEnd(23)}${help}${showsChoices ? '' : `: ${choices.join(', ')}`}`;
}

const details = `
A flag overrides its variable (VENC_DATA, VENC_FFMPEG ...), which overrides the
configuration. API keys are saved by venc target, not here.

Separate several folders in files-root with a colon. To disable
allow-private-network for one run, use --no-allow-private-network.

Examples:
  venc config set data /srv/venc
  venc config set files-root /srv/films:/srv/audio
  venc config list`;

async function get(arg: string, _: object, { io, config }: Context) {
  const value = (await config())[keyOf(arg)];
  if (value !== undefined) await io.writeStdout(`${withoutPassword(value)}\n`);
}

async function set(arg: string, value: string | undefined, { unset }: SetOptions, { io }: Context) {
  const key = keyOf(arg);
  if ((value === undefined) === (unset !== true)) {
    throw new VencError('UsageError', 'config set takes either a value or --unset.', {
      hint: `for example: venc config set ${key} ${configTable[key].choices?.[0] ?? 'VALUE'}`,
    });
  }
  if (value !== undefined) await check(key, value, io.env);
  // The local daemon is the default target.
  const stored =
    value === undefined || (key === 'target' && value === localTarget) ? null : toAbsoluteValue(key, value);
  warnQuarantined(io, await changeConfig(io.env, key, stored));
}

/** Makes paths absolute, so that they work from every folder. A program without a folder is searched for on PATH. */
function toAbsoluteValue(key: ConfigKey, value: string): string {
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

async function list(_: unknown, { io, config }: Context) {
  const configured = await config();
  return configKeys.map((key) => {
    const { variable } = configTable[key];
    const configuredValue = variable === null ? '' : (io.env[variable] ?? '');
    const value = configuredValue === '' ? configured[key] : configuredValue;
    const from = variable === null || configuredValue === '' ? configPath(io.env) : variable;
    const fallback = defaultOf(key, io.env);
    if (value === undefined) return { key, value: null, from: 'default', default: fallback };
    return { key, value: withoutPassword(value), from, default: fallback };
  });
}

async function path(_: object, { io }: Context) {
  await io.writeStdout(`${configPath(io.env)}\n`);
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
