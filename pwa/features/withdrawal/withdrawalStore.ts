import { create } from 'zustand'
import { advance, untouched, type WithdrawalEvent, type WithdrawalFlow } from './withdrawalFlow.ts'

interface WithdrawalState {
  isOpen: boolean
  flow: WithdrawalFlow
}

/** The withdrawal dialog, which any page can open. */
export const useWithdrawalStore = create<WithdrawalState>()(() => ({ isOpen: false, flow: untouched }))

export const openWithdrawal = (): void => useWithdrawalStore.setState({ isOpen: true, flow: untouched })

/** Closes the dialog and resets its flow. */
export const closeWithdrawal = (): void => useWithdrawalStore.setState({ isOpen: false, flow: untouched })

export const currentFlow = (): WithdrawalFlow => useWithdrawalStore.getState().flow

export function dispatch(event: WithdrawalEvent): WithdrawalFlow {
  const flow = advance(currentFlow(), event)
  useWithdrawalStore.setState({ flow })
  return flow
}
