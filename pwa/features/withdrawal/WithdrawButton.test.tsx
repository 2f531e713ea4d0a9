import { act, screen } from '@testing-library/react'
import { afterEach, expect, test } from 'vitest'
import { someUser } from '#pwa/testing/answers.ts'
import { renderPage } from '#pwa/testing/renderPage.tsx'
import { useWallet } from '#pwa/wallet/walletStore.ts'
import { WithdrawButton } from './WithdrawButton.tsx'
import { closeWithdrawal, useWithdrawalStore } from './withdrawalStore.ts'

const untouched = useWallet.getInitialState()
afterEach(() => {
  closeWithdrawal()
  useWallet.setState(untouched)
})

test('with a connected wallet it opens the withdrawal', async () => {
  const { person } = renderPage(<WithdrawButton />)
  act(() => useWallet.setState({ address: someUser().walletAddress }))
  await person.click(screen.getByRole('button', { name: 'Withdraw' }))
  expect(useWithdrawalStore.getState().isOpen).toBe(true)
})

test('without one it says what to do first, and opens nothing', async () => {
  const { person } = renderPage(<WithdrawButton />)
  act(() => useWallet.setState({ hasProvider: true }))
  await person.click(screen.getByRole('button', { name: 'Withdraw' }))
  expect(await screen.findByText('Please connect your MetaMask wallet first.')).toBeVisible()
  expect(useWithdrawalStore.getState().isOpen).toBe(false)
})
