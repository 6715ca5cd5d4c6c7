import { Box } from 'ink';
import type { ReactNode } from 'react';
import { rowTitle } from '../file-cells.js';
import { fitColumns } from '../fit-columns.js';
import { footerText } from '../footer-text.js';
import { timeOfDay } from '../format.js';
import { headerText } from '../header-text.js';
import { helpLines } from '../help-lines.js';
import { jobCell, jobColumns } from '../job-cells.js';
import { shareRows, windowAround } from '../share-rows.js';
import type { WatchState } from '../watch-types.js';
import { Details, detailRows } from './Details.js';
import { Row } from './Row.js';
import { ColourContext, Tint } from './Tint.js';

/** The terminal that a frame is drawn for. */
export interface FrameSize {
  readonly columns: number;
  readonly rows: number;
}

// The first and the last line, and the line below the frame where the cursor rests.
const otherRows = 3;

/**
 * The whole screen as one frame: never wider than the terminal and always lower than it, since what has scrolled away
 * cannot be drawn over.
 */
export function WatchFrame(props: {
  readonly state: WatchState;
  readonly size: FrameSize;
  readonly isColoured: boolean;
  /** Whether it is to be left behind: without what can be done. */
  readonly isLast?: boolean;
}): ReactNode {
  const { state, size, isColoured, isLast = false } = props;
  if (state.isHelp && !isLast) return <HelpFrame {...props} />;
  const selected = state.jobs[state.selected];
  const opened = state.isOpen ? selected : undefined;
  const rows = shareRows(size.rows - otherRows, {
    jobs: state.jobs.length,
    details: opened === undefined ? 0 : detailRows(opened),
    log: state.log.length,
  });
  const titles = opened?.files.map((file) => rowTitle(opened, file)) ?? [];
  const columns = fitColumns(jobColumns(state.jobs, titles), size.columns);
  const { from, to } = windowAround(state.selected, state.jobs.length, rows.jobs);
  const header = headerText(state);
  const footer = footerText(state, size.columns);
  return (
    <ColourContext.Provider value={isColoured}>
      <Box flexDirection="column" width={size.columns}>
        <Tint tone={header.tone} isBold>
          {header.text}
          {to - from < state.jobs.length && ` · ${from + 1}-${to} shown`}
        </Tint>
        {state.jobs.slice(from, to).map((job) => (
          <Box key={job.id} flexDirection="column">
            <Row columns={columns} cell={(name, width) => jobCell(job, job === selected, name, width)} />
            {job === opened && (
              <Details job={job} jobColumns={columns} columns={size.columns} rows={rows.details} />
            )}
          </Box>
        ))}
        {rows.log > 0 && (
          <Box flexDirection="column">
            <Tint tone="quiet">{'─'.repeat(size.columns)}</Tint>
            {lastOf(state.log, rows.log).map(({ serial, atMs, text, tone }) => (
              <Tint key={serial} tone={tone}>{`${timeOfDay(atMs)} ${text}`}</Tint>
            ))}
          </Box>
        )}
        {!isLast && <Tint tone={footer.tone}>{footer.text}</Tint>}
      </Box>
    </ColourContext.Provider>
  );
}

/** The keys in the place of the jobs; as many as there is room for. */
function HelpFrame(props: {
  readonly state: WatchState;
  readonly size: FrameSize;
  readonly isColoured: boolean;
}): ReactNode {
  const { state, size, isColoured } = props;
  const footer = footerText(state, size.columns);
  return (
    <ColourContext.Provider value={isColoured}>
      <Box flexDirection="column" width={size.columns}>
        <Tint tone="plain" isBold>
          Keys
        </Tint>
        {helpLines.slice(0, Math.max(1, size.rows - otherRows)).map((line) => (
          <Tint key={line} tone="plain">
            {line}
          </Tint>
        ))}
        <Tint tone={footer.tone}>{footer.text}</Tint>
      </Box>
    </ColourContext.Provider>
  );
}

function lastOf<T>(list: readonly T[], count: number): readonly T[] {
  return list.slice(Math.max(0, list.length - count));
}
