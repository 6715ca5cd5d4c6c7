import { execFileSync, spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { checkPackage, createPackageFromTarballData } from '@arethetypeswrong/core';
import { publint } from 'publint';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { installPackage, runProgram } from '../helpers/packed.js';

const installed = installPackage();
const { folder, tarball } = installed;

test('attw finds no problem of types, for ES modules and CommonJS (profile node16)', async () => {
  const result = await checkPackage(createPackageFromTarballData(readFileSync(tarball)));
  assert.ok(result.types);
  const problems = result.problems.filter(
    (problem) => !('resolutionKind' in problem) || problem.resolutionKind !== 'node10',
  );
  assert.equal(problems, []);
});

test('publint finds no problem', async () => {
  const { messages } = await publint({ pkgDir: join(folder, 'node_modules/venc'), strict: true });
  assert.equal(messages, []);
});

/** A program that uses what is exported, and what the compiler says to each wrong line. */
const valid = `
import { encode, plan, probe, compare, thumbnails, configure, VencError, InputError } from 'venc';
import type { EncodeJob, EncodeOptions, EncodeResult, Progress } from 'venc';

const controller = { signal: undefined };
const options: EncodeOptions = { output: 'a.mp4', width: 1280, videoBitrate: '2000', quality_target: 94, thumbnails: { startAtFirstFrame: true } };
export async function main(stream: AsyncIterable<Uint8Array>): Promise<EncodeResult> {
  configure({ concurrency: 2 });
  const job: EncodeJob = encode(stream, options);
  for await (const progress of job) {
    const { progress: percent, state, outputs }: Progress = progress;
    console.log(percent + 1, state, outputs[0]?.fps);
  }
  await encode('in.mov', { outputs: [{ output: 'a.mp4', videoCodec: 'hevc' }, { output: 'b.webm', label: 'b' }], overwrite: true, downloadConnections: 3, strict: true });
  const { steps } = await plan('in.mov', { videoCodec: 'av1', thumbnails: [{ start_at_first_frame: true }] });
  const { width, tracks } = await probe('in.mov', { allowPrivateNetwork: true });
  const { quality } = await compare('a.mp4', 'in.mov', { metric: 'vmaf-neg' });
  const { files } = await thumbnails('in.mov', { number: 5, output: 'images', aspectMode: 'crop' });
  try {
    const { files: made, warnings, quality: measured } = await job;
    return { files: made, warnings, quality: measured };
  } catch (error) {
    if (error instanceof InputError || error instanceof VencError) console.log(error.code, error.field, error.hint, error.cause);
    throw new Error([steps.length, width, tracks.length, quality.mean, files.length].join());
  }
}
declare const console: { log(...values: unknown[]): void };
void controller;
`;
const withNode = `
import { createReadStream, createWriteStream } from 'node:fs';
import { encode } from 'venc';
const controller = new AbortController();
void encode(createReadStream('in.mov'), { output: createWriteStream('out.ts'), format: 'ts' }, { signal: controller.signal });
void encode(new Blob([]).stream(), { output: new WritableStream<Uint8Array>(), format: 'mkv' });
void encode(new URL('https://example.com/in.mov'), { output: new URL('s3://bucket/out.mp4') }).catch(() => null).finally();
`;
const wrong: readonly string[] = [
  `encode('in.mov');`,
  `encode('in.mov', {});`,
  `encode(5, { output: 'a.mp4' });`,
  `encode('in.mov', { output: 'a.mp4', width: true });`,
  `encode('in.mov', { output: 'a.mp4', videoCodec: 'h266' });`,
  `encode('in.mov', { output: 'a.mp4', widht: 5 });`,
  `encode('in.mov', { output: 'a.mp4', url: 'file:///a.mp4' });`,
  `encode('in.mov', { output: 'a.mp4', outputs: [] });`,
  `encode('in.mov', { outputs: [{ output: 'a.mp4' }], width: 5 });`,
  `encode('in.mov', { output: 'a.mp4', thumbnails: { startAtFirstFrame: 'no' } });`,
  `configure({ threads: 2 });`,
];

const compilers = [
  ['5.5', resolve('node_modules/typescript-5.5/bin/tsc'), []],
  ['7', resolve('node_modules/typescript/bin/tsc'), []],
] as const;

for (const [version, compiler] of compilers) {
  const compile = (name: string, source: string, types: readonly string[] = []) => {
    writeFileSync(join(folder, name), source);
    const config = {
      compilerOptions: {
        ...{ strict: true, skipLibCheck: false, noEmit: true, exactOptionalPropertyTypes: true },
        ...{ target: 'es2022', lib: ['es2022'], module: 'nodenext', moduleResolution: 'nodenext', types },
        ...(types.length === 0 ? {} : { typeRoots: [resolve('node_modules/@types')] }),
      },
      files: [name],
    };
    const project = join(folder, `${name}.json`);
    writeFileSync(project, JSON.stringify(config));
    const { stdout } = spawnSync(process.execPath, [compiler, '--pretty', 'false', '-p', project], {
      encoding: 'utf8',
      cwd: folder,
    });
    return stdout;
  };

  test(`TypeScript ${version} accepts a program without other types, as ES module and as CommonJS`, () => {
    assert.is(compile('valid.mts', valid), '');
    assert.is(compile('valid.cts', valid), '');
  });

  test(`TypeScript ${version} accepts the streams of Node.js and the Web`, () => {
    // The declarations of Node.js are not those of this package.
    const errors = compile('streams.mts', withNode, ['node']);
    assert.equal(
      errors.split('\n').filter((line) => /^streams|venc/.test(line)),
      [],
    );
  });

  test(`TypeScript ${version} reports wrong options`, () => {
    const head = `import { configure, encode } from 'venc';\nvoid configure;\n`;
    const errors = compile('wrong.mts', `${head}${wrong.join('\n')}\n`);
    const lines = [...errors.matchAll(/^wrong\.mts\((\d+),/gm)].map(([, line]) => Number(line) - 3);
    assert.equal([...new Set(lines)], [...wrong.keys()], errors);
  });
}

test('the package exports its entry points, and no other file', async () => {
  const source = `
    import { readFileSync } from 'node:fs';
    import { createRequire } from 'node:module';
    import * as venc from 'venc';
    const require = createRequire(import.meta.url);
    const deep = await import('venc/dist/venc/library.cjs').catch((error) => error.code);
    const common = require('venc');
    console.log(JSON.stringify({
      names: Object.keys(venc).filter((name) => name !== 'default').sort(),
      isSame: Object.keys(common).every((name) => common[name] === venc[name]),
      version: require('venc/package.json').version,
      deep,
    }));`;
  const { stdout, stderr } = await runProgram(installed, 'exports.mjs', source);
  assert.is(stderr, '');
  const found = JSON.parse(stdout);
  const names = [
    'EncodeError',
    'InputError',
    'InvalidRequestError',
    'OutputError',
    'UnavailableError',
    'VencError',
  ];
  const functions = ['compare', 'configure', 'encode', 'plan', 'probe', 'thumbnails'];
  assert.equal(found.names, [...names, ...functions]);
  assert.equal([found.isSame, found.version, found.deep], [true, '0.1.0', 'ERR_PACKAGE_PATH_NOT_EXPORTED']);
});

test('importing the library costs less than 60 ms of CPU time', () => {
  const cpu = (name: string, source: string) => {
    writeFileSync(
      join(folder, name),
      `${source}\nprocess.stdout.write(String(process.cpuUsage().user + process.cpuUsage().system));`,
    );
    const times = Array.from({ length: 5 }, () =>
      Number(execFileSync(process.execPath, [name], { cwd: folder, encoding: 'utf8' })),
    );
    return Math.min(...times) / 1000;
  };
  for (const [kind, source] of [
    ['mjs', "import 'venc';"],
    ['cjs', "require('venc');"],
  ] as const) {
    const ms = cpu(`import.${kind}`, source) - cpu(`empty.${kind}`, '');
    assert.ok(ms < 60, `${kind}: ${ms} ms`);
  }
});

test.run();
