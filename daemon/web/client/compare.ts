import { type CompareState, framePath, timeLink, withinVideo } from '../views/compare.js';
import { attempt, send } from './call.js';

/** Widths of the images that are asked for, so that few different ones are made. */
const widths = [640, 960, 1280, 1920] as const;
/** Images are asked for when no other time was chosen for this long, in milliseconds. */
const delayMs = 80;
/** Used if the frame rate is not known. */
const assumedFramesPerSecond = 25;

const sides = ['source', 'output'] as const;
type Side = (typeof sides)[number];

/** Puts the source on the output, with a border that can be moved, and goes to other times by buttons and keys. */
export function showCompare(state: CompareState): void {
  const form = document.querySelector<HTMLFormElement>('.moment');
  const both = document.querySelector<HTMLElement>('#sides');
  if (form !== null && both !== null) new Comparison(state, form, both).start();
}

class Comparison {
  readonly #state: CompareState;
  readonly #form: HTMLFormElement;
  readonly #both: HTMLElement;
  readonly #images: Readonly<Record<Side, HTMLImageElement>>;
  readonly #border = element<HTMLInputElement>('border');
  readonly #timeField = element<HTMLInputElement>('time');
  #time: number;
  /** That of the images which are shown. */
  #shownTime: number;
  /** The position in the list of the worst times. */
  #worstIndex = 0;
  #timer: ReturnType<typeof setTimeout> | null = null;
  /** The images that are being loaded; null if none are. */
  #loading: AbortController | null = null;

  constructor(state: CompareState, form: HTMLFormElement, both: HTMLElement) {
    this.#state = state;
    this.#form = form;
    this.#both = both;
    this.#images = { source: element('source-image'), output: element('output-image') };
    this.#time = state.time;
    this.#shownTime = state.time;
  }

  start(): void {
    element('compared').classList.add('is-stacked');
    this.#border.hidden = false;
    element('switch').hidden = false;
    this.#border.addEventListener('input', () => this.#drawBorder());
    element('toggle').addEventListener('click', () => this.#toggle());
    this.#form.addEventListener('submit', (event) => {
      event.preventDefault();
      this.#goTo(this.#timeField.valueAsNumber);
    });
    this.#follow('previous', () => this.#goTo(this.#time - 1));
    this.#follow('next', () => this.#goTo(this.#time + 1));
    this.#follow('worst', () => this.#goToWorst());
    for (const kind of ['pointerdown', 'pointermove'] as const)
      this.#both.addEventListener(kind, (event) => this.#drag(event));
    document.addEventListener('keydown', (event) => this.#onKey(event));
    for (const image of Object.values(this.#images)) {
      image.draggable = false;
      image.addEventListener('error', () => this.#load(), { once: true });
      // It failed before this script ran.
      if (image.complete && image.naturalWidth === 0) this.#load();
    }
    this.#drawBorder();
  }

  /** A link is followed by this script, unless it is opened in another tab. */
  #follow(id: string, go: () => void): void {
    document.getElementById(id)?.addEventListener('click', (event) => {
      if (event.ctrlKey || event.metaKey || event.shiftKey) return;
      event.preventDefault();
      go();
    });
  }

  #onKey(event: KeyboardEvent): void {
    const { target, key, shiftKey, ctrlKey, metaKey, altKey, repeat: isHeld } = event;
    if (ctrlKey || metaKey || altKey) return;
    const isOnField = target instanceof HTMLInputElement;
    const isOnButton = target instanceof HTMLButtonElement || target instanceof HTMLAnchorElement;
    const direction = key === 'ArrowLeft' ? -1 : key === 'ArrowRight' ? 1 : 0;
    if (direction !== 0 && !isOnField) {
      if (shiftKey) this.#goTo(this.#time + direction, isHeld);
      else this.#step(direction, isHeld);
    } else if (key === 't' || (key === ' ' && !isOnField && !isOnButton)) this.#toggle();
    else if (key === 'w' && this.#state.worst.length > 0) this.#goToWorst();
    else return;
    event.preventDefault();
  }

  /** Goes to the middle of a frame, where the time of no other one is near. */
  #step(direction: number, isHeld: boolean): void {
    const rate = this.#state.framesPerSecond ?? assumedFramesPerSecond;
    const frame = Math.floor(this.#time * rate + 0.01);
    this.#goTo((frame + direction + 0.5) / rate, isHeld);
  }

  #goToWorst(): void {
    const { worst } = this.#state;
    // From a time that is not in the list, it begins with the first.
    const isThere = this.#time === worst[this.#worstIndex];
    this.#worstIndex = isThere ? (this.#worstIndex + 1) % worst.length : 0;
    this.#goTo(worst[this.#worstIndex] ?? 0);
  }

