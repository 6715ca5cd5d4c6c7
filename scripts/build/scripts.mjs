/*
 * The scripts that launch.cjs runs. A command loads only those that it needs, because reading a script and its code cache
 * takes most of the start-up time. Each module is in one script; the others refer to it as `NAME.cjs:PATH`, with its path
 * below dist/, and launch.cjs resolves that.
 */
import { execFileSync } from 'node:child_process';
import { relative } from 'node:path';

/**
 * The scripts of the command line, in the order in which they are filled: each has its first modules with all that these
 * import, and what is imported lazily from `lazyFolders`, except for modules that are in a script before it.
 */
const commandScripts = [
  { name: 'main', first: ['cli/main'], lazyFolders: [] },
  { name: 'base', first: ['cli/completion/complete', 'config/config'], lazyFolders: [] },
  { name: 'words', first: ['cli/completion/command-nodes'], lazyFolders: [] },
  { name: 'program', first: ['cli/program', 'cli/help/topics'], lazyFolders: [] },
  { name: 'list', first: [...commands('list'), 'client/target', 'config/targets'], lazyFolders: [] },
  {
    name: 'follow',
    first: commands('progress', 'show', 'wait'),
    lazyFolders: ['src/client/', 'src/config/'],
  },
  {
    name: 'jobs',
    first: commands('submit'),
    lazyFolders: ['src/cli/input/', 'src/cli/submit/', 'src/shared/settings/'],
  },
  { name: 'commands', first: [], lazyFolders: [''] },
];

function commands(...names) {
  return names.map((name) => `cli/commands/${name}`);
}

/**
 * Assigns modules to the scripts of the command line. `inputs` is the module graph in the metafile of esbuild, with paths
 * relative to the root. Returns the name of the script of each module.
 */
export function placeModules(inputs) {
  const places = new Map();
  for (const { name, first, lazyFolders } of commandScripts) {
    const isOwn = (path) => lazyFolders.some((folder) => path.startsWith(`dist/${folder}`));
    /** What a module imports that belongs to the same script: its lazy imports only if they are the script's own. */
    const importsOf = (path, isLazyOnly = false) =>
      inputs[path].imports
        .filter(({ path: imported, kind, external }) => {
          if (external === true) return false;
          return kind === 'dynamic-import' ? isOwn(imported) : !isLazyOnly;
        })
        .map((one) => one.path);
    const reached = [
      ...first.map((path) => `dist/src/${path}.js`),
      // The others of these modules are in their own script.
      ...[...places.keys()].flatMap((path) => importsOf(path, true)),
    ];
    for (const path of reached) {
      if (places.has(path)) continue;
      places.set(path, name);
      reached.push(...importsOf(path));
    }
  }
  return places;
}

/** The modules of each script that other scripts refer to, and the entry point. */
export function offeredModules(inputs, places, entryPoint) {
  const offered = new Map(commandScripts.map(({ name }) => [name, new Set()]));
  offered.get(places.get(entryPoint)).add(entryPoint);
  for (const [path, { imports }] of Object.entries(inputs))
    for (const { path: imported, external } of imports)
      if (external !== true && places.get(path) !== places.get(imported))
        offered.get(places.get(imported)).add(imported);
  return offered;
}

/** An esbuild plugin that replaces the module of the commands as data by its answers. */
export function evaluateCommandNodes(root) {
  return {
    name: 'command-nodes',
    setup(bundler) {
      bundler.onLoad({ filter: /\/cli\/completion\/command-nodes\.js$/ }, () => {
        const texts = execFileSync(process.execPath, [`${root}dist/scripts/command-nodes.js`], {
          maxBuffer: 1e8,
        });
        return { contents: `const texts = ${texts}; export ${commandNodesIn}` };
      });
    },
  };
}

const commandNodesIn = `async function commandNodes(requested) {
  const program = JSON.parse(texts['']);
  if (requested === undefined || !Object.hasOwn(texts, requested)) return program;
  const commands = program.commands.map((one) => one.path[0] === requested ? JSON.parse(texts[requested]) : one);
  return { ...program, commands };
}`;

/** A module that exports a function for each of these modules, which loads it. */
export function exportModules(paths) {
  const loaders = [...paths].map((path) => `'${path.replace(/^dist\//, '')}': () => require('./${path}')`);
  return `exports.modules = { ${loaders.join(', ')} };`;
}

/** An esbuild plugin that refers to modules of other scripts than `name`. */
export function referToOtherScripts(root, places, name) {
  return {
    name: 'other-scripts',
    setup(bundler) {
      bundler.onResolve({ filter: /./ }, async ({ path, pluginData, ...from }) => {
        if (pluginData === 'resolved' || from.kind === 'entry-point') return null;
        const found = await bundler.resolve(path, { ...from, pluginData: 'resolved' });
        const file = relative(root, found.path);
        const place = places.get(file);
        if (found.external || place === undefined || place === name) return found;
        return { path: `${place}.cjs:${file.replace(/^dist\//, '')}`, external: true };
      });
    },
  };
}
