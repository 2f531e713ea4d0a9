import { recordAudit } from '#api/accounts/auditLog/recordAudit.ts'
import { prepareTables } from '#api/entities/prepareDatabase.ts'
import { operator, type OperatorCommand } from './OperatorCommand.ts'

export const migrateCommand: OperatorCommand = {
  parameters: [],
  help: 'Migrates the database to this release as the role of DATABASE_OWNER_URL, and grants the role of DATABASE_URL its rights. Processes that start afterwards do not need DATABASE_OWNER_URL.',
  async run({ orm, url, env, readJobNames }) {
    const ownerUrl = env.DATABASE_OWNER_URL?.trim() || env.DATABASE_DIRECT_URL?.trim() || url
    const migrations = await prepareTables(orm, { ownerUrl, jobNames: await readJobNames() })
    if (migrations.length > 0)
      await orm.em
        .fork()
        .transactional(async (em) => recordAudit(em, { actor: operator(), action: 'operator.migrated', after: { migrations } }))
    return `The database matches this release. ${migrations.length} migrations were run.`
  },
}