  /** Goes to a time. While a key is held, images are shown as fast as they come, and none is stopped for the next one. */
  #goTo(time: number, isHeld = false): void {
    if (!Number.isFinite(time)) return;
    this.#time = withinVideo(this.#state, time);
    this.#timeField.value = String(this.#time);
    for (const [id, distance] of [
      ['previous', -1],
      ['next', 1],
    ] as const)
      element<HTMLAnchorElement>(id).href = timeLink(
        this.#state,
        withinVideo(this.#state, this.#time + distance),
      );
    history.replaceState(null, '', timeLink(this.#state, this.#time));
    if (isHeld && this.#loading !== null) return;
    this.#loading?.abort();
    this.#loading = null;
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
    if (isHeld) this.#load();
    else this.#timer = setTimeout(() => this.#load(), delayMs);
  }

  /** Loads both images, and shows them together. What was loading is stopped, which stops the daemon as well. */
  #load(): void {
    this.#loading?.abort();
    const loading = new AbortController();
    this.#loading = loading;
    const { signal } = loading;
    const time = this.#time;
    const wanted = Math.max(1, this.#form.clientWidth) * devicePixelRatio;
    const width = widths.find((one) => one >= wanted) ?? widths[widths.length - 1] ?? wanted;
    this.#both.setAttribute('aria-busy', 'true');
    void attempt(async () => {
      try {
        const loaded = await Promise.all(
          sides.map(async (side) => {
            const path = framePath(this.#state, side, { time, width });
            return (await send('GET', path, undefined, signal)).blob();
          }),
        );
        if (signal.aborted) return;
        for (const [index, side] of sides.entries()) this.#show(side, loaded[index], time);
        this.#shownTime = time;
        this.#both.removeAttribute('aria-busy');
        this.#say();
      } catch (error) {
        if (signal.aborted) return;
        this.#both.removeAttribute('aria-busy');
        throw error;
      } finally {
        if (this.#loading === loading) {
          this.#loading = null;
          // Another time was chosen meanwhile by a held key.
          if (this.#time !== time) this.#load();
        }
      }
    });
  }

  #show(side: Side, blob: Blob | undefined, time: number): void {
    if (blob === undefined) return;
    const image = this.#images[side];
    if (image.src.startsWith('blob:')) URL.revokeObjectURL(image.src);
    image.src = URL.createObjectURL(blob);
    image.alt = `${side === 'source' ? 'Source' : 'Output'} at ${time} s`;
  }

  #drag({ buttons, clientX }: PointerEvent): void {
    if ((buttons & 1) === 0) return;
    const { left, width } = this.#both.getBoundingClientRect();
    this.#border.value = String(Math.round(((clientX - left) / width) * 100));
    this.#drawBorder();
  }

  /** Shows only the source, or only the output. */
  #toggle(): void {
    this.#border.value = this.#border.value === '100' ? '0' : '100';
    this.#drawBorder();
  }

  #drawBorder(): void {
    const { value } = this.#border;
    element('compared').style.setProperty('--border', `${value}%`);
    this.#border.setAttribute('aria-valuetext', `${value} % source`);
    this.#say();
  }

  #say(): void {
    const { value } = this.#border;
    const shown =
      value === '100' ? 'Source' : value === '0' ? 'Output' : `Source on the left, output on the right`;
    const text = `${shown}, at ${this.#shownTime} s.`;
    const line = element('shown');
    // A screen reader reads every change.
    if (line.textContent !== text) line.textContent = text;
  }
}

function element<T extends HTMLElement>(id: string): T {
  const found = document.getElementById(id);
  if (found === null) throw new Error(`The document has no #${id}.`);
  return found as T;
}
