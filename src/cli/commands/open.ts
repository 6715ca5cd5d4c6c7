import { spawn } from 'node:child_process';
import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Command } from 'commander';
import { createPageLink } from '../../client/queue.js';
import { safeText } from '../../shared/text/safe-text.js';
import type { Context } from '../context.js';
import { formatExamples } from '../input/args.js';

/** `venc open`: a link that signs in at the page of the daemon. */
export function define(command: Command, context: Context): void {
  command
    .option('--no-browser', 'only print the link')
    .addHelpText('after', `${details}${formatExamples('venc open', 'venc open --no-browser')}`)
    .action(context.handler(run));
}

const details = `
The link signs in with the key of this command, once, within 60 seconds. On a terminal of a desktop a browser opens it.
The link has the address of the target: for a daemon on another machine, use HTTPS or a tunnel such as ssh -L.
`;

async function run({ browser }: { readonly browser: boolean }, context: Context): Promise<void> {
  const { io } = context;
  const link = await createPageLink(await context.client());
  await io.writeStdout(`${safeText(link)}\n`);
  io.writeInfo('venc: the link signs in once, within 60 seconds\n');
  const opener = browser && io.isTerminal.stdout ? openerOf(process.platform, io.env) : null;
  if (opener !== null) await openInBrowser(link, opener);
}

/** The program that opens a file on the desktop; null without a desktop. */
function openerOf(platform: NodeJS.Platform, env: Context['io']['env']): string | null {
  if (platform === 'darwin') return 'open';
  if (platform === 'win32') return 'explorer';
  return (env.DISPLAY ?? '') === '' && (env.WAYLAND_DISPLAY ?? '') === '' ? null : 'xdg-open';
}

/** Opens a link by way of a file that only this user can read: a process list would show the link to everybody. */
async function openInBrowser(link: string, opener: string): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'venc-open-'));
  const file = join(folder, 'open.html');
  const address = link.replace(/[&"<>]/g, (character) => `&#${character.charCodeAt(0)};`);
  const page = `<!DOCTYPE html><meta charset="utf-8"><meta http-equiv="refresh" content="0; url=${address}">`;
  await writeFile(file, page, { mode: 0o600 });
  const quiet = { detached: true, stdio: 'ignore' } as const;
  // Without the program, the link was printed.
  spawn(opener, [file], quiet)
    .on('error', () => {})
    .unref();
  // A browser that starts slowly reads the file later than this command ends.
  if (process.platform !== 'win32')
    spawn('sh', ['-c', 'sleep 60; rm -rf -- "$1"', 'sh', folder], quiet)
      .on('error', () => {})
      .unref();
}
