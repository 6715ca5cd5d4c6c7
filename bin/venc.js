#!/usr/bin/env node
const { main } = require('../dist/venc/launch.cjs');

main(process.argv.slice(2));
