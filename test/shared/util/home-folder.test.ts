import { spawnSync } from 'node:child_process';
import { userInfo } from 'node:os';
import { test } from 'uvu';
import * as assert from 'uvu/assert';

// Node reads the home folder from the environment of the process itself.
const module = new URL('../../../src/shared/util/environment.js', import.meta.url).href;
const script = `import { homeFolder } from ${JSON.stringify(module)}; process.stdout.write(homeFolder());`;

function homeWith(home: string | undefined): string {
  const { HOME: _, ...env } = process.env;
  return spawnSync(process.execPath, ['--input-type=module', '-e', script], {
    encoding: 'utf8',
    env: home === undefined ? env : { ...env, HOME: home },
  }).stdout;
}

test('the home folder is HOME, and if that is unusable, the one that the system knows', () => {
  assert.is(homeWith('/srv/somebody'), '/srv/somebody');
  for (const home of ['', 'relative', './', undefined]) assert.is(homeWith(home), userInfo().homedir, home);
});

test.run();
