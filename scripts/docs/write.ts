import { writeFile } from 'node:fs/promises';
import { loadFullProgram } from '../../src/cli/command-tree.js';
import { completionFiles } from '../../src/cli/completion/protocol.js';
import { completionScripts } from '../../src/cli/completion/scripts.js';
import { createIo } from '../../src/cli/terminal/io.js';
import { manPages } from './man/pages.js';
import { settingsPage } from './settings-page.js';

// Run by `npm run docs` in the root of the repository.
const io = createIo(process, false, (code) => process.exit(code));
await writeFile('docs/settings.md', settingsPage());
for (const [shell, text] of Object.entries(completionScripts(await loadFullProgram(io)))) {
  await writeFile(`completions/${Object.entries(completionFiles).find(([one]) => one === shell)?.[1]}`, text);
}
for (const [name, text] of Object.entries(await manPages(io))) await writeFile(`man/${name}`, text);
