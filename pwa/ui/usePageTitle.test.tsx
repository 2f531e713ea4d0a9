import { waitFor } from '@testing-library/react'
import { expect, onTestFinished, test } from 'vitest'
import { configQuery } from '#pwa/lib/queries.ts'
import { someConfig } from '#pwa/testing/answers.ts'
import { renderPage } from '#pwa/testing/renderPage.tsx'
import { usePageTitle } from './usePageTitle.ts'

function Titled() {
  usePageTitle('History')
  return null
}

test('the tab and the icon on the home screen of an iPhone have the name of the installation', async () => {
  document.head.innerHTML = '<meta name="apple-mobile-web-app-title" content="XCR Nodes" />'
  onTestFinished(() => document.head.replaceChildren())
  const { queryClient } = renderPage(<Titled />)

  queryClient.setQueryData(configQuery.queryKey, someConfig({ brandName: 'Acme' }))
  await waitFor(() => expect(document.title).toBe('History · Acme'))
  expect(document.querySelector('meta[name=apple-mobile-web-app-title]')).toHaveAttribute('content', 'Acme')
})
