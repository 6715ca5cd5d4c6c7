/*
 * Loaded by launch.cjs with --debug: stack traces name the lines of the sources instead of those of the bundles. Node does this by itself
 * (--enable-source-maps) for modules only, not for a script with a code cache.
 */
const { existsSync, readFileSync } = require('node:fs');
const { SourceMap } = require('node:module');
const { dirname, relative, resolve } = require('node:path');
const { fileURLToPath } = require('node:url');

const packageFolder = resolve(__dirname, '../..');
const maps = new Map();

/** Turns the mapping on for every error that is made from now on. `firstColumns`: columns that launch.cjs put before a file's first line. */
function mapStacks(firstColumns) {
  Error.prepareStackTrace = (error, sites) => {
    const frames = sites.map((site) => `\n    at ${mapped(site, firstColumns)}`);
    return `${error}${frames.join('')}`;
  };
}

function mapped(site, firstColumns) {
  const text = site.toString();
  const name = site.getFileName();
  if (name === null || name.startsWith('node:')) return text;
  const path = name.startsWith('file:') ? fileURLToPath(name) : name;
  const [line, column] = [site.getLineNumber(), site.getColumnNumber()];
  const shift = line === 1 ? (firstColumns[path] ?? 0) : 0;
  const entry = mapOf(path)?.findEntry(line - 1, column - 1 - shift);
  if (entry?.originalSource === undefined) return text;
  const source = relative(packageFolder, resolve(dirname(path), entry.originalSource));
  const place = `${source}:${entry.originalLine + 1}:${entry.originalColumn + 1}`;
  return text.replace(`${name}:${line}:${column}`, place);
}

function mapOf(path) {
  if (!maps.has(path)) {
    const file = `${path}.map`;
    maps.set(path, existsSync(file) ? new SourceMap(JSON.parse(readFileSync(file, 'utf8'))) : undefined);
  }
  return maps.get(path);
}

module.exports = { mapStacks };
