import type { Command } from 'commander';
import { addressHint } from '../../client/target.js';
import { changeConfig } from '../../config/change-file.js';
import {
  localTarget,
  type NamedTarget,
  readTargets,
  removeTarget,
  saveTarget,
  unknownTarget,
} from '../../config/targets.js';
import { isKey, serviceUrl } from '../../shared/client/service-url.js';
import { VencError } from '../../shared/errors.js';
import { withoutPassword } from '../../shared/redact.js';
import { safeText } from '../../shared/text/safe-text.js';
import type { Context } from '../context.js';
import { formatExamples } from '../input/args.js';
import { readSecret } from '../input/read-secret.js';
import { addListCommand } from '../terminal/print-records.js';
import { warnQuarantined } from '../terminal/report-error.js';

/** `venc target`: manages named services and their keys, for `--target NAME` and `VENC_TARGET`. */
export function define(command: Command, context: Context): void {
  command.addHelpText('after', details);
  command
    .command('add')
    .description('Save a service under a name. Its key is read from stdin or prompted for.')
    .argument('<name>', '1 to 64 letters, digits or . _ -')
    .argument('<url>', 'base address of the service, such as https://encoding.example.com/api')
    .option('--force', 'replace the target that has this name')
    .addHelpText('after', addDetails)
    .action(context.handler(add));
  addListCommand(command, context, {
    name: 'targets',
    description: 'List the targets without their keys.',
    details: formatExamples('venc target list', 'venc target list --json --fields name,url'),
    known: { name: '', url: '', in_use: false },
    columns: () => [
      { title: 'NAME', priority: 3, minWidth: 8, text: ({ name }) => name },
      { title: 'IN USE', priority: 1, text: ({ in_use: isUsed }) => (isUsed ? 'yes' : '') },
      { title: 'URL', priority: 2, minWidth: 24, text: ({ url }) => url },
    ],
    read: list,
  });
  command
    .command('use')
    .description('Use this service by default.')
    .argument('<name>', `name of the target; ${localTarget} is the local daemon`)
    .addHelpText('after', formatExamples('venc target use studio', `venc target use ${localTarget}`))
    .action(context.handler(use));
  command
    .command('remove')
    .description('Remove a target and its key.')
    .argument('<name>', 'name of the target')
    .addHelpText('after', formatExamples('venc target remove studio'))
    .action(context.handler(remove));
}

interface AddOptions {
  readonly force?: boolean;
}

const details = `
Commands use the service of --target NAME, else VENC_TARGET, else VENC_URL with
VENC_API_KEY, else the target in use, else the local daemon, which is always
called ${localTarget}. Keys are saved in a file that is readable only by you.

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

/** Names that conf silently ignores, because they are properties of JavaScript objects. */
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
    throw new VencError('UsageError', `${localTarget} is always the local daemon.`, {
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
    throw new VencError('UsageError', `There is already a target ${name}.`, {
      hint: 'replace it with --force, or choose another name',
    });
  }
  const apiKey = await readSecret(io, `Key of ${name}: `);
  if (!isKey(apiKey)) {
    const problem =
      apiKey === ''
        ? 'No key was given.'
        : 'This is not a key: it contains spaces or characters other than ASCII.';
    throw new VencError('UsageError', problem, {
      hint: `nothing was saved; pass the key as a line on stdin: venc target add ${name} ${withoutPassword(url)} < key.txt`,
    });
  }
  warnQuarantined(io, await saveTarget(io.env, { name, url, apiKey }));
  io.writeInfo(`venc: target ${name} saved; to use it by default: venc target use ${name}\n`);
}

async function list(_: unknown, { io, config }: Context) {
  const { target = localTarget } = await config();
  return (await readTargets(io.env)).map(({ name, url }) => ({
    name,
    url: withoutPassword(url),
    in_use: name === target,
  }));
}

async function use(name: string, _: object, { io }: Context) {
  if (name !== localTarget) await known(name, io.env);
  warnQuarantined(io, await changeConfig(io.env, 'target', name === localTarget ? null : name));
  const what = name === localTarget ? 'the local daemon' : `the target ${name}`;
  io.writeInfo(`venc: commands now use ${what} by default\n`);
  const override = ['VENC_TARGET', 'VENC_URL'].find((variable) => (io.env[variable] ?? '') !== '');
  if (override !== undefined) io.writeStderr(`venc: warning: ${override} is set and overrides it\n`);
}

async function remove(name: string, _: object, { io, config }: Context) {
  await known(name, io.env);
  await removeTarget(io.env, name);
  io.writeInfo(`venc: target ${safeText(name)} and its key were removed\n`);
  if ((await config()).target !== name) return;
  warnQuarantined(io, await changeConfig(io.env, 'target', null));
  io.writeInfo('venc: it was in use: commands now use the local daemon\n');
}

async function known(name: string, env: Context['io']['env']): Promise<NamedTarget> {
  const targets = await readTargets(env);
  const found = targets.find((target) => target.name === name);
  if (found === undefined) throw unknownTarget(name, targets);
  return found;
}
