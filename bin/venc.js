#!/usr/bin/env node
// In words that old Nodes can read: one too old for the program is to get a sentence, and not the stack of an import that it cannot do.
const version = process.versions.node.split('.').map(Number);

if (version[0] < 20 || (version[0] === 20 && version[1] < 18)) {
  process.stderr.write(`venc needs Node 20.18 or newer, this is ${process.versions.node}.\n`);
  process.exitCode = 2;
} else {
  require('../dist/venc/launch.cjs').main(process.argv.slice(2));
}
