import { commandTree, loadProgram } from '../../../src/cli/command-tree.js';
import type { Io } from '../../../src/cli/terminal/io.js';
import { productVersion } from '../../../src/shared/version.js';
import { daemonBlocks } from './daemon-page.js';
import { roffPage } from './roff.js';
import { settingsBlocks } from './settings-page.js';
import { vencBlocks } from './venc-page.js';

/** Date in the header of the pages: that of the release, once there is one. */
const day = '2026-11-21';

/** Generates the manual pages, by file name, from all commands and the topics of the help. */
export async function manPages(io: Io): Promise<Readonly<Record<string, string>>> {
  const program = commandTree(await loadProgram(io));
  const source = `venc ${productVersion}`;
  return {
    'venc.1': roffPage({ name: 'VENC', section: 1, day, source }, await vencBlocks(program)),
    'venc-settings.5': roffPage({ name: 'VENC-SETTINGS', section: 5, day, source }, settingsBlocks(program)),
    'venc-daemon.8': roffPage({ name: 'VENC-DAEMON', section: 8, day, source }, daemonBlocks(program)),
  };
}
