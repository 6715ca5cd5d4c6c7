import { Box } from 'ink';
import type { ReactNode } from 'react';
import { columnGap, type FittedColumn } from '../fit-columns.js';
import type { Tone } from '../watch-types.js';
import { Tint } from './Tint.js';

/** What stands in one cell of a table. */
export interface Cell {
  readonly text: string;
  readonly tone: Tone;
  readonly isBold?: boolean;
}

/** One row of a table: every cell in its column's width, cut off where it does not fit. */
export function Row<Name extends string>(props: {
  readonly columns: readonly FittedColumn<Name>[];
  /** Makes the cell of a column; the width is for bars, which fill theirs. */
  readonly cell: (name: Name, width: number) => Cell;
}): ReactNode {
  return (
    <Box columnGap={columnGap} height={1}>
      {props.columns.map(({ name, width }) => {
        const { text, tone, isBold = false } = props.cell(name, width);
        return (
          <Box key={name} width={width} flexShrink={0}>
            <Tint tone={tone} isBold={isBold}>
              {text}
            </Tint>
          </Box>
        );
      })}
    </Box>
  );
}
