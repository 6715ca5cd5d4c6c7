import { Box, Text } from 'ink';
import { Component, createContext, type ReactNode, useContext } from 'react';
import type { Frame } from './frame.js';
import type { Tone } from './watch-types.js';

/** The lines around the table of a frame. */
export function WatchFrame({ columns, isColoured, surroundingLines }: Frame): ReactNode {
  return (
    <ColourContext.Provider value={isColoured}>
      <Box flexDirection="column" width={columns}>
        {surroundingLines.map(({ text, tone, isBold = false }, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: lines are identified only by their position.
          <StyledTextView key={index} tone={tone} isBold={isBold}>
            {text}
          </StyledTextView>
        ))}
      </Box>
    </ColourContext.Provider>
  );
}

/** Whether colours are allowed. The screen is readable without them. */
const ColourContext = createContext(false);

const colours = {
  plain: {},
  good: { color: 'green' },
  bad: { color: 'red' },
  busy: { color: 'cyan' },
  quiet: { dimColor: true },
} as const satisfies Record<Tone, { readonly color?: string; readonly dimColor?: boolean }>;

/** The text of a line in the colour of its tone, cut off at the width of the terminal. */
function StyledTextView(props: {
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

interface ErrorBoundaryProps {
  readonly onError: (error: unknown) => void;
  readonly children?: ReactNode;
}

/** Reports errors of views. Otherwise React would unmount the view and continue, and ink would print the stack. */
export class ErrorBoundary extends Component<ErrorBoundaryProps, { readonly hasFailed: boolean }> {
  static getDerivedStateFromError(): { readonly hasFailed: boolean } {
    return { hasFailed: true };
  }

  override state = { hasFailed: false };

  override componentDidCatch(error: unknown): void {
    this.props.onError(error);
  }

  override render(): ReactNode {
    return this.state.hasFailed ? null : this.props.children;
  }
}
