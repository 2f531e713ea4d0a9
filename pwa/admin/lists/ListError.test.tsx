import { screen } from '@testing-library/react'
import { expect, test } from 'vitest'
import { refusal } from '#pwa/testing/fakeApi.ts'
import { renderPage } from '#pwa/testing/renderPage.tsx'
import { ListError } from './ListError.tsx'

test.each([
  ['a lost connection', new TypeError('Failed to fetch'), 'No connection to the server. Nothing was changed. Please try again.'],
  ['a failure of the server', refusal(500, 'internal', 'Something broke.'), 'Something broke. Nothing was changed.'],
])('%s says once that nothing was changed', async (_, error, text) => {
  renderPage(<ListError title="Failed to fetch users" error={error} isFetching={false} onRetry={() => {}} />)
  expect((await screen.findByText('Failed to fetch users')).nextSibling).toHaveTextContent(
    new RegExp(`^${text.replaceAll('.', '\\.')}$`),
  )
})
