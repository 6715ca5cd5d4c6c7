import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { parse } from 'yaml';
import { media } from '../helpers/media.js';
import { tempFolder } from '../helpers/temp.js';

interface Step {
  readonly name: string;
  readonly run: string;
  readonly shell: string;
  readonly env?: Readonly<Record<string, string>>;
}

const folder = resolve('contrib');
const action = parse(readFileSync(join(folder, 'action.yml'), 'utf8'));
const steps: readonly Step[] = action.runs.steps;
const { version } = JSON.parse(readFileSync('package.json', 'utf8'));

/** A program that stands for npm: it notes its arguments, and installs this checkout. */
const npm = `#!/bin/sh
printf '%s\\n' "$@" > "$NPM_ARGS"
prefix=$3
mkdir -p "$prefix/node_modules/.bin"
ln -sf "${resolve('bin/venc.js')}" "$prefix/node_modules/.bin/venc"
`;

/** Runs the steps as a runner does, with these inputs. */
function runAction(inputs: Readonly<Record<string, string>>, env: Readonly<Record<string, string>> = {}) {
  const home = tempFolder();
  const bin = join(home, 'bin');
  mkdirSync(bin);
  writeFileSync(join(bin, 'npm'), npm, { mode: 0o755 });
  const output = join(home, 'output');
  writeFileSync(output, '');
  const given: Record<string, string> = {};
  for (const [name, { default: fallback = '' }] of Object.entries<{ default?: string }>(action.inputs))
    given[name] = inputs[name] ?? fallback;
  const replaced = (text: string) =>
    text.replaceAll(/\$\{\{ inputs\.([\w-]+) \}\}/g, (_, name: string) => given[name] ?? '');
  let text = '';
  for (const step of steps) {
    assert.is(step.shell, 'bash');
    const own = Object.entries(step.env ?? {}).map(([name, value]) => [name, replaced(value)] as const);
    const { status, stdout, stderr } = spawnSync('bash', ['-eo', 'pipefail', '-c', replaced(step.run)], {
      cwd: home,
      encoding: 'utf8',
      env: {
        ...process.env,
        PATH: `${bin}:${process.env.PATH}`,
        HOME: home,
        RUNNER_OS: 'Linux',
        RUNNER_TEMP: home,
        GITHUB_ACTION_PATH: folder,
        GITHUB_OUTPUT: output,
        NPM_ARGS: join(home, 'npm-args'),
        ...env,
        ...Object.fromEntries(own),
      },
    });
    text += stdout + stderr;
    if (status !== 0) return { home, status, text, outputs: '', npmArgs: '' };
  }
  const npmArgs = readFileSync(join(home, 'npm-args'), 'utf8');
  return { home, status: 0, text, outputs: readFileSync(output, 'utf8'), npmArgs };
}

test('the steps install the version of their tag and encode the input', async () => {
  const result = runAction({
    input: await media('clip.mp4'),
    output: 'small film.mp4',
    flags: '\n  --width 64\n--label a b; echo $HOME\n\n',
  });
  assert.is(result.status, 0, result.text);
  assert.match(result.npmArgs, `venc@${version}`);
  assert.ok(existsSync(join(result.home, 'small film.mp4')));
  const [, json = ''] = /^result=(.*)\n$/.exec(result.outputs) ?? [];
  assert.match(json, '"label":"a b; echo $HOME"');
  assert.match(json, '"state":"finished"');
});

test('nothing in an input is run by the shell', () => {
  for (const name of ['input', 'output', 'flags', 'working-directory']) {
    for (const text of [
      '"; touch INJECTED; "',
      '$(touch INJECTED)',
      '`touch INJECTED`',
      "'; touch INJECTED; '",
    ]) {
      const result = runAction({ input: 'no-such-film.mp4', [name]: text });
      assert.is.not(result.status, 0);
      assert.not.ok(existsSync(join(result.home, 'INJECTED')), `${name}: ${text}`);
    }
  }
});

test('no step has an expression in its script', () => {
  for (const { run } of steps) assert.not.match(run, '${{');
});

test('wrong inputs and other systems are errors with a reason', () => {
  assert.match(runAction({}).text, '::error::The input is missing.');
  assert.match(runAction({ input: 'a.mp4', flags: 'width 64' }).text, '::error::Each line of flags');
  assert.match(
    runAction({ input: 'a.mp4' }, { RUNNER_OS: 'Windows' }).text,
    '::error::This action needs a Linux',
  );
  assert.match(runAction({ input: 'no-such-film.mp4' }).text, 'no-such-film.mp4');
});

test.run();
