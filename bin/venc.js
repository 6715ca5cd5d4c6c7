#!/usr/bin/env node
// Uses only syntax of old versions of Node, so that an unsupported version prints this message instead of a syntax
// error.
const [major, minor, patch] = process.versions.node.split('.').map(Number);

if (major < 20 || (major === 20 && (minor < 18 || (minor === 18 && patch < 1)))) {
  process.stderr.write(`venc needs Node 20.18.1 or newer, this is ${process.versions.node}.\n`);
  process.exitCode = 2;
} else {
  require('../dist/venc/launch.cjs').main(process.argv.slice(2));
}
