import type { EntityManager } from '@mikro-orm/postgresql'
import { changeIpAccess } from '#api/office/administrators/changeIpAccess.ts'
import { findAdministrator } from '#api/office/administrators/findAdministrator.ts'
import { resetAdministratorOtp } from '#api/office/administrators/resetAdministratorOtp.ts'
import { resetAdministratorPassword } from '#api/office/administrators/resetAdministratorPassword.ts'
import { type Environment, variables } from '#api/platform/config.ts'
import { query } from '#api/entities/tables.ts'
import { generateTemporaryPassword } from '#api/accounts/identity/generateTemporaryPassword.ts'
import { hashPassword } from '#api/accounts/identity/hashPassword.ts'
import { JobQueue } from '#api/platform/jobs/JobQueue.ts'
import { isOtpEnabled } from '#api/accounts/otp/isOtpEnabled.ts'
import { resetOtp } from '#api/accounts/otp/resetOtp.ts'
import { CommandRefused, operator, type OperatorCommand } from './OperatorCommand.ts'
import { endSessionsCommand, rotateEncryptionKeyCommand } from './keyCommands.ts'
import { acknowledgeCommand, attributeCommand, forgiveDebtCommand, reconcileCommand } from './payoutCommands.ts'
import { migrateCommand } from './migrateCommand.ts'
import { registerNoteCommand, resumeRegisterCommand, rotateRegisterKeysCommand } from './registerCommands.ts'

export const operatorCommands: Record<string, OperatorCommand> = {
  'reset-otp': {
    parameters: ['<email or admin username>'],
    help: 'Removes a lost authenticator from an account. A user is notified by email, and withdrawals need a manual review for a day; an administrator is logged out everywhere.',
    run: ({ orm, url, env }, [account = '']) =>
      account.includes('@') ? resetUser(orm.em.fork(), { url, env, email: account }) : resetAdmin(orm.em.fork(), account),
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
  'resume-register': resumeRegisterCommand,
  'register-note': registerNoteCommand,
  'rotate-register-keys': rotateRegisterKeysCommand,
  migrate: migrateCommand,
  'rotate-encryption-key': rotateEncryptionKeyCommand,
  'end-sessions': endSessionsCommand,
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

async function resetAdmin(em: EntityManager, username: string): Promise<string> {
  const administrator = await requireAdministrator(em, username)
  if (!(await isOtpEnabled(em, { realm: 'admin', id: administrator.id }))) {
    throw new CommandRefused(`The administrator ${username} has no authenticator.`)
  }
  await em.transactional((em) => resetAdministratorOtp(em, { administrator, actor: operator() }))
  return `The authenticator of the administrator ${username} is reset. Login now requires only the password.`
}

async function resetUser(
  em: EntityManager,
  { url, env, email: typed }: { url: string; env: Environment; email: string },
): Promise<string> {
  const email = typed.trim().toLowerCase()
  const user = await query(em)
    .selectFrom('users')
    .select(['id', 'email', 'language'])
    .where('email', '=', email)
    .executeTakeFirst()
  if (!user) throw new CommandRefused(`There is no user ${email}.`)
  if (!(await isOtpEnabled(em, { realm: 'user', id: user.id })))
    throw new CommandRefused(`The user ${email} has no authenticator.`)

  const jobs = new JobQueue(env.DATABASE_DIRECT_URL?.trim() || url, { onError: console.error })
  const valueOf = (name: 'BRAND_NAME' | 'SUPPORT_EMAIL') => env[name]?.trim() || variables[name].fallback
  const config = { BRAND_NAME: valueOf('BRAND_NAME'), SUPPORT_EMAIL: valueOf('SUPPORT_EMAIL') }
  try {
    await em.transactional((em) => resetOtp(em, { jobs, config }, { user, actor: operator(), now: new Date() }))
  } finally {
    await jobs.stop()
  }
  return `The authenticator of ${email} is reset, and the user is notified by email. Withdrawals need a manual review for 24 hours.`
}
