/** The top navigation. A personal one is disabled for visitors. */
export const links = [
  { to: '/', label: 'Dashboard', isPersonal: false },
  { to: '/purchase', label: 'Purchase', isPersonal: false },
  { to: '/history', label: 'History', isPersonal: true },
] as const
