import type { Command } from 'commander';
import { addressHint, isKey, serviceUrl } from '../../client/target.js';
import { changeConfig } from '../../config/change-file.js';
import {
  localTarget,
  type NamedTarget,
  readTargets,
  removeTarget,
  saveTarget,
} from '../../config/targets.js';
import { VencError } from '../../shared/errors.js';
import { exitCodes } from '../../shared/exit-codes.js';
import { withoutPassword } from '../../shared/redact.js';
import { safeText } from '../../shared/text/safe-text.js';
import type { Context } from '../context.js';
import { formatExamples } from '../help/help-text.js';
import { unknownTarget } from '../input/find-target.js';
import { readSecret } from '../input/read-secret.js';
import type { TargetRecord } from '../output/setup-tables.js';
import { addOutputFormatOptions, type OutputFormatOptions, printRecords } from '../terminal/print-records.js';
import { warnQuarantined } from '../terminal/report-error.js';

/** `venc target`: services that have a name, with their keys, for `--target NAME` and `VENC_TARGET`. */
export function define(command: Command, context: Context): void {
  command.addHelpText('after', details);
  command
    .command('add')
    .description('Give a service a name. Its key is read from stdin, or asked for.')
    .argument('<name>', '1 to 64 letters, digits or . _ -')
    .argument('<url>', 'base address of the service, such as https://encoding.example.com/api')
    .option('--force', 'replace the target that has this name')
    .addHelpText('after', addDetails)
    .action(
      context.handler((name: string, url: string, options: AddOptions) => add(name, url, options, context)),
    );
  addOutputFormatOptions(command.command('list').description('List the targets; never their keys.'), 'many')
    .addHelpText('after', formatExamples('venc target list', 'venc target list --json --fields name,url'))
    .action(context.handler((options: OutputFormatOptions) => list(options, context)));
  command
    .command('use')
    .description('Talk to this service from now on, unless something else is said.')
    .argument('<name>', `name of the target; ${localTarget} is the daemon of this machine`)
    .addHelpText('after', formatExamples('venc target use studio', `venc target use ${localTarget}`))
    .action(context.handler((name: string) => use(name, context)));
  command
    .command('remove')
    .description('Forget a target and its key.')
    .argument('<name>', 'name of the target')
    .addHelpText('after', formatExamples('venc target remove studio'))
    .action(context.handler((name: string) => remove(name, context)));
}

interface AddOptions {
  readonly force?: boolean;
}

const details = `
Which service a command talks to: --target NAME, else VENC_TARGET, else VENC_URL
with VENC_API_KEY, else the target in use, else the daemon of this machine, which
is always called ${localTarget}. Keys lie in a file that its owner alone may read.

Examples:
  venc target add studio https://encoding.example.com/api
  venc list --target studio
  venc target use studio`;

const addDetails = `
There is no flag for the key: other users of the machine could see it.

Examples:
  venc target add studio https://encoding.example.com/api
  venc target add studio https://encoding.example.com/api < key.txt
  pass show studio | venc target add studio https://encoding.example.com`;

/** Names that conf passes over without a word, since objects of JavaScript have something of their own under them. */
const reservedTargetNames: ReadonlySet<string> = new Set(['__proto__', 'constructor', 'prototype']);

async function add(name: string, arg: string, options: AddOptions, { io }: Context) {
  if (!/^[A-Za-z0-9_][A-Za-z0-9._-]{0,63}$/.test(name)) {
    throw new VencError(
      'UsageError',
      'The name of a target has 1 to 64 characters: letters, digits, . _ and -; the first is not . or -',
    );
  }
  if (reservedTargetNames.has(name)) {
    throw new VencError('UsageError', `${name} cannot be the name of a target.`, {
      hint: 'choose another name',
    });
  }
  if (name === localTarget) {
    throw new VencError('UsageError', `${localTarget} is always the daemon of this machine.`, {
      hint: 'choose another name',
    });
  }
  const url = serviceUrl(arg);
  if (url === null) {
    throw new VencError('UsageError', `"${withoutPassword(arg)}" is not the address of a service.`, {
      hint: addressHint,
    });
  }
  const exists = options.force !== true && (await readTargets(io.env)).some((target) => target.name === name);
  if (exists) {
    throw new VencError('UsageError', `There is a target ${name} already.`, {
      hint: 'replace it with --force, or choose another name',
    });
  }
  const apiKey = await readSecret(io, `Key of ${name}: `);
  if (!isKey(apiKey)) {
    const problem =
      apiKey === ''
        ? 'There was no key to read.'
        : 'This is no key: it has blanks or letters outside of ASCII.';
    throw new VencError('UsageError', problem, {
      hint: `nothing was kept; give the key in a line on stdin: venc target add ${name} ${withoutPassword(url)} < key.txt`,
    });
  }
  warnQuarantined(io, await saveTarget(io.env, { name, url, apiKey }));
  io.writeStderr(`venc: target ${name} kept; to talk to it always: venc target use ${name}\n`);
  return exitCodes.done;
}

async function list(options: OutputFormatOptions, { io, config }: Context) {
  const { target = localTarget } = await config();
  const records = (await readTargets(io.env)).map(
    ({ name, url }): TargetRecord => ({ name, url: withoutPassword(url), in_use: name === target }),
  );
  await printRecords(io, options, {
    items: records,
    known: noTarget,
    emptyText: 'no targets',
    text: async (style) => {
      const { targetsTable } = await import('../output/setup-tables.js');
      return targetsTable(records, style);
    },
  });
  return exitCodes.done;
}

/** What `--fields` can name where there is no target. */
const noTarget: TargetRecord = { name: '', url: '', in_use: false };

async function use(name: string, { io }: Context) {
  if (name !== localTarget) await known(name, io.env);
  warnQuarantined(io, await changeConfig(io.env, 'target', name === localTarget ? null : name));
  const what = name === localTarget ? 'the daemon of this machine' : `the target ${name}`;
  io.writeStderr(`venc: commands talk to ${what} from now on\n`);
  const override = ['VENC_TARGET', 'VENC_URL'].find((variable) => (io.env[variable] ?? '') !== '');
  if (override !== undefined) io.writeStderr(`venc: hint: ${override} is set, and wins over it\n`);
  return exitCodes.done;
}

async function remove(name: string, { io, config }: Context) {
  await known(name, io.env);
  await removeTarget(io.env, name);
  io.writeStderr(`venc: target ${safeText(name)} and its key are forgotten\n`);
  if ((await config()).target !== name) return exitCodes.done;
  warnQuarantined(io, await changeConfig(io.env, 'target', null));
  io.writeStderr('venc: it was in use: commands talk to the daemon of this machine from now on\n');
  return exitCodes.done;
}

async function known(name: string, env: Context['io']['env']): Promise<NamedTarget> {
  const targets = await readTargets(env);
  const found = targets.find((target) => target.name === name);
  if (found === undefined) throw unknownTarget(name, targets);
  return found;
}
