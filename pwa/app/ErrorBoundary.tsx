import { Component, type ReactNode, Suspense } from 'react'
import { lazyPart } from '#pwa/ui/lazyPart.tsx'

// BackgroundTasks.tsx loads it ahead of time.
const ErrorPage = lazyPart(async () => (await import('./ErrorPage.tsx')).ErrorPage)

interface ErrorBoundaryState {
  caught: { error: unknown } | null
}

/** Shows error details in place of content that failed to render. */
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
