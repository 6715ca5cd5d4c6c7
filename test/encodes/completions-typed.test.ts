import { execFile } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { promisify } from 'node:util';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { completionFiles, shells } from '../../src/cli/completion/shells.js';
import { areInstalled, envOf, startJobService } from '../cli/completion-service.js';
import { tempFolder } from '../helpers/temp.js';
import { openTerminal, type Terminal } from '../helpers/tmux.js';

const service = await startJobService();

/** A wrapper with the name `venc` that shells can call. */
const folder = tempFolder();
writeFileSync(
  join(folder, 'venc'),
  `#!/bin/sh\nexec '${process.execPath}' '${resolve('bin/venc.js')}' "$@"\n`,
  { mode: 0o755 },
);

writeFileSync(join(folder, 'clip one.mov'), '');
mkdirSync(join(folder, 'parent', 'folder'), { recursive: true });

const run = promisify(execFile);

// The words that bash passes at a TAB, with = and : as separate words, and the expected completions.
const typed = [
  [['wa'], 'watch wait'],
  [['submit', '--video-cod'], '--video-codec --video-codec-profile --video-codec-level'],
  [['submit', '--video-codec', ''], 'h264 theora vp8 hevc vp9 av1 mpeg4 wmv gif webp'],
  [['submit', '--video-codec', '=', 'hev'], 'hevc'],
  [['run', 'a.mov', '--output', 'video_codec', '=', 'hev'], 'hevc'],
  [['run', 'a.mov', '--output', 'filename', '=', 'a.mp4,upsc'], 'a.mp4,upscale='],
  [['--data', 'show', 'accounts', ''], 'create list show quota live integration'],
  [['list', '--state', 'fin'], 'finished'],
  [['progress', '1', '--output', '--js'], '--json'],
  [['help', 'exi'], 'exit-codes'],
  [['show', ''], '@last 12 11 10'],
  [['input', '12', ''], ''],
  [['show', '--', ''], '@last 12 11 10'],
  [['show', '--', '--js'], ''],
  [['progress', '--output', ''], '112 111 110'],
  [['progress', '--input', ''], '3 2 1'],
  [['config', 'set', 'progress', ''], 'auto tty plain json none'],
  [['config', 'set', '--unset', 'pro'], 'progress'],
  [['config', 'get', 'progress', ''], ''],
  [['--target', 'x', 'config', 'set', 'target', ''], 'local'],
  [['wait', '12', '11'], '11'],
  [['submit', '--label', 'for'], 'for\\ the\\ web'],
  [['submit', '--label', '"for the'], 'for the web'],
  [['submit', '--label', '"'], 'web for the web'],
  [['list', '--state', "'fin"], 'finished'],
  [['run', 'a.mov', '--output', '"video_codec=hev'], 'video_codec=hevc'],
  [['submit', '--label', ''], 'web for\\ the\\ web \\$\\(x\\)'],
  [['submit', '--grouping', 'team', ':', ''], 'a'],
  [['submit', '--width', ''], ''],
  [['show', '>', ''], ''],
] as const;

const testBash = areInstalled('bash') ? test : test.skip;
for (const [words, expected] of typed) {
  testBash(`bash offers "${expected}" after venc ${words.join(' ')}`, async () => {
    const lines = [
      // A common setting in users' shells.
      'set -u',
      `source completions/${completionFiles.bash}`,
      'COMP_WORDS=(venc "$@") COMP_CWORD=$#',
      '_venc venc',
      // biome-ignore lint/suspicious/noTemplateCurlyInString: bash expands it.
      'echo "${COMPREPLY[*]}"',
    ];
    const env = { ...envOf(service), PATH: `${folder}:${process.env.PATH ?? ''}`, HOME: folder };
    const say = async () =>
      (await run('bash', ['-c', lines.join('\n'), 'bash', ...words], { env })).stdout.trim();
    // As above: completions that query the service may be late on a busy machine.
    let text = await say();
    for (let attempt = 0; attempt < 10 && text !== expected; attempt += 1) text = await say();
    assert.is(text, expected);
  });
}

/** How each shell is started without the user's configuration, but with the completions. */
const starts = {
  bash: ['bash --norc', `source ${process.cwd()}/completions/venc.bash`],
  zsh: ['zsh -f', `fpath+=${process.cwd()}/completions; autoload -U compinit; compinit -u -D`],
  fish: ['fish --no-config', `source ${process.cwd()}/completions/venc.fish`],
} as const;

/** Presses TAB until a completion appears. Completions that query the service may be late on a busy machine, and are then not offered. */
async function offered(terminal: Terminal, what: RegExp): Promise<void> {
  for (let attempt = 0; attempt < 20; attempt += 1) {
    await terminal.press('Tab');
    const deadline = Date.now() + 1000;
    while (Date.now() < deadline) {
      if (what.test(await terminal.text())) return;
      await pause(50);
    }
  }
  assert.unreachable(`no completion was offered: ${await terminal.text()}`);
}

for (const shell of shells) {
  (areInstalled(shell, 'tmux') ? test : test.skip)(
    `TAB completes commands, values and ids of jobs in ${shell}`,
    async () => {
      const terminal = await openTerminal(tempFolder(), 100, 30, {
        ...envOf(service),
        HOME: folder,
      });
      try {
        await terminal.type(`PATH=${folder}:$PATH`);
        await terminal.type(`cd ${folder}`);
        for (const line of starts[shell]) await terminal.type(line);
        await terminal.type('echo re""ady');
        await terminal.shows(/^ready$/m);
        await terminal.press('venc resub', 'Tab');
        await terminal.shows(/venc resubmit/);
        await terminal.press('C-u');
        await terminal.press('venc resubmit --state cance', 'Tab');
        await terminal.shows(/--state cancelled/);
        await terminal.press('C-u');
        await terminal.press('venc submit a --video-codec=the', 'Tab');
        await terminal.shows(/--video-codec=theora/);
        await terminal.press('C-u');
        await terminal.press('venc submit a --output "aspect_mode=cr', 'Tab');
        await terminal.shows(/--output "aspect_mode=crop/);
        await terminal.press('C-u');
        await terminal.press('venc run cli', 'Tab');
        await terminal.shows(/venc run clip\\ one\.mov/);
        await terminal.press('C-u');
        await terminal.press('venc --data=parent/fold', 'Tab');
        await terminal.shows(/venc --data=parent\/folder\//);
        await terminal.press('C-u');
        await terminal.press('venc cancel ');
        await offered(terminal, /venc cancel 12/);
      } finally {
        await terminal.close();
      }
    },
  );
}

test.run();
