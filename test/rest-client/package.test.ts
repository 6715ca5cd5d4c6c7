import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join, resolve } from 'node:path';
import { gzipSync } from 'node:zlib';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { client } from '../helpers/rest-client.js';
import { tempFolder } from '../helpers/temp.js';

const files = ['rest-client.mjs', 'rest-client.cjs'].map((name) => readFileSync(`dist/venc/${name}`));

test('each file has at most 10,240 bytes after gzip, and loads nothing', () => {
  for (const bytes of files) {
    const size = gzipSync(bytes, { level: 9 }).length;
    assert.ok(size <= 10_240, `${size} bytes`);
    assert.not.match(bytes.toString(), /\brequire\b|\bimport\b|node:|ffmpeg/);
  }
});

test('both forms have the declared exports', () => {
  const names = [
    ...readFileSync('src/rest-client/declarations.ts', 'utf8').matchAll(/^export declare \w+ (\w+)/gm),
  ];
  const declared = names.map(([, name = '']) => name).sort();
  assert.ok(declared.includes('Venc') && declared.includes('verifyNotification'));
  assert.equal(Object.keys(client).sort(), declared);
  assert.equal(Object.keys(createRequire(import.meta.url)('venc/client')).sort(), declared);
});

test('the names of the errors are those of their classes', () => {
  for (const [name, value] of Object.entries(client))
    if (name.endsWith('Error')) {
      const Kind = value as unknown as new (message: string, details: object) => Error;
      assert.equal([new Kind('x', {}).name, Kind.name], [name, name]);
    }
});

const program = `
import { type CreateJobRequest, type Job, type JobProgress, NotFoundError, Venc, verifyNotification } from 'venc/client';
const venc = new Venc({ url: 'http://h', key: 'k' });
const request: CreateJobRequest = { input: 'http://h/a.mp4', outputs: [{ width: 640, height: '360', video_codec: 'h264' }] };
export async function main(signal: AbortSignal): Promise<Job> {
  const created = await venc.jobs.create(request, { signal });
  for await (const { id, progress } of venc.jobs.events(created, { signal })) console.log(id.toFixed(), progress.toFixed());
  for await (const { jobs, removed } of venc.jobs.events({ signal })) console.log(jobs.length, removed?.length);
  const one: JobProgress = await venc.jobs.progress(7);
  await venc.uploads.put('a', new Blob(['x']), { signal, on_progress: ({ received }) => console.log(received, one.state) });
  const notification = await verifyNotification(new Request('http://h'), ['whsec_']);
  console.log('outputs' in notification ? notification.outputs.length : notification.output.id);
  try { return await venc.jobs.get(created); } catch (error) {
    if (error instanceof NotFoundError) console.log(error.code, error.field?.length);
    throw error;
  }
}
// @ts-expect-error: no such codec
export const wrong: CreateJobRequest = { input: 'x', outputs: { video_codec: 'h266' } };
// @ts-expect-error: no such setting
export const misspelt: CreateJobRequest = { input: 'x', outputs: [{ widht: 640 }] };
`;

test('the declarations compile without other types, as ES modules and as CommonJS', () => {
  const folder = tempFolder();
  mkdirSync(join(folder, 'node_modules'));
  symlinkSync(resolve('.'), join(folder, 'node_modules/venc'));
  for (const name of ['program.mts', 'program.cts']) writeFileSync(join(folder, name), program);
  const options = {
    ...{ strict: true, exactOptionalPropertyTypes: true, skipLibCheck: false, noEmit: true, types: [] },
    ...{
      target: 'es2022',
      module: 'node16',
      moduleResolution: 'node16',
      lib: ['es2023', 'dom', 'dom.asynciterable'],
    },
  };
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions: options, include: ['*'] }));
  execFileSync(process.execPath, [resolve('node_modules/typescript/bin/tsc'), '-p', folder], {
    encoding: 'utf8',
  });
});

test.run();
