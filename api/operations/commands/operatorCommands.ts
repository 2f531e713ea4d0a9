import type { EntityManager } from '@mikro-orm/postgresql'
import { changeIpAccess } from '#api/office/administrators/changeIpAccess.ts'
import { findAdministrator } from '#api/office/administrators/findAdministrator.ts'
import { resetAdministratorOtp } from '#api/office/administrators/resetAdministratorOtp.ts'
import { resetAdministratorPassword } from '#api/office/administrators/resetAdministratorPassword.ts'
import { type Environment, variables } from '#api/platform/config.ts'
import { query } from '#api/entities/tables.ts'
import { drawTemporaryPassword } from '#api/accounts/identity/drawTemporaryPassword.ts'
import { hashPassword } from '#api/accounts/identity/hashPassword.ts'
import { JobQueue } from '#api/platform/jobs/JobQueue.ts'
import { isOtpEnabled } from '#api/accounts/otp/isOtpEnabled.ts'
import { resetOtp } from '#api/accounts/otp/resetOtp.ts'
import { CommandRefused, operator, type OperatorCommand } from './OperatorCommand.ts'
import { endSessionsCommand, rotateEncryptionKeyCommand } from './keyCommands.ts'
import { acknowledgeCommand, attributeCommand, forgiveDebtCommand, reconcileCommand } from './payoutCommands.ts'
import { migrateCommand } from './migrateCommand.ts'

export const operatorCommands: Record<string, OperatorCommand> = {
  'reset-otp': {
    parameters: ['<email or admin username>'],
    help: 'Takes a lost authenticator off an account. A user is told by mail, and for a day a person looks at his withdrawals; an administrator is logged out everywhere.',
    run: ({ orm, url, env }, [account = '']) =>
      account.includes('@') ? resetUser(orm.em.fork(), { url, env, email: account }) : resetAdmin(orm.em.fork(), account),
  },
  'clear-ips': {
    parameters: [],
    help: 'Lets administrators in from every IP address, until another list is set in the panel.',
    async run({ orm }) {
      await orm.em.fork().transactional((em) => changeIpAccess(em, { allowedIps: null, actor: operator() }))
      return 'The administrator area may be used from every IP address now. Set a new list in the panel, under System settings.'
    },
  },
  'reset-admin-password': {
    parameters: ['[username]'],
    help: 'Gives an administrator a temporary password, printed once, and logs him out everywhere. The name may be left out if there is one only.',
    async run({ orm }, [username]) {
      const administrator = await requireAdministrator(orm.em.fork(), username)
      const password = drawTemporaryPassword()
      const passwordHash = await hashPassword(password)
      await orm.em
        .fork()
        .transactional((em) => resetAdministratorPassword(em, { administrator, actor: operator(), passwordHash }))
      return `The temporary password of ${administrator.username} is ${password}\nIt is shown this once. Change it in the panel, under System settings.`
    },
  },
  'reconcile-payouts': reconcileCommand,
  'attribute-transfer': attributeCommand,
  'acknowledge-transfer': acknowledgeCommand,
  'forgive-debt': forgiveDebtCommand,
  migrate: migrateCommand,
  'rotate-encryption-key': rotateEncryptionKeyCommand,
  'end-sessions': endSessionsCommand,
}

async function requireAdministrator(em: EntityManager, username: string | undefined) {
  const administrator = await findAdministrator(em, username)
  if (administrator) return administrator
  throw new CommandRefused(
    username === undefined
      ? 'There is no administrator, or more than one: name the one you mean.'
      : `There is no administrator "${username}".`,
  )
}

async function resetAdmin(em: EntityManager, username: string): Promise<string> {
  const administrator = await requireAdministrator(em, username)
  if (!(await isOtpEnabled(em, { realm: 'admin', id: administrator.id }))) {
    throw new CommandRefused(`The administrator ${username} has no authenticator.`)
  }
  await em.transactional((em) => resetAdministratorOtp(em, { administrator, actor: operator() }))
  return `The authenticator of the administrator ${username} is reset: the password alone logs in.`
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
  return `The authenticator of ${email} is reset, and a mail tells so. Withdrawals of the next 24 hours wait for a person.`
}
