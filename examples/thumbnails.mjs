// Images for a list of films, and a page that shows them:
//   node thumbnails.mjs films/ images/
import { readdir, writeFile } from 'node:fs/promises';
import { join, parse, relative } from 'node:path';
import { probe, thumbnails } from 'venc';

const [films, images] = process.argv.slice(2);
const rows = [];
for (const name of (await readdir(films)).sort()) {
  const path = join(films, name);
  try {
    const { duration_in_ms: ms, width, height } = await probe(path);
    const output = join(images, parse(name).name);
    const { files } = await thumbnails(path, {
      number: 4,
      width: 240,
      format: 'jpg',
      output,
      overwrite: true,
    });
    const sources = files.map((file) =>
      relative(images, file.path).split('/').map(encodeURIComponent).join('/'),
    );
    rows.push(`<h2>${escaped(name)}</h2><p>${width}x${height}, ${(ms / 1000).toFixed(1)} s</p>`);
    rows.push(...sources.map((source) => `<img src="${source}" alt="">`));
  } catch (error) {
    // Other files than films are named, and the rest goes on.
    console.error(`${name}: ${error.message}`);
  }
}
await writeFile(join(images, 'index.html'), `<!doctype html><meta charset="utf-8">${rows.join('\n')}\n`);

function escaped(text) {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
}
