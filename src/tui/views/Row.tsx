import { Box, Text } from 'ink';
import { type ReactNode, useContext } from 'react';
import { columnGap, type FittedColumn } from '../fit-columns.js';
import type { Tone } from '../watch-types.js';
import { ColourContext, painted, Tint } from './Tint.js';

/** What stands in one cell of a table. */
export interface Cell {
  readonly text: string;
  readonly tone: Tone;
  readonly isBold?: boolean;
}

/** Letters that take one cell each, whatever the terminal: most rows hold nothing else. */
const plainLetters = /^[ -~█▉▊▋▌▍▎▏░›…]*$/;

/**
 * One row of a table: every cell in its column's width, cut off where it does not fit. As one text where it can be: laid out cell by
 * cell, a tall frame costs five times as much.
 */
export function Row<Name extends string>(props: {
  readonly columns: readonly FittedColumn<Name>[];
  /** Makes the cell of a column; the width is for bars, which fill theirs. */
  readonly cell: (name: Name, width: number) => Cell;
}): ReactNode {
  const isColoured = useContext(ColourContext);
  const cells = props.columns.map(({ name, width }) => ({ name, width, ...props.cell(name, width) }));
  if (cells.every(({ text }) => plainLetters.test(text))) {
    const row = cells.map((cell) => (isColoured ? painted(cell, fitted(cell)) : fitted(cell)));
    return <Text wrap="truncate-end">{row.join(' '.repeat(columnGap))}</Text>;
  }
  return (
    <Box columnGap={columnGap} height={1}>
      {cells.map(({ name, width, text, tone, isBold = false }) => (
        <Box key={name} width={width} flexShrink={0}>
          <Tint tone={tone} isBold={isBold}>
            {text}
          </Tint>
        </Box>
      ))}
    </Box>
  );
}

function fitted({ text, width }: { readonly text: string; readonly width: number }): string {
  return text.length > width ? `${text.slice(0, width - 1)}…` : text.padEnd(width);
}
