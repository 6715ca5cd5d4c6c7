/*
 * The last step of the build: runs the commands that scripts call all day, against a service of its own, and keeps the code that V8
 * made of what they needed. Only functions that have run are in the cache, so it is small and they are compiled no more.
 */
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { fileURLToPath } from 'node:url';

const job = {
  id: 1,
  state: 'finished',
  test: false,
  input_media_file: { id: 1, state: 'finished' },
  output_media_files: [],
};
const service = createServer((request, response) => {
  const isList = /\/jobs(\.json)?(\?|$)/.test(request.url ?? '') && request.method === 'GET';
  const answer = isList ? [{ job }] : request.method === 'POST' ? { id: 1, outputs: [] } : { job, ...job };
  response.writeHead(request.method === 'POST' ? 201 : 200, { 'Content-Type': 'application/json' });
  response.end(JSON.stringify(answer));
}).listen(0, '127.0.0.1');
await once(service, 'listening');

process.env.VENC_URL = `http://127.0.0.1:${service.address().port}`;
process.env.VENC_API_KEY = 'of-the-build';
process.env.VENC_DATA = tmpdir();
process.stdout.write = () => true;

const { main, createCache } = createRequire(import.meta.url)('./dist/venc/launch.cjs');
for (const words of [
  '--version',
  '--help',
  'list --json',
  'submit https://example.com/in.mp4',
  'wait 1',
  'show 1',
  'progress 1',
]) {
  await main(words.split(' '));
  if (process.exitCode !== undefined && process.exitCode !== 0) {
    console.error(`build-cache: venc ${words} ended with ${process.exitCode}`);
    process.exit(1);
  }
}
service.close();
const file = `dist/venc/v8-${process.versions.v8}-${process.arch}.cache`;
writeFileSync(fileURLToPath(new URL(file, import.meta.url)), createCache());
