import { msg } from '#pwa/i18n/t.ts'
import { BonusTab } from '../bonus/BonusTab.tsx'
import { PurchasesTab } from '../purchases/PurchasesTab.tsx'
import { SettingsTab } from '../settings/SettingsTab.tsx'
import { UsersTab } from '../users/UsersTab.tsx'
import { WithdrawalsTab } from '../withdrawals/WithdrawalsTab.tsx'

/** The tabs of the panel, one folder each. `/admin-panel?tab=<value>` opens one; the first is the default. */
export const panelTabs = [
  { value: 'users', label: msg('Users management'), Content: UsersTab },
  { value: 'withdrawals', label: msg('Reward-token withdrawals'), Content: WithdrawalsTab },
  { value: 'purchases', label: msg('All purchases'), Content: PurchasesTab },
  { value: 'bonus', label: msg('Bonus grants'), Content: BonusTab },
  { value: 'settings', label: msg('System settings'), Content: SettingsTab },
] as const

export type PanelTab = (typeof panelTabs)[number]['value']
