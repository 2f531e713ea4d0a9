import { act, screen, waitFor } from '@testing-library/react'
import { expect, test, vi } from 'vitest'
import { answerCommonCalls, someUser } from '#pwa/testing/answers.ts'
import { useFakeApi } from '#pwa/testing/fakeApi.ts'
import { renderPage } from '#pwa/testing/renderPage.tsx'
import { useWallet } from '#pwa/wallet/walletStore.ts'
import { WithdrawButton } from './WithdrawButton.tsx'
import { useWithdrawalStore } from './withdrawalStore.ts'

const api = useFakeApi()

test('on a phone without a wallet it opens the wallet sheet, and asks for no extension', async () => {
  vi.spyOn(navigator, 'userAgent', 'get').mockReturnValue('Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X)')
  answerCommonCalls(api)
  const { person, queryClient } = renderPage(<WithdrawButton />)
  await waitFor(() => expect(queryClient.isFetching()).toBe(0))
  await person.click(screen.getByRole('button', { name: 'Withdraw' }))
  await waitFor(() => expect(useWallet.getState().isSheetOpen).toBe(true))
  expect(screen.queryByText('MetaMask Required')).not.toBeInTheDocument()
})

test('while sales are off it does not open the wallet sheet', async () => {
  answerCommonCalls(api, { settings: { sales_enabled: 'false' } })
  const { person, queryClient } = renderPage(<WithdrawButton />)
  await waitFor(() => expect(queryClient.isFetching()).toBe(0))
  await person.click(screen.getByRole('button', { name: 'Withdraw' }))
  expect(await screen.findByText('Sales are stopped, so wallet connection is impossible.')).toBeVisible()
  expect(useWallet.getState().isSheetOpen).toBe(false)
})

test('with a connected wallet it opens the withdrawal', async () => {
  answerCommonCalls(api)
  const { person } = renderPage(<WithdrawButton />)
  act(() => useWallet.setState({ address: someUser().walletAddress }))
  await person.click(screen.getByRole('button', { name: 'Withdraw' }))
  expect(useWithdrawalStore.getState().isOpen).toBe(true)
})

test('without a wallet it says what to do first, and offers to connect one', async () => {
  answerCommonCalls(api)
  const { person, queryClient } = renderPage(<WithdrawButton />)
  await waitFor(() => expect(queryClient.isFetching()).toBe(0))
  act(() => useWallet.setState({ hasProvider: true }))
  await person.click(screen.getByRole('button', { name: 'Withdraw' }))
  expect(await screen.findByText('Please connect your MetaMask wallet first.')).toBeVisible()
  await waitFor(() => expect(useWallet.getState().isSheetOpen).toBe(true))
  expect(useWithdrawalStore.getState().isOpen).toBe(false)
})
