/*
 * What the package contains and installs of others: the licences of the bundled packages (dist/venc/LICENSES), and the software bill of
 * materials (dist/sbom.cdx.json, CycloneDX), which lists the bundled packages and the dependencies.
 */
import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';

/** The packages whose code the builds of esbuild contain, in the order of their names. */
export function bundledPackages(root, builds) {
  const inputs = builds
    .flatMap(({ metafile }) => Object.values(metafile.outputs))
    .flatMap((output) => Object.entries(output.inputs))
    .flatMap(([input, { bytesInOutput }]) => (bytesInOutput > 0 ? [input] : []));
  const folders = inputs.flatMap((input) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(input)?.[0] ?? []);
  const { packages: locked } = JSON.parse(readFileSync(`${root}package-lock.json`, 'utf8'));
  const found = [...new Set(folders)].map((folder) => {
    const { name, version, license } = JSON.parse(readFileSync(`${root}${folder}/package.json`, 'utf8'));
    return {
      name,
      version,
      license,
      text: licenceText(`${root}${folder}`),
      integrity: locked[folder]?.integrity ?? null,
    };
  });
  const unique = new Map(found.map((one) => [`${one.name} ${one.version}`, one]));
  return [...unique.values()].sort((one, other) =>
    `${one.name} ${one.version}` < `${other.name} ${other.version}` ? -1 : 1,
  );
}

/** The text of a package's licence, in a file of its own or at the end of its README; null if it has none. */
function licenceText(folder) {
  const names = readdirSync(folder);
  const read = (pattern) => {
    const name = names.find((entry) => pattern.test(entry));
    return name === undefined ? null : readFileSync(`${folder}/${name}`, 'utf8');
  };
  const text = read(/^licen[cs]e/i) ?? /^## licen[cs]e\n([^#]+)$/im.exec(read(/^readme\.md$/i) ?? '')?.[1];
  return text?.trim() ?? null;
}

/** The licences of the bundled packages, which must be shipped with their code, and a list of what npm installs next to it. */
export function licencesOf(root, bundled) {
  const texts = bundled.map(
    ({ name, version, license, text }) =>
      `${name} ${version}, ${license}${text === null ? '' : `\n\n${text}`}`,
  );
  const list = dependencies(root).map(
    ({ name, version, license }) => `${name} ${version}, ${license ?? 'not installed here'}`,
  );
  return `${[
    'venc contains code of these packages.',
    ...texts,
    `npm installs these packages next to venc, each with its licence, as far as they exist for the platform. The packages of ffmpeg and
ffprobe contain programs under the GPL, which venc starts and is not linked with.\n\n${[...new Set(list)].sort().join('\n')}`,
  ].join(`\n\n${'-'.repeat(70)}\n\n`)}\n`;
}

/** The packages that an install without development dependencies may have, by the lock file. */
function dependencies(root) {
  const { packages: locked } = JSON.parse(readFileSync(`${root}package-lock.json`, 'utf8'));
  return Object.entries(locked).flatMap(([path, entry]) =>
    path === '' || entry.dev
      ? []
      : [
          {
            name: path.replace(/^.*node_modules\//, ''),
            version: entry.version,
            license: entry.license ?? licenceOf(root, path),
            integrity: entry.integrity ?? null,
            scope: entry.optional || entry.devOptional ? 'optional' : 'required',
          },
        ],
  );
}

/** The licence of an installed package whose package.json has the old form; null if it is not installed. */
function licenceOf(root, path) {
  try {
    const { license, licenses } = JSON.parse(readFileSync(`${root}${path}/package.json`, 'utf8'));
    return license ?? licenses?.map(({ type }) => type).join(' OR ') ?? null;
  } catch {
    return null;
  }
}

/**
 * The bill of materials of `npm sbom`, with the bundled packages, which are development dependencies for npm, and with every other
 * dependency of the lock file: `--omit dev` also leaves out dependencies that a development dependency needs as well. Null if npm fails.
 */
export function sbomOf(root, bundled) {
  const npm = process.env.npm_execpath;
  const args = ['sbom', '--sbom-format', 'cyclonedx', '--omit', 'dev'];
  const options = { cwd: root, encoding: 'utf8', maxBuffer: 1 << 26 };
  const { status, stdout, stderr, error } =
    npm === undefined
      ? spawnSync('npm', args, options)
      : spawnSync(process.execPath, [npm, ...args], options);
  if (status !== 0) {
    console.warn(`No bill of materials: npm sbom failed: ${error?.message ?? stderr.trim()}`);
    return null;
  }
  const sbom = JSON.parse(stdout);
  // npm names the package after its folder.
  const { name } = JSON.parse(readFileSync(`${root}/package.json`, 'utf8'));
  const metadata = { ...sbom.metadata, component: { ...sbom.metadata.component, name } };
  const known = new Map(sbom.components.map((component) => [component['bom-ref'], component]));
  const property = [{ name: 'cdx:npm:package:bundled', value: 'true' }];
  const added = [
    ...bundled.map((one) => componentOf({ ...one, scope: 'required' }, property)),
    ...dependencies(root).map((one) => componentOf(one, [])),
  ];
  for (const component of added)
    if (!known.get(component['bom-ref'])?.licenses) known.set(component['bom-ref'], component);
  return `${JSON.stringify({ ...sbom, metadata, components: [...known.values()] }, null, 2)}\n`;
}

function componentOf({ name, version, license, integrity, scope }, properties) {
  const [algorithm, hash = ''] = integrity?.split('-') ?? [];
  const hashes =
    algorithm === 'sha512' ? [{ alg: 'SHA-512', content: Buffer.from(hash, 'base64').toString('hex') }] : [];
  return {
    'bom-ref': `${name}@${version}`,
    type: 'library',
    name,
    version,
    scope,
    purl: `pkg:npm/${name.replace('@', '%40')}@${version}`,
    properties,
    hashes,
    ...(license === null ? {} : { licenses: [licenseOf(license)] }),
  };
}

/** A licence as CycloneDX has it: an identifier, an expression, or a name that is neither. */
function licenseOf(license) {
  if (/ (?:OR|AND) /.test(license)) return { expression: license };
  return {
    license: /^[\w-]+-[\w.-]+$|^(?:MIT|ISC|0BSD|Unlicense)$/.test(license)
      ? { id: license }
      : { name: license },
  };
}
