import { ChainUnavailable } from '#api/platform/chain/ChainClient.ts'
import { paymentEndpoints } from '#api/platform/chain/paymentEndpoints.ts'
import { bytesOfKey } from '#api/platform/crypto/hexKeys.ts'
import { CommandRefused, type CommandServices, operator, type OperatorCommand, type OperatorContext } from './OperatorCommand.ts'
import { withServices } from './withServices.ts'

export const resumeRegisterCommand: OperatorCommand = {
  parameters: ['[number of entries]'],
  help: 'Compares the anchored roots of the public register with its log, and lets it publish again if they agree. A restored dump also needs the number of entries of the newest checkpoint that anybody has.',
  run: (context, [entries]) =>
    runRegisterCommand(context, async (services) => {
      if (entries !== undefined && !/^\d{1,15}$/.test(entries)) throw new CommandRefused('The number of entries is an integer.')
      const knownSize = entries === undefined ? undefined : Number(entries)
      const { resume } = await context.loadRegister()
      const endpoints = paymentEndpoints(services.config)
      const { isResumed, text } = await resume(services, { endpoints, actor: operator(), knownSize })
      if (!isResumed) throw new CommandRefused(text)
      return text
    }),
}

export const rotateRegisterKeysCommand: OperatorCommand = {
  parameters: [],
  help: 'Publishes that the configured keys of the public register replace those that it names. OLD_REGISTER_SIGNING_KEY, the key before, signs the change.',
  run: (context) =>
    runRegisterCommand(context, async (services) => {
      const given = context.env.OLD_REGISTER_SIGNING_KEY?.trim()
      if (given && !/^(0x)?[0-9a-fA-F]{64}$/.test(given))
        throw new CommandRefused('OLD_REGISTER_SIGNING_KEY must be 32 bytes in hex.')
      const oldSigningKey = given ? bytesOfKey(given) : undefined
      const { rotateKeys } = await context.loadRegister()
      return rotateKeys(services, { actor: operator(), oldSigningKey })
    }),
}

export const registerNoteCommand: OperatorCommand = {
  parameters: ['<message | wrong>', '<text, or the index of the wrong entry>', '[text]'],
  help: 'Publishes a sentence in the public register, or that one of its entries is wrong.',
  run: (context, [topic, ...rest]) =>
    runRegisterCommand(context, async (services) => {
      const isWrong = topic === 'wrong'
      const [index, text] = isWrong ? rest : [undefined, rest[0]]
      const isComplete = text !== undefined && rest.length === (isWrong ? 2 : 1) && (!isWrong || /^\d{1,15}$/.test(index ?? ''))
      if (!isComplete || (!isWrong && topic !== 'message'))
        throw new CommandRefused('Use: register-note message "<text>", or register-note wrong <index> "<text>".')
      const { addNote } = await context.loadRegister()
      return addNote(services, { actor: operator(), text, wrongEntry: isWrong ? Number(index) : undefined })
    }),
}

/** What the register refuses is a refusal of the command. */
const runRegisterCommand = (context: OperatorContext, work: (services: CommandServices) => Promise<string>): Promise<string> =>
  withServices(context, work).catch((error: unknown) => {
    const isPlain = error instanceof ChainUnavailable || /^(EntryRefused|RegisterStopped)$/.test((error as Error).name)
    throw isPlain ? new CommandRefused((error as Error).message) : error
  })
