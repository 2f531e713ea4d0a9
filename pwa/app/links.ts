import { msg } from '#pwa/i18n/t.ts'

/** The top navigation. A personal one is disabled for visitors. */
export const links = [
  { to: '/', label: msg('Dashboard'), isPersonal: false },
  { to: '/purchase', label: msg('Purchase'), isPersonal: false },
  { to: '/history', label: msg('History'), isPersonal: true },
] as const
