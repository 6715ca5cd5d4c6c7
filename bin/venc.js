#!/usr/bin/env node
import { main } from '../dist/venc/main.js';

await main(process.argv.slice(2));
