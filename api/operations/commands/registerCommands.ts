import { ChainUnavailable } from '#api/platform/chain/ChainClient.ts'
import { paymentEndpoints } from '#api/platform/chain/paymentEndpoints.ts'
import { readConfig } from '#api/platform/config.ts'
import { CommandRefused, operator, type OperatorCommand } from './OperatorCommand.ts'

export const resumeRegisterCommand: OperatorCommand = {
  parameters: [],
  help: 'Compares the anchored roots of the public register with its log, and lets it publish again if they agree.',
  async run({ orm, env, demo, resumeRegister }) {
    const config = readConfig(env, { demo })
    const options = { endpoints: paymentEndpoints(config), actor: operator() }
    const { isResumed, text } = await resumeRegister({ orm, config }, options).catch((error: unknown) => {
      throw error instanceof ChainUnavailable ? new CommandRefused(error.message) : error
    })
    if (!isResumed) throw new CommandRefused(text)
    return text
  },
}
