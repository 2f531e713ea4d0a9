import { Component, type ReactNode } from 'react'
import { ErrorPage } from './ErrorPage.tsx'

interface ErrorBoundaryState {
  caught: { error: unknown } | null
}

/** Shows what is known of an error in place of what could not be drawn. */
export class ErrorBoundary extends Component<{ children: ReactNode }, ErrorBoundaryState> {
  override state: ErrorBoundaryState = { caught: null }

  static getDerivedStateFromError(error: unknown): ErrorBoundaryState {
    return { caught: { error } }
  }

  override render() {
    return this.state.caught ? <ErrorPage error={this.state.caught.error} /> : this.props.children
  }
}
