import { readInput, readInputProgress, readOutput, readOutputProgress } from '../../actions/read-jobs.js';
import type { RouteHandler } from '../route-handler.js';
import { idOf } from './jobs.js';

/** `GET /v2/inputs/<id>` (section 4.6). */
export const getInput: RouteHandler = async (appContext, { params }, account) => ({
  status: 200,
  record: await readInput(appContext, account.id, idOf(params)),
});

/** `GET /v2/inputs/<id>/progress` (section 4.8). */
export const getInputProgress: RouteHandler = async (appContext, { params }, account) => ({
  status: 200,
  record: await readInputProgress(appContext, account.id, idOf(params)),
});

/** `GET /v2/outputs/<id>` (section 4.7). */
export const getOutput: RouteHandler = async (appContext, { params }, account) => ({
  status: 200,
  record: await readOutput(appContext, account.id, idOf(params)),
});

/** `GET /v2/outputs/<id>/progress` (section 4.9). */
export const getOutputProgress: RouteHandler = async (appContext, { params }, account) => ({
  status: 200,
  record: await readOutputProgress(appContext, account.id, idOf(params)),
});
