/** @jsxImportSource hono/jsx */
import type { Child } from 'hono/jsx';
import type { JobChangesRecord, JobProgressRecord, JobRecord } from '../../../src/shared/records.js';
import { isFinal } from '../../../src/shared/states.js';
import {
  filterStates,
  heldCounts,
  JobRow,
  ofAccount,
  type QueueData,
  QueueHead,
  type QueueHeadState,
  queryOf,
  rowOf,
} from '../views/queue.js';
import { read, refresh, root, send, unreachable } from './call.js';
import { mount } from './mount.js';
import { follow } from './stream.js';

/** Jobs that are loaded at once: a page of the API. */
const perPage = 50;
/** Pages that stay in memory. */
const maxPages = 40;
/** Rows that are drawn above and below those in view. */
const margin = 8;
/** The list is loaded again at most this often, in milliseconds. */
const reloadMs = 2000;
/** Time until a load that failed is tried again, in milliseconds. */
const retryMs = 5000;
/** Jobs whose progress is read without a stream. */
const maxProgressReads = 10;
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
  /** The page of the document, from 0. */
  readonly #firstPage: number;
  /** By number, from 0; in the order of their last use. */
  readonly #pages = new Map<number, readonly JobRecord[]>();
  readonly #loading = new Set<number>();
  readonly #progress = new Map<number, JobProgressRecord>();
  #head: QueueHeadState;
  /** Whether the progress of all jobs that run is known. */
  #isWhole = false;
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
    this.#firstPage = page - 1;
    this.#pages.set(this.#firstPage, jobs);
    for (const one of progress) this.#progress.set(one.id, one);
  }

  start(): void {
    this.#measureRow();
    document.querySelector('.pages')?.remove();
    this.#drawHead = mount(this.#headElement, (state) => <QueueHead {...state} />, this.#head);
    this.#drawRows = mount(this.#list, ({ rows }) => <>{rows}</>, { rows: [] as Child[] });
    this.#makeRoom();
    this.#restorePlace();
    this.#draw();
    addEventListener('scroll', () => this.#schedule(), { passive: true });
    addEventListener('resize', () => {
      this.#measureRow();
      this.#schedule();
    });
    setInterval(() => this.#schedule(), agesMs);
    const { account } = this.#head.filter;
    follow(
      account === '' ? {} : { account },
      (message) => this.#apply(message),
      () => this.#readAgain(),
    );
  }

  /** Goes back to the place in the list that was left for a job; else to the page that the address names. */
  #restorePlace(): void {
    const key = `place of ${location.href}`;
    history.scrollRestoration = 'manual';
    const [entry] = performance.getEntriesByType('navigation');
    const isBack = entry instanceof PerformanceNavigationTiming && entry.type === 'back_forward';
    const { top } = this.#list.getBoundingClientRect();
    const rows = Math.min(this.#firstPage * perPage, Math.max(0, this.#head.total - 1));
    if (isBack) scrollTo(0, Number(sessionStorage.getItem(key) ?? 0));
    else if (rows > 0) scrollTo(0, top + scrollY + rows * this.#rowHeight);
    addEventListener('pagehide', () => sessionStorage.setItem(key, String(scrollY)));
  }

  /** Makes the document as high as all rows, before they are drawn. */
  #makeRoom(): void {
    this.#drawHead(this.#head);
    this.#list.style.paddingBottom = `${this.#head.total * this.#rowHeight}px`;
  }

  #measureRow(): void {
    const first = this.#list.firstElementChild;
    if (first instanceof HTMLElement && first.offsetHeight > 0) this.#rowHeight = first.offsetHeight;
  }

  #apply({ reset, active, more, queue, jobs, removed }: JobChangesRecord): void {
    if (queue !== undefined) this.#head = { ...this.#head, queue };
    const records = new Map([...this.#pages.values()].flat().map((job) => [job.id, job]));
    let isListChanged = reset === true || removed.length > 0;
    if (active === true) {
      // What happened between the document and this message is not in it.
      const ids = new Set(jobs.map(({ id }) => id));
      const newest = Math.max(0, ...records.keys());
      const hasEnded = [...records.values()].some(({ id, state }) => !isFinal(state) && !ids.has(id));
      if ((hasEnded && more === undefined) || jobs.some(({ id }) => id > newest)) isListChanged = true;
      this.#progress.clear();
      this.#isWhole = more === undefined && this.#head.filter.account === '';
    }
    for (const job of jobs) {
      const before = this.#progress.get(job.id)?.state ?? records.get(job.id)?.state;
      if (before !== job.state && (active !== true || before !== undefined)) isListChanged = true;
      if (isFinal(job.state)) this.#progress.delete(job.id);
      else this.#progress.set(job.id, job);
      if (this.#isSearch() && isFinal(job.state) && records.has(job.id)) void this.#loadRow(job.id);
    }
    for (const id of removed) this.#progress.delete(id);
    if (this.#isWhole) this.#head = { ...this.#head, held: heldCounts(this.#progress.values()) };
    if (this.#isSearch()) this.#drop(removed);
    if (isListChanged) this.#reload();
    this.#schedule();
  }

  /** Reads what is in view, and its progress, without events. Rejects if the daemon does not answer. */
  async #readAgain(): Promise<void> {
    const pages = this.#pagesInView();
    const loads = [...(this.#isSearch() ? [] : pages.map((page) => this.#load(page))), this.#loadCounts()];
    if ((await Promise.all(loads)).includes(false)) throw new Error(unreachable);
    const running = pages
      .flatMap((page) => this.#pages.get(page) ?? [])
      .filter(({ state, account }) => state === 'processing' && account === undefined);
    for (const { id } of running.slice(0, maxProgressReads))
      this.#progress.set(id, await read<JobProgressRecord>(`jobs/${id}/progress`));
    this.#isWhole = false;
    this.#schedule();
  }

  #isSearch(): boolean {
    return this.#head.filter.q !== '' || this.#head.filter.label !== '';
  }

  /** Loads one job of the result of a search again. */
  async #loadRow(id: number): Promise<void> {
    const { account } = this.#head.filter;
    await refresh(async () => {
      const { job } = await read<{ readonly job: JobRecord }>(
        `jobs/${id}${account === '' ? '' : ofAccount(account)}`,
      );
      for (const [page, jobs] of this.#pages)
        this.#pages.set(
          page,
          jobs.map((one) => (one.id === id ? job : one)),
        );
    });
    this.#schedule();
  }

  /** Takes jobs that were removed out of the result of a search. */
  #drop(ids: readonly number[]): void {
    for (const [page, jobs] of this.#pages) {
      const kept = jobs.filter(({ id }) => !ids.includes(id));
      this.#head = { ...this.#head, total: this.#head.total - (jobs.length - kept.length) };
      this.#pages.set(page, kept);
    }
  }

  /** Loads what is in view again, soon. The result of a search stays: each would read thousands of jobs. */
  #reload(waitMs = reloadMs): void {
    if (this.#isReloading || this.#isSearch()) return;
    this.#isReloading = true;
    setTimeout(async () => {
      this.#isReloading = false;
      const inView = this.#pagesInView();
      for (const page of this.#pages.keys()) if (!inView.includes(page)) this.#pages.delete(page);
      const loads = [...inView.map((page) => this.#load(page)), this.#loadCounts()];
      // Whatever failed is tried again: the list would stay as it was.
      if ((await Promise.all(loads)).includes(false)) this.#reload(retryMs);
    }, waitMs);
  }

  async #loadCounts(): Promise<boolean> {
    if (this.#head.filter.account !== '') return true;
    const isLoaded = await refresh(async () => {
      const counts = await Promise.all(
        filterStates.map(async (state) => {
          const response = await send('GET', `jobs?per_page=1&state=${state}`);
          return [state, Number(response.headers.get('X-Total-Count'))] as const;
        }),
      );
      this.#head = { ...this.#head, counts: Object.fromEntries(counts) };
    });
    this.#schedule();
    return isLoaded;
  }

  async #load(page: number): Promise<boolean> {
    if (this.#loading.has(page)) return true;
    this.#loading.add(page);
    const position = { page: String(page + 1), per_page: String(perPage) };
    const isLoaded = await refresh(async () => {
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
    return isLoaded;
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
      const row = rowOf(job, this.#progress.get(job.id), this.#head.ownAccount);
      return (
        <JobRow key={String(job.id)} row={row} root={root} now={now} position={position + 1} total={total} />
      );
    });
  }
}
