import type { ReactNode } from 'react'

/** Draws nothing while no wallet is connected. */
export function DisconnectItem(_: { render: (disconnect: () => void) => ReactNode }): ReactNode {
  return null
}
