import { writeFile } from 'node:fs/promises';
import { createIo } from '../../src/cli/terminal/io.js';
import { apiTypes } from './api-types.js';
import { manPages } from './man/pages.js';
import { settingsPage } from './settings-page.js';

// Run by `npm run docs` in the root of the repository.
const io = createIo(process, false, (code) => process.exit(code));
await writeFile('docs/settings.md', settingsPage());
await writeFile('src/api-types/api-types.ts', apiTypes());
for (const [name, text] of Object.entries(await manPages(io))) await writeFile(`man/${name}`, text);
