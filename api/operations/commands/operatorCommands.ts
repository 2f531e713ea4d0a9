import type { EntityManager } from '@mikro-orm/postgresql'
import { changeIpAccess } from '#api/office/administrators/changeIpAccess.ts'
import { findAdministrator } from '#api/office/administrators/findAdministrator.ts'
import { readSecondFactors } from '#api/office/administrators/readSecondFactors.ts'
import { resetAdministratorOtp } from '#api/office/administrators/resetAdministratorOtp.ts'
import { resetAdministratorPasskeys } from '#api/office/administrators/resetAdministratorPasskeys.ts'
import { resetAdministratorPassword } from '#api/office/administrators/resetAdministratorPassword.ts'
import { resetUserPasskeys } from '#api/accounts/identity/changePasskeys.ts'
import { generateTemporaryPassword } from '#api/accounts/identity/generateTemporaryPassword.ts'
import { hashPassword } from '#api/accounts/identity/hashPassword.ts'
import { isOtpEnabled } from '#api/accounts/otp/isOtpEnabled.ts'
import { resetOtp } from '#api/accounts/otp/resetOtp.ts'
import { archiveMonthsCommand } from './archiveCommand.ts'
import { CommandRefused, operator, type OperatorCommand, type OperatorContext } from './OperatorCommand.ts'
import { findUser } from './findUser.ts'
import { freezeCommand, thawCommand } from './freezeCommands.ts'
import { endSessionsCommand, rotateEncryptionKeyCommand } from './keyCommands.ts'
import { reviewPaymentsCommand } from './paymentCommands.ts'
import { acknowledgeCommand, attributeCommand, forgiveDebtCommand, reconcileCommand } from './payoutCommands.ts'
import { withMails } from './mailServices.ts'
import { migrateCommand } from './migrateCommand.ts'
import { registerNoteCommand, resumeRegisterCommand, rotateRegisterKeysCommand } from './registerCommands.ts'

export const operatorCommands: Record<string, OperatorCommand> = {
  'reset-otp': {
    parameters: ['<email or admin username>'],
    help: 'Removes a lost authenticator from an account. A user is notified by email, its sessions end, and withdrawals are on hold for a day; an administrator is logged out everywhere.',
    run: (context, [account = '']) => runFor(context, account, { user: resetUser, admin: resetAdmin }),
  },
  freeze: freezeCommand,
  thaw: thawCommand,
  'reset-passkeys': {
    parameters: ['<email or admin username>'],
    help: 'Removes all passkeys of an account and ends its sessions. A user is notified by email. The login of an administrator then requires only what is left: the password, and a code if the authenticator is enabled.',
    run: (context, [account = '']) => runFor(context, account, { user: removeUserPasskeys, admin: removeAdminPasskeys }),
  },
  'clear-ips': {
    parameters: [],
    help: 'Allows administrators to log in from every IP address until a new list is set in the panel.',
    async run({ orm }) {
      await orm.em.fork().transactional((em) => changeIpAccess(em, { allowedIps: null, actor: operator() }))
      return 'The administrator area now accepts every IP address. Set a new list in the panel, under System settings.'
    },
  },
  'reset-admin-password': {
    parameters: ['[username]'],
    help: 'Sets a temporary password for an administrator, prints it once and ends all sessions of the account. The name is optional if there is only one administrator.',
    async run({ orm }, [username]) {
      const administrator = await requireAdministrator(orm.em.fork(), username)
      const password = generateTemporaryPassword()
      const passwordHash = await hashPassword(password)
      await orm.em
        .fork()
        .transactional((em) => resetAdministratorPassword(em, { administrator, actor: operator(), passwordHash }))
      return `The temporary password of ${administrator.username} is ${password}\nIt is shown only once. Change it in the panel, under System settings.`
    },
  },
  'reconcile-payouts': reconcileCommand,
  'attribute-transfer': attributeCommand,
  'acknowledge-transfer': acknowledgeCommand,
  'forgive-debt': forgiveDebtCommand,
  'review-payments': reviewPaymentsCommand,
  'resume-register': resumeRegisterCommand,
  'register-note': registerNoteCommand,
  'rotate-register-keys': rotateRegisterKeysCommand,
  'archive-months': archiveMonthsCommand,
  migrate: migrateCommand,
  'rotate-encryption-key': rotateEncryptionKeyCommand,
  'end-sessions': endSessionsCommand,
}

