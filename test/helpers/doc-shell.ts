import { execFile } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

/** How a shell command ended, and what it printed to stdout and stderr. */
export interface DocRun {
  readonly code: number;
  readonly text: string;
}

/** Runs the commands of the documentation. */
export interface DocShell {
  /** Runs commands in a folder below that of the shell. The first one that fails ends them. */
  run(cwd: string, commands: string, env?: Readonly<Record<string, string>>): Promise<DocRun>;
}

/**
 * Creates a shell whose home is `folder`. In it `venc` is the program as shipped, and `sudo` runs its arguments as this user. `programs`
 * are the shell scripts of other programs, by name. A response of HTTP with an error fails `curl`.
 */
export function createDocShell(
  folder: string,
  env: Readonly<Record<string, string>>,
  programs: Readonly<Record<string, string>> = {},
): DocShell {
  const bin = join(folder, 'bin');
  mkdirSync(bin, { recursive: true });
  const venc = `exec '${process.execPath}' '${resolve('bin/venc.js')}' "$@"`;
  for (const [name, script] of Object.entries({ venc, sudo: 'exec "$@"', ...programs }))
    writeFileSync(join(bin, name), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
  const own = {
    PATH: `${bin}:${process.env.PATH}`,
    HOME: folder,
    XDG_DATA_HOME: join(folder, '.local/share'),
  };
  const prelude = 'curl() { command curl -f "$@"; }\n';
  return {
    run: (cwd, commands, more = {}) =>
      new Promise((done) => {
        execFile(
          'bash',
          ['-e', '-c', `${prelude}${commands}`],
          {
            cwd: resolve(folder, cwd),
            env: { ...process.env, ...own, ...env, ...more },
            timeout: 120_000,
            maxBuffer: 1 << 24,
          },
          (error, stdout, stderr) => {
            const code = error === null ? 0 : typeof error.code === 'number' ? error.code : -1;
            done({ code, text: `${stdout}\n${stderr}` });
          },
        );
      }),
  };
}
