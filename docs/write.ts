import { writeFile } from 'node:fs/promises';
import { settingsPage } from './settings-page.js';

// Run by `npm run docs`, from the root of the repository.
await writeFile('docs/settings.md', settingsPage());
