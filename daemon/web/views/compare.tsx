/** @jsxImportSource hono/jsx */
import { safeText } from '../../../src/shared/text/safe-text.js';

/** The width of the images that the document has, in pixels. Its script asks for those that fit the screen. */
export const firstImageWidth = 1280;

/** What the view of a comparison begins with. */
export interface CompareState {
  readonly jobId: number;
  /** The name of the input. */
  readonly name: string;
  /** null if no output can be compared. */
  readonly outputId: number | null;
  /** The outputs with video. */
  readonly outputs: readonly { readonly id: number; readonly label: string }[];
  /** Why there is no comparison; null if there is one. */
  readonly problem: string | null;
  /** Seconds from the start of the output. */
  readonly time: number;
  /** The length of the output; null if it is not known. */
  readonly seconds: number | null;
  readonly framesPerSecond: number | null;
  /** The times with the lowest scores, the worst first; empty if the quality was not measured. */
  readonly worst: readonly number[];
}

/** The path of an image below `/ui/api/`. */
export function framePath(
  { jobId, outputId }: Pick<CompareState, 'jobId' | 'outputId'>,
  side: 'source' | 'output',
  { time, width }: { readonly time: number; readonly width: number },
): string {
  const query = { side, output: String(outputId), time: String(time), width: String(width) };
  return `jobs/${jobId}/frame?${new URLSearchParams(query)}`;
}

/** The address of the view at another time, relative to itself. */
export function timeLink({ outputId }: Pick<CompareState, 'outputId'>, time: number): string {
  return `?output=${outputId}&time=${time}`;
}

/** A time within a video: not before its start nor after its end, in whole milliseconds. */
export function withinVideo({ seconds }: Pick<CompareState, 'seconds'>, time: number): number {
  return Math.round(Math.max(0, Math.min(time, seconds ?? time)) * 1000) / 1000;
}

/** The source and an output at the same time. A script puts the one on the other. */
export function CompareView(state: CompareState & { readonly root: string }) {
  const { jobId, name, outputId, outputs, problem, root } = state;
  return (
    <>
      <div class="head">
        <h1>
          Compare <bdi>{safeText(name)}</bdi>
        </h1>
        <a href={`${root}jobs/${jobId}`}>Job {jobId}</a>
      </div>
      {outputs.length < 2 ? null : (
        <ul class="states" aria-label="Outputs">
          {outputs.map(({ id, label }) => (
            <li key={id}>
              <a href={`?output=${id}`} aria-current={id === outputId ? 'true' : undefined}>
                <bdi>{safeText(label)}</bdi>
              </a>
            </li>
          ))}
        </ul>
      )}
      {problem === null ? <Comparison {...state} /> : <p class="warning">{problem}</p>}
    </>
  );
}

function Comparison(state: CompareState & { readonly root: string }) {
  const { outputId, time, seconds, worst, root } = state;
  const image = (side: 'source' | 'output') => ({
    id: `${side}-image`,
    src: `${root}api/${framePath(state, side, { time, width: firstImageWidth })}`,
  });
  return (
    <>
      <form class="moment" method="get">
        <input type="hidden" name="output" value={String(outputId)} />
        <label for="time">Time in seconds</label>
        <input
          id="time"
          name="time"
          type="number"
          min="0"
          max={seconds === null ? undefined : String(seconds)}
          step="any"
          value={String(time)}
          required
        />
        <button type="submit">Show</button>
        <a id="previous" href={timeLink(state, withinVideo(state, time - 1))}>
          Previous second
        </a>
        <a id="next" href={timeLink(state, withinVideo(state, time + 1))}>
          Next second
        </a>
        {worst[0] === undefined ? null : (
          <a id="worst" href={timeLink(state, worst[0])}>
            Worst second
          </a>
        )}
      </form>
      <div class="compared" id="compared">
        <div class="sides" id="sides">
          <figure class="of-source">
            <figcaption>Source</figcaption>
            <img {...image('source')} alt={`Source at ${time} s`} />
          </figure>
          <figure class="of-output">
            <figcaption>Output</figcaption>
            <img {...image('output')} alt={`Output at ${time} s`} />
          </figure>
        </div>
        <input
          id="border"
          type="range"
          min="0"
          max="100"
          value="50"
          aria-label="Border between the source, on the left, and the output"
          hidden
        />
      </div>
      <p id="shown" class="hint" role="status"></p>
      <div id="switch" hidden>
        <button id="toggle" type="button">
          Source or output (t)
        </button>
        <p class="hint">
          Keys: <kbd>←</kbd> and <kbd>→</kbd> go to the previous and the next frame, with <kbd>Shift</kbd> a
          second. <kbd>t</kbd> or <kbd>Space</kbd> shows only the source, or only the output.
          {worst.length === 0 ? null : (
            <>
              {' '}
              <kbd>w</kbd> goes to the worst second, and then to the next worst part.
            </>
          )}
        </p>
      </div>
    </>
  );
}
