import { Box } from 'ink';
import type { ReactNode } from 'react';
import type { Frame } from '../frame.js';
import { ColourContext, StyledTextView } from './StyledTextView.js';

/** What stands around the table of a frame, line by line. */
export function WatchFrame({ columns, isColoured, surroundingLines }: Frame): ReactNode {
  return (
    <ColourContext.Provider value={isColoured}>
      <Box flexDirection="column" width={columns}>
        {surroundingLines.map(({ text, tone, isBold = false }, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: a line is nothing but its place.
          <StyledTextView key={index} tone={tone} isBold={isBold}>
            {text}
          </StyledTextView>
        ))}
      </Box>
    </ColourContext.Provider>
  );
}
