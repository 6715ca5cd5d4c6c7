import { readdirSync, readFileSync } from 'node:fs';

/** A block of shell commands on a page of the documentation. */
export interface DocBlock {
  readonly page: string;
  readonly text: string;
}

/** The pages written by hand: README, CONTRIBUTING and those of docs/ except the generated one. */
export const docPages: readonly string[] = [
  'README.md',
  'CONTRIBUTING.md',
  ...readdirSync('docs')
    .filter((name) => name.endsWith('.md') && name !== 'settings.md')
    .map((name) => `docs/${name}`),
];

/** The command blocks of all pages: those that are fenced as `sh`, and those that README and CONTRIBUTING indent by four spaces. */
export function docBlocks(): readonly DocBlock[] {
  return docPages.flatMap((page) => {
    const text = readFileSync(page, 'utf8');
    const pattern = page.includes('/')
      ? /^( *)```sh\n([\s\S]*?)^ *```$/gm
      : /^(?<=^\n|\n)()((?: {4}\S.*\n)+)/gm;
    return [...text.matchAll(pattern)].map(([, , block = '']) => ({
      page,
      text: block.replaceAll(/^ {3,4}(?=\S)/gm, (indent) =>
        page.includes('/') && indent.length === 4 ? indent : '',
      ),
    }));
  });
}

/** A line of a block without its comment. */
export function commandOf(line: string): string {
  return line.replace(/(?:^|\s+)# .*$/, '').trim();
}

/** What the crontab of the recipes sets as `PATH`, and its command. */
export function crontabLine(): { readonly path: string; readonly command: string } {
  const text = readFileSync('docs/recipes.md', 'utf8');
  const [, path = ''] = /^PATH=(.+)$/m.exec(text) ?? [];
  const [, command = ''] = /^\*\/\d+ \* \* \* \* +(.+)$/m.exec(text) ?? [];
  return { path, command };
}
