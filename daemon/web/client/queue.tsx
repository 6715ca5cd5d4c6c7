/** @jsxImportSource hono/jsx */
import type { Child } from 'hono/jsx';
import type { JobProgressRecord, JobRecord } from '../../../src/shared/records.js';
import { isFinal } from '../../../src/shared/states.js';
import {
  filterStates,
  JobRow,
  type QueueData,
  QueueHead,
  type QueueHeadState,
  queryOf,
  rowOf,
} from '../views/queue.js';
import { attempt, root, send } from './call.js';
import { mount } from './mount.js';
import { follow, type StreamMessage } from './stream.js';

/** Jobs that are loaded at once: a page of the API. */
const perPage = 50;
/** Pages that stay in memory. */
const maxPages = 40;
/** Rows that are drawn above and below those in view. */
const margin = 8;
/** The list is loaded again at most this often, in milliseconds. */
const reloadMs = 1000;
/** How often the ages are drawn again, in milliseconds. */
const agesMs = 10_000;

/** Shows the list of all jobs: only the rows in view are in the document. */
export function showQueue(data: QueueData): void {
  const head = document.querySelector<HTMLElement>('#head');
  const list = document.querySelector<HTMLElement>('#jobs');
  if (head !== null && list !== null) new QueueList(data, head, list).start();
}

class QueueList {
  readonly #headElement: HTMLElement;
  readonly #list: HTMLElement;
  readonly #offsetMs: number;
  /** By number, from 0; in the order of their last use. */
  readonly #pages = new Map<number, readonly JobRecord[]>();
  readonly #loading = new Set<number>();
  readonly #progress = new Map<number, JobProgressRecord>();
  #head: QueueHeadState;
  #rowHeight = 48;
  #isDrawing = false;
  #isReloading = false;
  #drawHead: (state: QueueHeadState) => void = () => {};
  #drawRows: (state: { readonly rows: Child[] }) => void = () => {};

  constructor(
    { jobs, progress, page, now, ...head }: QueueData,
    headElement: HTMLElement,
    list: HTMLElement,
  ) {
    this.#headElement = headElement;
    this.#list = list;
    this.#head = { root, ...head };
    this.#offsetMs = now - Date.now();
    this.#pages.set(page - 1, jobs);
    for (const one of progress) this.#progress.set(one.id, one);
  }

