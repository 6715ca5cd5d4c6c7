import type { Command } from 'commander';
import { normaliseInput } from '../../client/normalise.js';
import type { Context } from '../context.js';
import { defineFileDetails } from '../jobs/file-details.js';
import { inputText } from '../output/job-text.js';

/** `venc input ID`: details of an input (section 4.6). */
export function define(command: Command, context: Context): void {
  defineFileDetails(command, context, {
    name: 'input',
    route: 'inputDetails',
    normalise: normaliseInput,
    text: inputText,
  });
}
