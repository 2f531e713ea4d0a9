import { act, render, screen } from '@testing-library/react'
import { Suspense } from 'react'
import { expect, test, vi } from 'vitest'
import { SECOND } from '#shared/dates.ts'
import { lazyPart } from './lazyPart.tsx'

const loadGreeting =
  async () =>
  ({ name }: { name: string }) => <p>Hello {name}</p>

const greet = (Part: ReturnType<typeof lazyPart<{ name: string }>>) =>
  render(
    <Suspense fallback="loading">
      <Part name="Mina" />
    </Suspense>,
  )

test('a preloaded part renders at once, without the fallback', async () => {
  const Greeting = lazyPart(loadGreeting)
  await Greeting.preload()
  greet(Greeting)
  expect(screen.getByText('Hello Mina')).toBeVisible()
})

test('a part that is not preloaded shows the fallback until its chunk is there', async () => {
  greet(lazyPart(loadGreeting))
  expect(screen.getByText('loading')).toBeVisible()
  expect(await screen.findByText('Hello Mina')).toBeVisible()
})

test('a part that was mounted while it loaded keeps its state', async () => {
  const Field = lazyPart(async () => () => <input aria-label="Name" />)
  const { rerender } = render(<Suspense fallback="loading">{<Field />}</Suspense>)
  const field = await screen.findByLabelText<HTMLInputElement>('Name')
  field.value = 'Mina'
  rerender(<Suspense fallback="loading">{<Field />}</Suspense>)
  expect(screen.getByLabelText('Name')).toBe(field)
})

test('a part whose chunk cannot be loaded without a connection appears once it is back', async () => {
  vi.useFakeTimers()
  let isConnected = false
  vi.stubGlobal('fetch', async () => {
    if (!isConnected) throw new TypeError('Failed to fetch')
    return Response.json({})
  })
  greet(
    lazyPart(async () => {
      if (!isConnected) throw new TypeError('Failed to fetch dynamically imported module')
      return loadGreeting()
    }),
  )
  await act(() => vi.advanceTimersByTimeAsync(12 * SECOND))
  expect(screen.getByText('loading')).toBeVisible()

  isConnected = true
  await act(() => vi.advanceTimersByTimeAsync(5 * SECOND))
  expect(screen.getByText('Hello Mina')).toBeVisible()
})
