import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { test } from 'uvu';
import * as assert from 'uvu/assert';

interface Packed {
  readonly size: number;
  readonly files: readonly { readonly path: string }[];
}

const packages: readonly Packed[] = JSON.parse(
  execFileSync('npm', ['pack', '--dry-run', '--json', '--ignore-scripts'], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  }),
);
const [packed = { size: 0, files: [] }] = packages;
const paths = packed.files.map(({ path }) => path);

test('the package is small and contains the program and its documentation, and no sources', () => {
  assert.ok(packed.size > 100_000 && packed.size < 4_600_000, `${packed.size} bytes`);
  for (const path of [
    ...[
      'bin/venc.js',
      'dist/venc/main.cjs',
      'dist/venc/daemon.cjs',
      'dist/venc/launch.cjs',
      ...['index.mjs', 'index.cjs', 'index.d.mts', 'index.d.cts', 'library.cjs'].map(
        (name) => `dist/venc/${name}`,
      ),
      'dist/venc/LICENSES',
      'dist/sbom.cdx.json',
    ],
    ...['LICENSE', 'SECURITY.md'],
  ])
    assert.ok(paths.includes(path), path);
  const location =
    /^(bin|dist\/venc|completions|man|contrib|examples)\/|^docs\/[^/]+\.(md|svg)$|^docs\/page\/[^/]+\.webp$|^[A-Z]+(\.md)?$|^package\.json$|^dist\/sbom\.cdx\.json$/;
  assert.equal(
    paths.filter((path) => !location.test(path)),
    [],
  );
});

/** Pages about the repository: test/docs.test.ts checks their links. */
const pagesForContributors = new Set(['CONTRIBUTING.md', 'SECURITY.md', 'docs/architecture.md']);

test('files that the user pages link to, or ask the user to copy, are in the package', () => {
  for (const page of paths.filter((path) => path.endsWith('.md') && !pagesForContributors.has(path))) {
    const text = readFileSync(page, 'utf8');
    const links = [...text.matchAll(/\]\(([^)#:]+)(?:#[^)]*)?\)/g)].map(([, link = '']) => link);
    for (const link of links) {
      const path = new URL(link, `file:///${page}`).pathname.slice(1);
      assert.ok(paths.includes(path), `${page}: ${link}`);
    }
  }
  for (const name of ['venc.service', 'venc-worker.service', 'venc-worker.yaml'])
    assert.ok(paths.includes(`contrib/${name}`));
});

test('package.json declares every imported package, and ships only those that the program needs', () => {
  const { dependencies, optionalDependencies, devDependencies } = JSON.parse(
    readFileSync('package.json', 'utf8'),
  );
  const importedIn = (...folders: readonly string[]) => {
    const files = folders.flatMap((folder) =>
      readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((name) => `${folder}/${name}`),
    );
    const sources = files.filter((name) => /\.[mc]?[jt]sx?$/.test(name) && !name.includes('/fixtures/'));
    return new Set(sources.flatMap((name) => [...packagesIn(readFileSync(name, 'utf8'))]));
  };
  const needed = importedIn('src', 'daemon');
  const all = importedIn('src', 'daemon', 'scripts', 'test', 'bench');
  const declared = { ...dependencies, ...optionalDependencies, ...devDependencies };
  assert.equal(
    [...all].filter((name) => declared[name] === undefined),
    [],
  );
  assert.equal(
    Object.keys(dependencies).filter((name) => !needed.has(name) && !foundByPath.has(name)),
    [],
  );
});

test('npm installs no package with venc that needs a newer Node than venc itself', () => {
  const { engines } = JSON.parse(readFileSync('package.json', 'utf8'));
  const { packages: locked }: { packages: Record<string, Locked> } = JSON.parse(
    readFileSync('package-lock.json', 'utf8'),
  );
  const isNewer = ({ engines: own }: Locked) => versionOf(own?.node ?? '') > versionOf(engines.node);
  const installed = Object.entries(locked).filter(([path, { dev }]) => path !== '' && dev !== true);
  assert.ok(installed.length > 20);
  assert.equal(
    installed.filter(([, entry]) => isNewer(entry)).map(([path, entry]) => [path, entry.engines?.node]),
    [],
  );
});

interface Locked {
  readonly dev?: boolean;
  readonly engines?: { readonly node?: string };
}

/** The last version of a range of versions, as a number: 20.18.1 is 20018001. */
function versionOf(range: string): number {
  const [major = 0, minor = 0, patch = 0] = (range.match(/\d+(?:\.\d+)*/g)?.at(-1) ?? '0')
    .split('.')
    .map(Number);
  return major * 1e6 + minor * 1e3 + patch;
}

/** Packages whose files the program uses by path. */
const foundByPath = new Set(['@ffprobe-installer/ffprobe']);

function* packagesIn(source: string): Generator<string> {
  const specifiers = source.matchAll(
    /(?:^import |^export |^\} |\bimport\()(?:[^'"\n]*from )?'([^'.$][^'$]*)'/gm,
  );
  for (const [, specifier = ''] of specifiers) {
    // A test of the package itself has programs that import it.
    if (specifier.startsWith('node:') || /^venc(?:\/|$)/.test(specifier)) continue;
    yield /^(?:@[^/]+\/)?[^/]+/.exec(specifier)?.[0] ?? specifier;
  }
}

test.run();
