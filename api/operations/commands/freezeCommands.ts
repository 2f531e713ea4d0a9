import { freezeAccount } from '#api/accounts/freezes/freezeAccount.ts'
import { thawNow } from '#api/accounts/freezes/thawAccount.ts'
import { DomainError } from '#api/platform/errors.ts'
import { findUser } from './findUser.ts'
import { withMails } from './mailServices.ts'
import { CommandRefused, operator, type OperatorCommand } from './OperatorCommand.ts'

export const freezeCommand: OperatorCommand = {
  parameters: ['<email>', '<reason>'],
  help: 'Freezes an account as its owner can: its sessions end, withdrawals that are not signed are on hold, and withdrawals and changes of its credentials and wallet are refused. The user is notified by email.',
  async run(context, [email = '', reason = '']) {
    requireReason(reason)
    const em = context.orm.em.fork()
    const user = await findUser(em, email)
    const freeze = { userId: user.id, actor: operator(), reason, now: new Date() }
    const { signed } = await withMails(context, (services) => em.transactional((em) => freezeAccount(em, services, freeze)))
    return `${user.email} is frozen. Withdrawals that were signed already and are paid: ${signed.length}.`
  },
}

export const thawCommand: OperatorCommand = {
  parameters: ['<email>', '<reason>'],
  help: 'Thaws an account at once, for an owner who lacks the password or the authenticator. Check who asks, and first replace what a thief may know (reset-otp, or the password in the panel). Withdrawals are on hold for a day, and the user is notified by email.',
  async run(context, [email = '', reason = '']) {
    requireReason(reason)
    const em = context.orm.em.fork()
    const user = await findUser(em, email)
    const thaw = { user, actor: operator(), reason, now: new Date() }
    await withMails(context, (services) => em.transactional((em) => thawNow(em, services, thaw))).catch((error: unknown) => {
      throw error instanceof DomainError ? new CommandRefused(error.message) : error
    })
    return `${user.email} is thawed, and the user is notified by email. Withdrawals are on hold for 24 hours.`
  },
}

function requireReason(reason: string): void {
  if (!reason.trim()) throw new CommandRefused('Give a reason.')
}
