import { readInput, readInputProgress, readOutput, readOutputProgress } from '../../actions/read-jobs.js';
import type { Handler } from '../handler.js';
import { idOf } from './jobs.js';

/** `GET /v2/inputs/<id>` (section 4.6). */
export const getInput: Handler = async (workshop, { params }, account) => ({
  status: 200,
  record: await readInput(workshop, account.id, idOf(params)),
});

/** `GET /v2/inputs/<id>/progress` (section 4.8). */
export const getInputProgress: Handler = async (workshop, { params }, account) => ({
  status: 200,
  record: await readInputProgress(workshop, account.id, idOf(params)),
});

/** `GET /v2/outputs/<id>` (section 4.7). */
export const getOutput: Handler = async (workshop, { params }, account) => ({
  status: 200,
  record: await readOutput(workshop, account.id, idOf(params)),
});

/** `GET /v2/outputs/<id>/progress` (section 4.9). */
export const getOutputProgress: Handler = async (workshop, { params }, account) => ({
  status: 200,
  record: await readOutputProgress(workshop, account.id, idOf(params)),
});
