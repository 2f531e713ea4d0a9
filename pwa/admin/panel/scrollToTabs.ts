/** The id of the row of tabs. The figures above it fill a phone's screen. */
export const TABS_ID = 'panel-tabs'

/** Shows the tabs after the navigation that a click begins, which scrolls to the top. */
export const scrollToTabs = (): void => void requestAnimationFrame(() => document.getElementById(TABS_ID)?.scrollIntoView())
