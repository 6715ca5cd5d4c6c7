/*
 * Bundles `import 'venc/client'`: a file for ES modules and one for CommonJS. Each has at most
 * 10,240 bytes after gzip, because browsers load it.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';

const maxBytes = 10_240;
/** Names of properties that no one else sees. */
const internalNames =
  /^(?:call|content|extend|firstMs|hasStarted|idOf|isAfterReturn|isNullable|isOptional|isValid|isVenc|mask|maxMs|newestIds|progressOf|repeat|retryAfterSeconds|retryMs|subject|timeoutMs|transport)$/;

/** Builds the client into a folder. `common` are the options of every build. Returns the result, for its metafile. */
export async function buildClient(folder, common) {
  const result = await build({
    ...common,
    entryPoints: ['dist/src/rest-client/index.js'],
    outfile: `${folder}/rest-client.mjs`,
    format: 'esm',
    platform: 'neutral',
    target: 'es2022',
    minify: true,
    // An uncaught error prints its line.
    lineLimit: 1500,
    mangleProps: internalNames,
    sourcemap: false,
    external: [],
    plugins: [{ name: 'bare-records', setup: bareRecords }],
  });
  const module = readFileSync(`${folder}/rest-client.mjs`, 'utf8');
  writeFileSync(`${folder}/rest-client.cjs`, toCommonJs(module));
  for (const name of ['rest-client.mjs', 'rest-client.cjs']) checkSize(`${folder}/${name}`);
  return result;
}

/** The form that Node.js finds the names of the exports in. That of esbuild is 200 bytes longer after gzip. */
function toCommonJs(module) {
  const [end, list] = /\bexport\s*\{([^}]*)\};?\s*$/.exec(module);
  const lines = list.split(',').map((entry) => {
    const [local, name = local] = entry.trim().split(' as ');
    return `exports.${name}=${local};`;
  });
  return `"use strict";${module.slice(0, -end.length)}${lines.join('')}\n`;
}

function checkSize(path) {
  const size = gzipSync(readFileSync(path), { level: 9 }).length;
  if (size > maxBytes) throw new Error(`${path} has ${size} bytes after gzip, more than ${maxBytes}`);
}

/**
 * Leaves out of the tables of records what reading them does not need: the descriptions, and optional fields, which are
 * additions of venc and therefore have their form.
 */
function bareRecords(bundler) {
  bundler.onLoad({ filter: /\/dist\/src\/shared\/records\/.*\.js$/ }, async ({ path }) => {
    const lines = Object.entries(await load(path))
      .filter(([, value]) => typeof value === 'object')
      .map(([name, value]) => `export const ${name} = ${literal(bareTable(value))};`);
    return { contents: lines.join('\n') };
  });
}

/** The exports of a module, which has nothing but tables. */
async function load(path) {
  const { outputFiles } = await build({ entryPoints: [path], bundle: true, format: 'cjs', write: false });
  const module = { exports: {} };
  new Function('module', outputFiles[0].text)(module);
  return module.exports;
}

function bareTable(table) {
  const required = Object.entries(table).filter(([, { isOptional }]) => isOptional !== true);
  return Object.fromEntries(required.map(([name, field]) => [name, bareField(field)]));
}

function bareField({ type, isNullable, format, fields, of, item, words }) {
  return {
    ...{ type, isNullable, item, words },
    ...(format === 'date-time' ? { format } : {}),
    ...(fields === undefined ? {} : { fields: bareTable(fields) }),
    ...(of === undefined ? {} : { of: bareField(of) }),
  };
}

/** A value as an expression, with names that can be shortened. */
function literal(value) {
  return JSON.stringify(value).replace(/"(\w+)":/g, '$1:');
}
