import { msg } from '#pwa/i18n/t.ts'

/** The links of the top navigation. Personal ones are disabled for visitors. */
export const links = [
  { to: '/', label: msg('Dashboard'), isPersonal: false },
  { to: '/purchase', label: msg('Purchase'), isPersonal: false },
  { to: '/history', label: msg('History'), isPersonal: true },
] as const
