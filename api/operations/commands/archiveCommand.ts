import { MikroORM } from '@mikro-orm/postgresql'
import { createProgress } from '#api/platform/log/createProgress.ts'
import { ormOptions } from '#api/entities/ormOptions.ts'
import { CommandRefused, operator, type OperatorCommand } from './OperatorCommand.ts'

export const archiveMonthsCommand: OperatorCommand = {
  parameters: ['<folder>', '[--drop]'],
  help: 'Detaches the months of the ledger that are older than thirteen months, as the role of DATABASE_OWNER_URL, after writing them to files in this folder. Holders and the panel still see them. --drop then removes the entries of the ledger, but not the rewards, from the database, once their files have been read back.',
  async run({ url, env, loadArchive }, [folder = '', option]) {
    // A forgotten folder would be one of that name, in the folder of the release.
    if (folder.startsWith('-') || (option !== undefined && option !== '--drop'))
      throw new CommandRefused('Use: archive-months <folder> [--drop]')
    const { archiveMonths } = await loadArchive()
    const ownerUrl = env.DATABASE_OWNER_URL?.trim() || env.DATABASE_DIRECT_URL?.trim() || url
    const owner = new MikroORM(ormOptions({ url: ownerUrl, poolSize: 4 }))
    const progress = createProgress()
    try {
      const lines = await archiveMonths(owner, {
        folder,
        drop: option === '--drop',
        actor: operator(),
        onProgress: progress.show,
      })
      return lines.join('\n')
    } catch (error) {
      throw (error as Error).name === 'ArchiveRefused' ? new CommandRefused((error as Error).message) : error
    } finally {
      progress.end()
      await owner.close(true)
    }
  },
}
