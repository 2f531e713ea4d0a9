import { type QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { render } from '@testing-library/react'
import userEvent, { type UserEvent } from '@testing-library/user-event'
import { type ReactElement, useEffect } from 'react'
import { MemoryRouter, useLocation } from 'react-router-dom'
import { createQueryClient } from '#pwa/lib/createQueryClient.ts'
import { Toasts } from '#pwa/ui/Toasts.tsx'

interface RenderedPage {
  /** Simulates the user. */
  person: UserEvent
  /** Path and query that the page has navigated to. */
  location: () => string
  queryClient: QueryClient
}

/** Renders a page as the app would, toasts included, and returns a simulated user. */
export function renderPage(page: ReactElement, { at = '/' }: { at?: string } = {}): RenderedPage {
  const queryClient = createQueryClient()
  let location = at
  function Whereabouts() {
    const { pathname, search } = useLocation()
    useEffect(() => {
      location = pathname + search
    })
    return null
  }
  render(
    <QueryClientProvider client={queryClient}>
      <MemoryRouter initialEntries={[at]} useTransitions={false}>
        {page}
        <Whereabouts />
      </MemoryRouter>
      <Toasts />
    </QueryClientProvider>,
  )
  return {
    person: userEvent.setup(),
    location: () => location,
    queryClient,
  }
}
