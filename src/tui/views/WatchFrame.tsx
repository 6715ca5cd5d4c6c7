import { Box } from 'ink';
import type { ReactNode } from 'react';
import type { Frame } from '../frame.js';
import { ColourContext, Tint } from './Tint.js';

/** What stands around the table of a frame, line by line. */
export function WatchFrame({ columns, isColoured, around }: Frame): ReactNode {
  return (
    <ColourContext.Provider value={isColoured}>
      <Box flexDirection="column" width={columns}>
        {around.map(({ text, tone, isBold = false }, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: a line is nothing but its place.
          <Tint key={index} tone={tone} isBold={isBold}>
            {text}
          </Tint>
        ))}
      </Box>
    </ColourContext.Provider>
  );
}
