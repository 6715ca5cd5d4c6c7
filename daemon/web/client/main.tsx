import { showCompare } from './compare.js';
import { showJob } from './job.js';
import { showMachine } from './machine.js';
import { showQueue } from './queue.js';
import { showSettings } from './settings.js';
import { showSubmit } from './submit.js';

const views = {
  queue: showQueue,
  submit: showSubmit,
  job: showJob,
  compare: showCompare,
  machine: showMachine,
  settings: showSettings,
} as const;

const data = JSON.parse(document.querySelector('#data')?.textContent ?? '{}');
const name = document.body.dataset.view as keyof typeof views;
views[name]?.(data);
