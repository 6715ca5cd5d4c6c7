import { Component, type ReactNode } from 'react';

interface ErrorBoundaryProps {
  readonly onError: (error: unknown) => void;
  readonly children?: ReactNode;
}

/** Hands on what a view throws. React would take the view away and go on without it, and ink would show where in our code it happened. */
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
