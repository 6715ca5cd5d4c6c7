/*
 * Files that bundled code references by `new URL('./name.js', import.meta.url)`, such as the entry point of a worker
 * thread. In a script, the URL is __bundleUrl. A bundler moves the referencing code but does not follow such references. Therefore each of these files is
 * bundled separately, next to every output that references it.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join, relative, resolve } from 'node:path';

const namedFile = /new URL\(\s*(["'])(\.{1,2}\/[^"']+)\1\s*,\s*(?:import\.meta\.url|__bundleUrl)\s*\)/g;
const importedFile = /(?:\bimport|\$mport|\bfrom|\brequire)\s*\(?\s*(["'])(\.{1,2}\/[^"']+)\1/g;

/** An esbuild plugin that adds to `sources` each file that a module references: base name to path. */
export function collectNamedFiles(sources) {
  return {
    name: 'collect-named-files',
    setup(bundler) {
      bundler.onLoad({ filter: /\/dist\/(?:src|daemon)\/.*\.js$/ }, ({ path }) => {
        for (const named of matches(readFileSync(path, 'utf8'), namedFile)) {
          const source = resolve(dirname(path), named);
          const known = sources.get(basename(source));
          if (known !== undefined && known !== source)
            throw new Error(`two files have the name ${basename(source)}: ${known} and ${source}`);
          sources.set(basename(source), source);
        }
        return null;
      });
    },
  };
}

/**
 * The destination of each referenced file, next to the outputs in a folder that reference it: pairs of source and
 * destination.
 */
export function destinationsOfNamedFiles(folder, sources) {
  const destinations = new Map();
  for (const output of scriptsIn(folder)) {
    for (const named of matches(readFileSync(output, 'utf8'), namedFile)) {
      destinations.set(resolve(dirname(output), named), sources.get(basename(named)));
    }
  }
  return [...destinations].map(([destination, source]) => ({ destination, source }));
}

/** Throws an error that lists every reference from a file in a folder to a missing file. */
export function checkReferences(folder) {
  const missing = scriptsIn(folder).flatMap((output) => {
    const text = readFileSync(output, 'utf8');
    const references = [...matches(text, namedFile), ...matches(text, importedFile)];
    return references
      .filter((reference) => !existsSync(resolve(dirname(output), reference)))
      .map((reference) => `${relative(folder, output)} refers to ${reference}, which is not in the build`);
  });
  if (missing.length > 0) throw new Error(missing.join('\n'));
}

function scriptsIn(folder) {
  return readdirSync(folder, { recursive: true })
    .filter((name) => /\.c?js$/.test(name))
    .map((name) => join(folder, name));
}

function matches(text, pattern) {
  return [...text.matchAll(pattern)].map(([, , path]) => path);
}
