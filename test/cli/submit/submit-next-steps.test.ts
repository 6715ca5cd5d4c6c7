import { fileURLToPath } from 'node:url';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { tempFolder } from '../../helpers/temp.js';
import { hasTmux, openTerminal } from '../../helpers/tmux.js';
import { type SubmitContext, withService } from './submit-service.js';

const program = fileURLToPath(new URL('../../../../bin/venc.js', import.meta.url));
const test = suite<SubmitContext>('the next commands that venc submit prints on a terminal');
withService(test);

if (hasTmux()) {
  test('it prints the commands with the ids; scripts and --progress none get none', async ({ env }) => {
    const folder = tempFolder();
    const homes = { XDG_CONFIG_HOME: folder, XDG_DATA_HOME: folder, LC_ALL: 'C.UTF-8' };
    const terminal = await openTerminal(folder, 100, 40, { ...env, ...homes });
    const submit = (words: string) =>
      terminal.type(`'${process.execPath}' '${program}' submit ${words}; echo ended`);
    const url = 'http://h/1.mov';
    try {
      await submit(`${url} 2>/dev/null`);
      await terminal.shows(/^101\nended/m);
      await submit(`${url} --progress none`);
      await terminal.shows(/^102\nended/m);
      await submit(`${url} --json --progress plain | grep id`);
      await terminal.shows(/"103"[^v]*ended/m);
      const before = await terminal.text();
      assert.not.match(before, 'venc watch');
      await submit(url);
      await terminal.shows(
        /^104\nvenc: to watch the progress: venc watch 104\nvenc: to download the outputs \(kept for 24 hours\): venc download 104\nended/m,
      );
      await submit(`${url} ${url} --base-url s3://b/out`);
      await terminal.shows(
        /^105 {2}http:\/\/h\/1\.mov\n106 {2}http:\/\/h\/\S+\nvenc: to watch the progress: venc watch 105 106\nended/m,
      );
      await terminal.type('clear');
      await submit(Array.from({ length: 13 }, () => url).join(' '));
      await terminal.shows(
        /^119 {2}http:\/\/h\/1\.mov\nvenc: to watch the progress: venc watch\nvenc: to download the outputs \(kept for 24 hours\): venc download 107 \.\.\. 119 \(all 13 ids\)\nended/m,
      );
    } finally {
      await terminal.close();
    }
  });
} else {
  test.skip('a real terminal: tmux is not installed here', () => {});
}

test.run();
