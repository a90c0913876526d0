import { Component, type ReactNode } from 'react';
import { ErrorNote } from '../parts/error-note';

interface FaultsState {
  readonly fault: unknown;
}

/** Keeps a fault of one screen from taking the header with it. */
export class Faults extends Component<{ readonly children: ReactNode }, FaultsState> {
  override state: FaultsState = { fault: undefined };

  static getDerivedStateFromError(fault: unknown): FaultsState {
    return { fault };
  }

  override componentDidMount(): void {
    addEventListener('hashchange', this.clear);
  }

  override componentWillUnmount(): void {
    removeEventListener('hashchange', this.clear);
  }

  /** Another screen may work. */
  private readonly clear = (): void => {
    if (this.state.fault !== undefined) this.setState({ fault: undefined });
  };

  override render(): ReactNode {
    if (this.state.fault === undefined) return this.props.children;
    return <ErrorNote error={this.state.fault} retry={this.clear} />;
  }
}
