import type { Address } from 'viem'
import { REWARD_CHAIN_ID } from '#shared/sale.ts'
import { transactionHash } from '#shared/wire/address.ts'
import { createPayoutAccount } from '#api/platform/chain/createPayoutAccount.ts'
import { rewardEndpoints } from '#api/platform/chain/rewardEndpoints.ts'
import type { Config } from '#api/platform/config.ts'
import { CannotReconcile } from '#api/withdrawals/payouts/requireUnanimity.ts'
import { acknowledgeTransfer, attributeByHand, type TransferDecision } from '#api/withdrawals/payouts/decideTransfer.ts'
import { reconcilePayouts } from '#api/withdrawals/payouts/reconcilePayouts.ts'
import { forgiveDebts } from '#api/withdrawals/requests/debts.ts'
import { CommandRefused, type CommandServices, operator, type OperatorCommand, type OperatorContext } from './OperatorCommand.ts'
import { withServices } from './withServices.ts'

export const reconcileCommand: OperatorCommand = {
  parameters: [],
  help: "Compares the payout wallets' transfers on the reward chain with the withdrawals, records lost payouts, and resumes payouts once every transfer is attributed.",
  run: (context) =>
    runPayoutCommand(context, async (services) =>
      reconcilePayouts(services, {
        endpoints: rewardEndpoints(services.config),
        actor: operator(),
        wallet: await payoutAddressOf(services.config),
      }),
    ),
}

export const attributeCommand: OperatorCommand = {
  parameters: ['<transaction hash>', '<email>', '<reason>'],
  help: 'Records an unattributed transfer of a payout wallet as a withdrawal of this account. An amount above its balance becomes a debt.',
  run: (context, [hash = '', email = '', reason = '']) =>
    runPayoutCommand(context, (services) =>
      attributeByHand(services, { ...readDecision(services.config, hash, reason), email: email.trim().toLowerCase() }),
    ),
}

export const acknowledgeCommand: OperatorCommand = {
  parameters: ['<transaction hash>', '<reason>', '[email]'],
  help: "Acknowledges a transfer of a payout wallet that paid no withdrawal. If it went to an account's wallet, its email is required, and the account may keep the amount.",
  run: (context, [hash = '', reason = '', email]) =>
    runPayoutCommand(context, (services) =>
      acknowledgeTransfer(services, { ...readDecision(services.config, hash, reason), email: email?.trim().toLowerCase() }),
    ),
}

export const forgiveDebtCommand: OperatorCommand = {
  parameters: ['<email>', '<reason>'],
  help: 'Forgives the debt of an account after a payment above its balance. It can withdraw again.',
  async run({ orm }, [typed = '', reason = '']) {
    const email = typed.trim().toLowerCase()
    if (!reason.trim()) throw new CommandRefused('Give a reason.')
    const forgiven = await orm.em
      .fork()
      .transactional((em) => forgiveDebts(em, { email, actor: operator(), reason, now: new Date() }))
    if (forgiven === undefined) throw new CommandRefused(`${email} has no debt.`)
    return `${email} no longer owes ${forgiven} XCR.`
  },
}

function readDecision(config: Config, hash: string, reason: string): TransferDecision {
  const parsed = transactionHash.safeDecode(hash.trim())
  if (!parsed.success) throw new CommandRefused(`${hash} is not a transaction hash.`)
  return { endpoints: rewardEndpoints(config), hash: parsed.data, reason, actor: operator() }
}

async function payoutAddressOf(config: Config): Promise<Address> {
  const { PAYOUT_PRIVATE_KEY: privateKey, XCR_TOKEN_ADDRESS: token } = config
  return (await createPayoutAccount({ privateKey, chainId: REWARD_CHAIN_ID, token })).address
}

/** What reconciling refuses is a refusal of the command. */
const runPayoutCommand = (context: OperatorContext, work: (services: CommandServices) => Promise<string[]>): Promise<string> =>
  withServices(context, work).then(
    (lines) => lines.join('\n'),
    (error: unknown) => {
      throw error instanceof CannotReconcile ? new CommandRefused(error.message) : error
    },
  )
