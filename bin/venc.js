#!/usr/bin/env node
// Written in syntax that old versions of Node read, so that a Node too old for the program gets a sentence instead of a syntax error.
const [major, minor, patch] = process.versions.node.split('.').map(Number);

if (major < 20 || (major === 20 && (minor < 18 || (minor === 18 && patch < 1)))) {
  process.stderr.write(`venc needs Node 20.18.1 or newer, this is ${process.versions.node}.\n`);
  process.exitCode = 2;
} else {
  require('../dist/venc/launch.cjs').main(process.argv.slice(2));
}
