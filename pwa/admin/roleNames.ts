import type { AdminRole } from '#shared/adminRoles.ts'
import { type Message, msg } from '#pwa/i18n/t.ts'

export const roleNames: Record<AdminRole, Message> = {
  viewer: msg('Viewer'),
  support: msg('Support'),
  finance: msg('Finance'),
  owner: msg('Owner'),
}

export const roleTexts: Record<AdminRole, Message> = {
  viewer: msg('Sees everything and changes nothing.'),
  support: msg('Helps people: resets passwords, freezes and thaws accounts, writes messages and incidents.'),
  finance: msg('Decides on payments, purchases, withdrawals and bonus nodes, and freezes accounts.'),
  owner: msg('May do everything, settings and administrators included.'),
}