  start(): void {
    this.#measureRow();
    document.querySelector('.pages')?.remove();
    this.#drawHead = mount(this.#headElement, (state) => <QueueHead {...state} />, this.#head);
    this.#drawRows = mount(this.#list, ({ rows }) => <>{rows}</>, { rows: [] as Child[] });
    this.#draw();
    addEventListener('scroll', () => this.#schedule(), { passive: true });
    addEventListener('resize', () => {
      this.#measureRow();
      this.#schedule();
    });
    setInterval(() => this.#schedule(), agesMs);
    const { account } = this.#head.filter;
    follow(account === '' ? {} : { account }, (message) => this.#apply(message));
  }

  #measureRow(): void {
    const first = this.#list.firstElementChild;
    if (first instanceof HTMLElement && first.offsetHeight > 0) this.#rowHeight = first.offsetHeight;
  }

  #apply({ reset, active, queue, jobs, removed }: StreamMessage): void {
    if (queue !== undefined) this.#head = { ...this.#head, queue };
    if (active === true) this.#progress.clear();
    const records = new Map([...this.#pages.values()].flat().map((job) => [job.id, job]));
    let isListChanged = reset === true || removed.length > 0;
    for (const job of jobs) {
      const before = this.#progress.get(job.id)?.state ?? records.get(job.id)?.state;
      if (before !== job.state && (active !== true || before !== undefined)) isListChanged = true;
      if (isFinal(job.state)) this.#progress.delete(job.id);
      else this.#progress.set(job.id, job);
    }
    if (isListChanged) this.#reload();
    this.#schedule();
  }

  /** Loads what is in view again, soon. The result of a search stays: each would read thousands of jobs. */
  #reload(): void {
    const { q, label } = this.#head.filter;
    if (this.#isReloading || q !== '' || label !== '') return;
    this.#isReloading = true;
    setTimeout(async () => {
      this.#isReloading = false;
      const inView = this.#pagesInView();
      for (const page of this.#pages.keys()) if (!inView.includes(page)) this.#pages.delete(page);
      await Promise.all([...inView.map((page) => this.#load(page)), this.#loadCounts()]);
    }, reloadMs);
  }

  async #loadCounts(): Promise<void> {
    if (this.#head.filter.account !== '') return;
    await attempt(async () => {
      const counts = await Promise.all(
        filterStates.map(async (state) => {
          const response = await send('GET', `jobs?per_page=1&state=${state}`);
          return [state, Number(response.headers.get('X-Total-Count'))] as const;
        }),
      );
      this.#head = { ...this.#head, counts: Object.fromEntries(counts) };
    });
    this.#schedule();
  }

  async #load(page: number): Promise<void> {
    if (this.#loading.has(page)) return;
    this.#loading.add(page);
    const position = { page: String(page + 1), per_page: String(perPage) };
    const isLoaded = await attempt(async () => {
      const response = await send('GET', `jobs${queryOf(this.#head.filter, position)}`);
      this.#head = { ...this.#head, total: Number(response.headers.get('X-Total-Count')) };
      const records = (await response.json()) as readonly { readonly job: JobRecord }[];
      this.#pages.delete(page);
      this.#pages.set(
        page,
        records.map(({ job }) => job),
      );
      for (const oldest of [...this.#pages.keys()].slice(0, -maxPages)) this.#pages.delete(oldest);
    });
    // The next drawing tries again.
    if (!isLoaded) await new Promise((resolve) => setTimeout(resolve, reloadMs));
    this.#loading.delete(page);
    this.#schedule();
  }

  /** The positions of the rows that are drawn, from 0. */
  #range(): { readonly start: number; readonly end: number } {
    const { total } = this.#head;
    const { top } = this.#list.getBoundingClientRect();
    const first = Math.floor(-top / this.#rowHeight) - margin;
    const count = Math.ceil(innerHeight / this.#rowHeight) + 2 * margin;
    const start = Math.max(0, Math.min(first, total - count));
    return { start, end: Math.min(total, start + count) };
  }

  #pagesInView(): readonly number[] {
    const { start, end } = this.#range();
    const [from, to] = [Math.floor(start / perPage), Math.floor(Math.max(start, end - 1) / perPage)];
    return Array.from({ length: to - from + 1 }, (_, index) => from + index);
  }

  #schedule(): void {
    if (this.#isDrawing || document.hidden) return;
    this.#isDrawing = true;
    requestAnimationFrame(() => {
      this.#isDrawing = false;
      this.#draw();
    });
  }

  #draw(): void {
    const { total } = this.#head;
    for (const page of this.#pagesInView()) if (!this.#pages.has(page) && total > 0) void this.#load(page);
    const { start, end } = this.#range();
    this.#drawHead(this.#head);
    this.#drawRows({ rows: this.#rows(start, end) });
    this.#list.style.paddingTop = `${start * this.#rowHeight}px`;
    this.#list.style.paddingBottom = `${(total - end) * this.#rowHeight}px`;
  }

  #rows(start: number, end: number): Child[] {
    const { total } = this.#head;
    const now = Date.now() + this.#offsetMs;
    return Array.from({ length: end - start }, (_, index) => {
      const position = start + index;
      const job = this.#pages.get(Math.floor(position / perPage))?.[position % perPage];
      if (job === undefined)
        return (
          <li key={`position ${position}`} class="job" aria-setsize={total} aria-posinset={position + 1}>
            …
          </li>
        );
      const row = rowOf(job, this.#progress.get(job.id));
      return (
        <JobRow key={String(job.id)} row={row} root={root} now={now} position={position + 1} total={total} />
      );
    });
  }
}
