import { MikroORM } from '@mikro-orm/postgresql'
import { ConfigError } from '#api/platform/ConfigError.ts'
import { ormOptions } from '#api/entities/ormOptions.ts'
import { openDatabase } from '#api/dev/openDatabase.ts'
import { CommandRefused, type RegisterActions } from './OperatorCommand.ts'
import { operatorCommands } from './operatorCommands.ts'

const [name = 'help', ...args] = process.argv.slice(2)
const command = Object.hasOwn(operatorCommands, name) ? operatorCommands[name] : undefined
if (command && acceptsArguments(command.parameters, args)) process.exitCode = await run()
else if (process.argv.length > 2 && ['help', '--help', '-h'].includes(name)) console.log(usage())
else {
  console.error(usage())
  process.exitCode = 2
}

async function run(): Promise<number> {
  try {
    const database = await openDatabase()
    if (!database) {
      console.error('No database found. Set DATABASE_URL, or run npm start once.')
      return 1
    }
    const orm = new MikroORM(ormOptions({ url: database.url, poolSize: 2 }))
    try {
      console.log(
        await command!.run(
          { orm, ...database, readJobNames, loadRegister, loadArchive: () => import('#api/integrity/archive/archiveMonths.ts') },
          args,
        ),
      )
      return 0
    } finally {
      await orm.close(true)
      await database.close()
    }
  } catch (error) {
    const isPlain =
      error instanceof CommandRefused || error instanceof ConfigError || (error as Error).name === 'StackRunningError'
    console.error(isPlain ? (error as Error).message : error)
    return 1
  }
}

async function readJobNames(): Promise<string[]> {
  const { jobs } = await import('#api/app/schedule.ts')
  return jobs.map(({ name }) => name)
}

async function loadRegister(): Promise<RegisterActions> {
  const [{ resumeRegister: resume }, { addRegisterNote: addNote, rotateRegisterKeys: rotateKeys }] = await Promise.all([
    import('#api/integrity/register/resumeRegister.ts'),
    import('#api/integrity/register/publish/operatorEntries.ts'),
  ])
  return { resume, rotateKeys, addNote }
}

/** `<one>` is required, `[one]` is optional. */
function acceptsArguments(parameters: readonly string[], given: readonly string[]): boolean {
  return given.length <= parameters.length && given.length >= parameters.filter((parameter) => parameter.startsWith('<')).length
}

function usage(): string {
  const lines = Object.entries(operatorCommands).map(([name, { parameters, help }]) =>
    [`  ${[name, ...parameters].join(' ')}`, ...wrap(help).map((line) => `      ${line}`)].join('\n'),
  )
  return [
    'Usage: npm run admin -- <command>',
    '',
    ...lines,
    '',
    'Commands use DATABASE_URL or, in development, the database of npm start, running or not.',
    'All changes are recorded in the audit log.',
  ].join('\n')
}

function wrap(text: string, width = 90): string[] {
  const lines = ['']
  for (const word of text.split(' ')) {
    const last = lines.length - 1
    if (lines[last] !== '' && `${lines[last]} ${word}`.length > width) lines.push(word)
    else lines[last] = lines[last] ? `${lines[last]} ${word}` : word
  }
  return lines
}
