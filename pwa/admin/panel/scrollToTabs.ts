/** The id of the row of tabs. The figures above it fill a phone's screen. */
export const TABS_ID = 'panel-tabs'

/** The id of the settings' card that stops payouts, to which the withdrawals link. */
export const PAYOUT_CAPS_ID = 'payout-caps'

/** Shows the tabs after the navigation that a click begins, which scrolls to the top. */
export const scrollToTabs = (): void => scrollToPart(TABS_ID)

export const scrollToPart = (id: string): void => void requestAnimationFrame(() => document.getElementById(id)?.scrollIntoView())
