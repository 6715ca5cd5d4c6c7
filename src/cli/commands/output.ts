import type { Command } from 'commander';
import { normaliseOutput } from '../../client/normalise.js';
import type { Context } from '../context.js';
import { defineFileDetails } from '../jobs/file-details.js';
import { outputText } from '../output/job-text.js';

/** `venc output ID`: details of an output (section 4.7). */
export function define(command: Command, context: Context): void {
  defineFileDetails(command, context, {
    name: 'output',
    route: 'outputDetails',
    normalise: normaliseOutput,
    text: outputText,
  });
}
