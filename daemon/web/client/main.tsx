import { showJob } from './job.js';
import { showMachine } from './machine.js';
import { showQueue } from './queue.js';

const views = { queue: showQueue, job: showJob, machine: showMachine } as const;

const data = JSON.parse(document.querySelector('#data')?.textContent ?? '{}');
const name = document.body.dataset.view as keyof typeof views;
views[name]?.(data);
