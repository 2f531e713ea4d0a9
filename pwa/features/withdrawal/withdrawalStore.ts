import { create } from 'zustand'
import { advance, untouched, type WithdrawalEvent, type WithdrawalFlow } from './withdrawalFlow.ts'

interface WithdrawalState {
  isOpen: boolean
  flow: WithdrawalFlow
}

/** The one withdrawal dialog, which is opened from anywhere. */
export const useWithdrawalStore = create<WithdrawalState>()(() => ({ isOpen: false, flow: untouched }))

export const openWithdrawal = (): void => useWithdrawalStore.setState({ isOpen: true, flow: untouched })

/** Closes the dialog and forgets everything that was begun in it. */
export const closeWithdrawal = (): void => useWithdrawalStore.setState({ isOpen: false, flow: untouched })

export const currentFlow = (): WithdrawalFlow => useWithdrawalStore.getState().flow

export function dispatch(event: WithdrawalEvent): WithdrawalFlow {
  const flow = advance(currentFlow(), event)
  useWithdrawalStore.setState({ flow })
  return flow
}
