import { BonusTab } from '../bonus/BonusTab.tsx'
import { PurchasesTab } from '../purchases/PurchasesTab.tsx'
import { SettingsTab } from '../settings/SettingsTab.tsx'
import { UsersTab } from '../users/UsersTab.tsx'
import { WithdrawalsTab } from '../withdrawals/WithdrawalsTab.tsx'

/** The tabs of the panel, each a folder of its own. `/admin-panel?tab=<value>` opens one; without a choice it is the first. */
export const panelTabs = [
  { value: 'users', label: 'Users management', content: <UsersTab /> },
  { value: 'withdrawals', label: 'Reward-token withdrawals', content: <WithdrawalsTab /> },
  { value: 'purchases', label: 'All purchases', content: <PurchasesTab /> },
  { value: 'bonus', label: 'Bonus grants', content: <BonusTab /> },
  { value: 'settings', label: 'System settings', content: <SettingsTab /> },
] as const

export type PanelTab = (typeof panelTabs)[number]['value']
