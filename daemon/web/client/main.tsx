import { showCompare } from './compare.js';
import { showJob } from './job.js';
import { showMachine } from './machine.js';
import { showQueue } from './queue.js';

const data = JSON.parse(document.querySelector('#data')?.textContent ?? '{}');

/** The views by their names. Those with forms need the tables of settings, and are loaded by themselves. */
const views: Readonly<Record<string, () => void | Promise<void>>> = {
  queue: () => showQueue(data),
  submit: async () => (await import('./submit.js')).showSubmit(data),
  job: () => showJob(data),
  compare: () => showCompare(data),
  machine: () => showMachine(data),
  settings: async () => (await import('./settings.js')).showSettings(data),
};

void views[document.body.dataset.view ?? '']?.();
