import { SettingsTab } from '../settings/SettingsTab.tsx'

/** The tabs of the panel, each a folder of its own. `/admin-panel?tab=<value>` opens one; without a choice it is the first. */
export const panelTabs = [{ value: 'settings', label: 'System settings', content: <SettingsTab /> }] as const

export type PanelTab = (typeof panelTabs)[number]['value']
