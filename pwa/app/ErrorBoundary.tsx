import { Component, lazy, type ReactNode, Suspense } from 'react'

// Attendance.tsx has it fetched long before it is needed.
const ErrorPage = lazy(async () => ({ default: (await import('./ErrorPage.tsx')).ErrorPage }))

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
    const { caught } = this.state
    if (!caught) return this.props.children
    return (
      <Suspense fallback={null}>
        <ErrorPage error={caught.error} />
      </Suspense>
    )
  }
}
