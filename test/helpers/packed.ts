import { execFileSync, spawn } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { tempFolder } from './temp.js';

/** The package, installed in an empty project. */
export interface InstalledPackage {
  readonly folder: string;
  readonly tarball: string;
}

let installed: InstalledPackage | null = null;

/**
 * Packs the package and installs it in an empty project, with the packages that it depends on. `leftOut` says which of
 * them are missing.
 */
export function installPackage(leftOut: (name: string) => boolean = () => false): InstalledPackage {
  const folder = tempFolder();
  const tarball = installed?.tarball ?? pack(folder);
  const modules = join(folder, 'node_modules');
  mkdirSync(join(modules, 'venc'), { recursive: true });
  execFileSync('tar', ['-xzf', tarball, '-C', join(modules, 'venc'), '--strip-components=1']);
  const { dependencies, optionalDependencies } = JSON.parse(readFileSync('package.json', 'utf8'));
  const direct = Object.keys({ ...dependencies, ...optionalDependencies });
  for (const name of direct.filter((one) => !leftOut(one))) {
    const source = resolve('node_modules', name);
    mkdirSync(join(modules, name, '..'), { recursive: true });
    symlinkSync(source, join(modules, name));
  }
  installed ??= { folder, tarball };
  return { folder, tarball };
}

function pack(folder: string): string {
  execFileSync('npm', ['pack', '--ignore-scripts', '--pack-destination', folder], { stdio: 'ignore' });
  const name = readdirSync(folder).find((one) => one.endsWith('.tgz')) ?? '';
  return join(folder, name);
}

/** What a program printed, and how it ended. */
interface ProgramEnd {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs a program in the project of an installed package; `name` ends in `.mjs` or `.cjs`. */
export async function runProgram(
  { folder }: InstalledPackage,
  name: string,
  source: string,
  env: Readonly<Record<string, string>> = {},
): Promise<ProgramEnd> {
  writeFileSync(join(folder, name), source);
  const child = spawn(process.execPath, [name], {
    cwd: folder,
    env: { ...process.env, FORCE_COLOR: '0', ...env },
  });
  const output = { stdout: '', stderr: '' };
  child.stdout.on('data', (chunk) => (output.stdout += chunk));
  child.stderr.on('data', (chunk) => (output.stderr += chunk));
  const code = await new Promise<number | null>((end) => child.once('close', end));
  return { code, ...output };
}
