import { Box } from 'ink';
import type { ReactNode } from 'react';
import { footerText } from '../footer-text.js';
import { timeOfDay } from '../format.js';
import type { Frame } from '../frame.js';
import { otherRows, planFrame } from '../frame-plan.js';
import { headerText } from '../header-text.js';
import { helpLines } from '../help-lines.js';
import { ColourContext, Tint } from './Tint.js';

/**
 * What stands around the table of a frame: the whole is never wider than the terminal and always lower than it, since what has scrolled
 * away cannot be drawn over.
 */
export function WatchFrame(frame: Frame): ReactNode {
  const { state, size, isColoured, isLast } = frame;
  if (state.isHelp && !isLast) return <HelpFrame {...frame} />;
  const { rows, from, to } = planFrame(state, size);
  const header = headerText(state);
  const footer = footerText(state, size.columns);
  return (
    <ColourContext.Provider value={isColoured}>
      <Box flexDirection="column" width={size.columns}>
        <Tint tone={header.tone} isBold>
          {header.text}
          {to - from < state.jobs.length && ` · ${from + 1}-${to} shown`}
        </Tint>
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
function HelpFrame({ state, size, isColoured }: Frame): ReactNode {
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