type AccountCommand = (context: OperatorContext, account: string) => Promise<string>

/** Runs the command for a user or an administrator. The name of an administrator may be an address, and even that of a user. */
async function runFor(
  context: OperatorContext,
  typed: string,
  commands: Record<'user' | 'admin', AccountCommand>,
): Promise<string> {
  const [, realm, named] = /^(user|admin):(.+)$/.exec(typed.trim()) ?? []
  if (named !== undefined) return commands[realm as 'user' | 'admin'](context, named)
  const em = context.orm.em.fork()
  const isAdmin = (await findAdministrator(em, typed)) !== undefined
  const isUser = typed.includes('@') && (!isAdmin || (await findUser(em, typed).catch(() => undefined)) !== undefined)
  if (isAdmin && isUser)
    throw new CommandRefused(`${typed} is a user and an administrator. Write user:${typed} or admin:${typed}.`)
  return commands[isUser ? 'user' : 'admin'](context, typed)
}

async function requireAdministrator(em: EntityManager, username: string | undefined) {
  const administrator = await findAdministrator(em, username)
  if (administrator) return administrator
  throw new CommandRefused(
    username === undefined
      ? 'There is no administrator, or more than one. Specify the user name.'
      : `There is no administrator "${username}".`,
  )
}

async function resetAdmin({ orm }: OperatorContext, username: string): Promise<string> {
  const em = orm.em.fork()
  const administrator = await requireAdministrator(em, username)
  if (!(await isOtpEnabled(em, { realm: 'admin', id: administrator.id }))) {
    throw new CommandRefused(`The administrator ${username} has no authenticator.`)
  }
  await em.transactional((em) => resetAdministratorOtp(em, { administrator, actor: operator() }))
  const { factors } = await readSecondFactors(em, administrator.id)
  return `The authenticator of the administrator ${username} is reset. Login now requires ${factors.length > 0 ? 'the password and a passkey' : 'only the password'}.`
}

async function resetUser(context: OperatorContext, typed: string): Promise<string> {
  const em = context.orm.em.fork()
  const user = await findUser(em, typed)
  if (!(await isOtpEnabled(em, { realm: 'user', id: user.id })))
    throw new CommandRefused(`The user ${user.email} has no authenticator.`)
  const reset = { user, actor: operator(), now: new Date() }
  await withMails(context, (services) => em.transactional((em) => resetOtp(em, services, reset)))
  return `The authenticator of ${user.email} is reset, and the user is notified by email. Withdrawals are on hold for 24 hours and are then paid without a person, up to the review limit. If you doubt the request, freeze the account.`
}

async function removeAdminPasskeys({ orm }: OperatorContext, username: string): Promise<string> {
  const em = orm.em.fork()
  const administrator = await requireAdministrator(em, username)
  const removed = await em.transactional((em) => resetAdministratorPasskeys(em, { administrator, actor: operator() }))
  if (removed === 0) throw new CommandRefused(`The administrator ${username} has no passkeys.`)
  const hasCodes = await isOtpEnabled(em, { realm: 'admin', id: administrator.id })
  return `The passkeys of the administrator ${username} are removed: ${removed}. Login now requires ${hasCodes ? 'the password and a code' : 'only the password'}.`
}

async function removeUserPasskeys(context: OperatorContext, typed: string): Promise<string> {
  const em = context.orm.em.fork()
  const user = await findUser(em, typed)
  const reset = { user, actor: operator(), now: new Date() }
  const removed = await withMails(context, (services) => em.transactional((em) => resetUserPasskeys(em, services, reset)))
  if (removed === 0) throw new CommandRefused(`The user ${user.email} has no passkeys.`)
  return `The passkeys of ${user.email} are removed: ${removed}. The user is notified by email.`
}
