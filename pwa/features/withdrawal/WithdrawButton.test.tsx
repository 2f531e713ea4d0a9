import { act, screen, waitFor } from '@testing-library/react'
import { expect, test, vi } from 'vitest'
import { answerCommonCalls, someUser } from '#pwa/testing/answers.ts'
import { updateWallet } from '#shared/contract/wallet.ts'
import { useFakeApi } from '#pwa/testing/fakeApi.ts'
import { announceWallet, makeWallet } from '#pwa/testing/fakeWallet.ts'
import { renderPage } from '#pwa/testing/renderPage.tsx'
import { useWallet } from '#pwa/wallet/walletStore.ts'
import { WalletButton } from '../wallet/WalletButton.tsx'
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

/** A press of an account without a wallet, in a browser with one, which answers the page when the test says so. */
async function pressWithdraw() {
  answerCommonCalls(api, { user: someUser({ id: crypto.randomUUID(), walletAddress: null }) })
  api.answer(updateWallet, ({ body }) => ({ ...someUser({ walletAddress: body.walletAddress }), walletProven: true }))
  const [accounts, signature] = [Promise.withResolvers<string[]>(), Promise.withResolvers<string>()]
  const requests = { eth_requestAccounts: () => accounts.promise, personal_sign: () => signature.promise }
  announceWallet(makeWallet({ eth_accounts: () => [], ...requests }))
  const { person, queryClient } = renderPage(
    <>
      <WalletButton />
      <WithdrawButton />
    </>,
  )
  await waitFor(() => expect(queryClient.isFetching()).toBe(0))
  await person.click(screen.getByRole('button', { name: 'Withdraw' }))
  return {
    person,
    approve: () => act(async () => accounts.resolve([someUser().walletAddress!])),
    sign: () => act(async () => signature.resolve('0x1234')),
  }
}

test('the sheet says what the wallet is for, and the withdrawal opens once it is registered', async () => {
  const { approve, sign } = await pressWithdraw()
  const purpose = 'Your own wallet. It signs every withdrawal, and XCR goes only to it.'
  expect(await screen.findByRole('dialog', { name: 'Connect Wallet' })).toHaveAccessibleDescription(purpose)
  await approve()
  await screen.findByRole('dialog', { name: 'Confirm your wallet' })
  expect(useWithdrawalStore.getState().isOpen).toBe(false)
  await sign()
  await waitFor(() => expect(useWithdrawalStore.getState().isOpen).toBe(true))
  expect(screen.queryByRole('dialog')).toBeNull()
})

test('no withdrawal opens after the sheet was closed', async () => {
  const { person, approve, sign } = await pressWithdraw()
  await approve()
  await screen.findByRole('dialog', { name: 'Confirm your wallet' })
  await person.keyboard('{Escape}')
  await sign()
  await waitFor(() => expect(useWallet.getState().isProving).toBe(false))
  expect(useWithdrawalStore.getState().isOpen).toBe(false)
})

test('pressed while the wallet of the last visit is restored, it opens the withdrawal', async () => {
  answerCommonCalls(api)
  const { person, queryClient } = renderPage(<WithdrawButton />)
  await waitFor(() => expect(queryClient.isFetching()).toBe(0))
  act(() => useWallet.setState({ isRestoring: true }))
  await person.click(screen.getByRole('button', { name: 'Withdraw' }))
  act(() => useWallet.setState({ isRestoring: false, address: someUser().walletAddress }))
  await waitFor(() => expect(useWithdrawalStore.getState().isOpen).toBe(true))
  expect(useWallet.getState().isSheetOpen).toBe(false)
  expect(screen.queryByText('Please connect your MetaMask wallet first.')).not.toBeInTheDocument()
})
