import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';

/** A file that documents load. */
interface Asset {
  readonly bytes: Buffer;
  readonly type: string;
}

/** The files that documents load, by their names. That of a script or a style contains a hash of its content. */
export interface Assets {
  readonly script: string;
  readonly style: string;
  /** The code that plays HLS, which the script loads when it is needed. */
  readonly player: string;
  find(name: string): Asset | undefined;
}

const scriptType = 'text/javascript; charset=utf-8';
const icon = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16"><rect width="16" height="16" rx="3" fill="#1d5fbf"/><path d="M6 4.5v7l6-3.5z" fill="#fff"/></svg>`;

/** Reads the files that the build has put next to this one. */
export async function loadAssets(): Promise<Assets> {
  const found = new Map<string, Asset>([['icon.svg', { bytes: Buffer.from(icon), type: 'image/svg+xml' }]]);
  const add = async (file: string, type: string): Promise<string> => {
    const bytes = await readFile(new URL(file, import.meta.url));
    const hash = createHash('sha256').update(bytes).digest('hex').slice(0, 10);
    const name = file.replace('.', `-${hash}.`);
    found.set(name, { bytes, type });
    return `assets/${name}`;
  };
  const script = await add('page.js', scriptType);
  // The names of its parts have hashes already.
  for (const name of await readdir(new URL('.', import.meta.url)))
    if (/^page-\w+\.js$/.test(name))
      found.set(name, { bytes: await readFile(new URL(name, import.meta.url)), type: scriptType });
  const style = await add('page.css', 'text/css; charset=utf-8');
  const player = await add('hls.js', scriptType);
  return { script, style, player, find: (name) => found.get(name) };
}
