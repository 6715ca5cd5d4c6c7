/*
 * Loaded by launch.cjs for --debug: maps stack traces to the lines of the sources. The option --enable-source-maps of
 * Node does this only for modules, not for a script with a code cache.
 */
const { existsSync, readFileSync } = require('node:fs');
const { SourceMap } = require('node:module');
const { dirname, relative, resolve } = require('node:path');
const { fileURLToPath } = require('node:url');

const packageFolder = resolve(__dirname, '../..');
const maps = new Map();

/**
 * Maps the stacks of all errors created from now on. `firstColumn`: the number of columns that launch.cjs inserted
 * before the first line of each script, a .cjs file in `folder`.
 */
function mapStacks(folder, firstColumn) {
  Error.prepareStackTrace = (error, sites) => {
    const frames = sites.map((site) => `\n    at ${mapped(site, folder, firstColumn)}`);
    return `${error}${frames.join('')}`;
  };
}

function mapped(site, folder, firstColumn) {
  const text = site.toString();
  const name = site.getFileName();
  if (name === null || name.startsWith('node:')) return text;
  const path = name.startsWith('file:') ? fileURLToPath(name) : name;
  const [line, column] = [site.getLineNumber(), site.getColumnNumber()];
  const shift = line === 1 && dirname(path) === folder && path.endsWith('.cjs') ? firstColumn : 0;
  const entry = mapOf(path)?.findEntry(line - 1, column - 1 - shift);
  if (entry?.originalSource === undefined) return text;
  const source = relative(packageFolder, resolve(dirname(path), entry.originalSource));
  const location = `${source}:${entry.originalLine + 1}:${entry.originalColumn + 1}`;
  return text.replace(`${name}:${line}:${column}`, location);
}

function mapOf(path) {
  if (!maps.has(path)) {
    const file = `${path}.map`;
    maps.set(path, existsSync(file) ? new SourceMap(JSON.parse(readFileSync(file, 'utf8'))) : undefined);
  }
  return maps.get(path);
}

module.exports = { mapStacks };
