import { type QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { render } from '@testing-library/react'
import userEvent, { type UserEvent } from '@testing-library/user-event'
import type { ReactElement } from 'react'
import { Router } from 'wouter'
import { memoryLocation } from 'wouter/memory-location'
import { createQueryClient } from '#pwa/lib/createQueryClient.ts'
import { Toasts } from '#pwa/ui/Toasts.tsx'

interface RenderedPage {
  /** The person in front of the page. */
  person: UserEvent
  /** Path and query the page has led to. */
  location: () => string
  queryClient: QueryClient
}

/** Renders a page as the app would, toasts included, and answers with the person in front of it. */
export function renderPage(page: ReactElement, { at = '/' }: { at?: string } = {}): RenderedPage {
  const queryClient = createQueryClient()
  const { hook, history } = memoryLocation({ path: at, record: true })
  render(
    <QueryClientProvider client={queryClient}>
      <Router hook={hook}>{page}</Router>
      <Toasts />
    </QueryClientProvider>,
  )
  return {
    person: userEvent.setup(),
    location: () => history.at(-1)!,
    queryClient,
  }
}
