import { open, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { serve } from '@hono/node-server';
import { Hono } from 'hono';

/*
 * A separate program: the minimal Hono app of its documentation, for comparison with the daemon. `GET /constant/N`
 * responds with a text of N bytes that was created once. `POST /files/N` writes N bytes to a new file in the folder
 * given as argument, including fsync.
 */

const [folder = '.'] = process.argv.slice(2);
const texts = new Map<string, string>();
let names = 0;

function textOf(length: string): string {
  const text = texts.get(length) ?? 'x'.repeat(Number(length));
  texts.set(length, text);
  return text;
}

const app = new Hono();

app.get('/constant/:length', (c) => c.text(textOf(c.req.param('length'))));

app.post('/files/:length', async (c) => {
  await c.req.text();
  names += 1;
  const path = join(folder, `${names}.json`);
  const file = await open(`${path}.tmp`, 'wx');
  try {
    await file.writeFile(textOf(c.req.param('length')));
    await file.sync();
  } finally {
    await file.close();
  }
  await rename(`${path}.tmp`, path);
  return c.text('stored', 201);
});

serve({ fetch: app.fetch, port: 0, hostname: '127.0.0.1' }, ({ port }) => {
  console.log(`http://127.0.0.1:${port}`);
});
