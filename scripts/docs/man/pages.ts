import { commandTree, loadFullProgram } from '../../../src/cli/command-tree.js';
import type { Io } from '../../../src/cli/terminal/io.js';
import { productVersion } from '../../../src/shared/version.js';
import { daemonBlocks } from './daemon-page.js';
import { roffPage } from './roff.js';
import { vencBlocks } from './venc-page.js';

/** Day of the version in the head of the pages: that of its release, once there is one. */
const day = '2026-11-21';

/** The manual pages by the names of their files, made of all commands and the topics of the help. */
export async function manPages(io: Io): Promise<Readonly<Record<string, string>>> {
  const program = commandTree(await loadFullProgram(io));
  const source = `venc ${productVersion}`;
  return {
    'venc.1': roffPage({ name: 'VENC', section: 1, day, source }, await vencBlocks(program)),
    'venc-daemon.8': roffPage({ name: 'VENC-DAEMON', section: 8, day, source }, daemonBlocks(program)),
  };
}
