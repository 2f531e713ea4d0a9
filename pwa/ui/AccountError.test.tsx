import { act, screen, waitFor } from '@testing-library/react'
import { expect, test } from 'vitest'
import { getAuthUser } from '#shared/contract/identity.ts'
import { useConnection } from '#pwa/lib/connection.ts'
import { authUserQuery } from '#pwa/lib/queries.ts'
import { refusal, useFakeApi } from '#pwa/testing/fakeApi.ts'
import { renderPage } from '#pwa/testing/renderPage.tsx'
import { AccountError } from './AccountError.tsx'

const api = useFakeApi()
const title = "Couldn't load your account"

const open = () => {
  api.answer(getAuthUser, () => {
    throw refusal(500, 'internal', 'Something broke.')
  })
  return renderPage(<AccountError />)
}

test('an account that failed to load can be retried; offline the notice on top explains it', async () => {
  open()
  expect(await screen.findByText(title)).toBeVisible()

  act(() => useConnection.setState({ isOffline: true }))
  expect(screen.queryByText(title)).not.toBeInTheDocument()
})

test('a user who has logged out is a visitor, whatever the next request returns', async () => {
  const { queryClient } = open()
  expect(await screen.findByText(title)).toBeVisible()

  act(() => void queryClient.setQueryData(authUserQuery.queryKey, null))
  await act(() => queryClient.invalidateQueries({ queryKey: authUserQuery.queryKey }))

  await waitFor(() => expect(queryClient.getQueryState(authUserQuery.queryKey)?.status).toBe('error'))
  expect(screen.queryByText(title)).not.toBeInTheDocument()
})
