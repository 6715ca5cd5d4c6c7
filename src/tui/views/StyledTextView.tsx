import { Text } from 'ink';
import { createContext, type ReactNode, useContext } from 'react';
import type { Tone } from '../watch-types.js';

/** Whether colours are allowed. Everything on the screen can be read without them. */
export const ColourContext = createContext(false);

const colours = {
  plain: {},
  good: { color: 'green' },
  bad: { color: 'red' },
  busy: { color: 'cyan' },
  quiet: { dimColor: true },
} as const satisfies Record<Tone, { readonly color?: string; readonly dimColor?: boolean }>;

/** Text of one line in the colour of its tone, cut off where it does not fit. */
export function StyledTextView(props: {
  readonly tone: Tone;
  readonly isBold?: boolean;
  readonly children?: ReactNode;
}): ReactNode {
  const style = useContext(ColourContext) ? { ...colours[props.tone], bold: props.isBold ?? false } : {};
  return (
    <Text wrap="truncate-end" {...style}>
      {props.children}
    </Text>
  );
}
