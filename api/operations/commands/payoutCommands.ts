import type { Address } from 'viem'
import { REWARD_CHAIN_ID } from '#shared/sale.ts'
import { transactionHash } from '#shared/wire/address.ts'
import { createPayoutAccount } from '#api/platform/chain/createPayoutAccount.ts'
import { rewardEndpoints } from '#api/platform/chain/rewardEndpoints.ts'
import { createClock } from '#api/platform/clock/createClock.ts'
import { type Config, directUrlOf, readConfig } from '#api/platform/config.ts'
import { JobQueue } from '#api/platform/jobs/JobQueue.ts'
import { CannotReconcile } from '#api/withdrawals/payouts/requireUnanimity.ts'
import { acknowledgeTransfer, attributeByHand, type TransferDecision } from '#api/withdrawals/payouts/decideTransfer.ts'
import { reconcilePayouts } from '#api/withdrawals/payouts/reconcilePayouts.ts'
import type { Services } from '#api/platform/services.ts'
import { forgiveDebts } from '#api/withdrawals/requests/debts.ts'
import { CommandRefused, operator, type OperatorCommand, type OperatorContext } from './OperatorCommand.ts'

export const reconcileCommand: OperatorCommand = {
  parameters: [],
  help: "Compares the payout wallets' transfers on the reward chain with the withdrawals, books those that are lost, and lets payouts go on once every transfer is explained.",
  run: (context) =>
    withServices(context, async (services) =>
      reconcilePayouts(services, {
        endpoints: rewardEndpoints(services.config),
        actor: operator(),
        wallet: await payoutAddressOf(services.config),
      }),
    ),
}

export const attributeCommand: OperatorCommand = {
  parameters: ['<transaction hash>', '<email>', '<reason>'],
  help: 'Books a transfer of a payout wallet that nothing explains as a withdrawal of this account. What its balance does not cover is owed.',
  run: (context, [hash = '', email = '', reason = '']) =>
    withServices(context, (services) =>
      attributeByHand(services, { ...readDecision(services.config, hash, reason), email: email.trim().toLowerCase() }),
    ),
}

export const acknowledgeCommand: OperatorCommand = {
  parameters: ['<transaction hash>', '<reason>', '[email]'],
  help: "Acknowledges a transfer of a payout wallet that has paid no withdrawal. One to an account's wallet needs its email: it may keep what it was paid.",
  run: (context, [hash = '', reason = '', email]) =>
    withServices(context, (services) =>
      acknowledgeTransfer(services, { ...readDecision(services.config, hash, reason), email: email?.trim().toLowerCase() }),
    ),
}

export const forgiveDebtCommand: OperatorCommand = {
  parameters: ['<email>', '<reason>'],
  help: 'Forgives what an account owes since a payment exceeded its balance. It can withdraw again.',
  async run({ orm }, [typed = '', reason = '']) {
    const email = typed.trim().toLowerCase()
    if (!reason.trim()) throw new CommandRefused('Give a reason.')
    const forgiven = await orm.em
      .fork()
      .transactional((em) => forgiveDebts(em, { email, actor: operator(), reason, now: new Date() }))
    if (forgiven === undefined) throw new CommandRefused(`${email} owes nothing.`)
    return `${email} no longer owes ${forgiven} XCR.`
  },
}

function readDecision(config: Config, hash: string, reason: string): TransferDecision {
  const parsed = transactionHash.safeDecode(hash.trim())
  if (!parsed.success) throw new CommandRefused(`${hash} is no transaction hash.`)
  return { endpoints: rewardEndpoints(config), hash: parsed.data, reason, actor: operator() }
}

async function payoutAddressOf(config: Config): Promise<Address> {
  const { PAYOUT_PRIVATE_KEY: privateKey, XCR_TOKEN_ADDRESS: token } = config
  return (await createPayoutAccount({ privateKey, chainId: REWARD_CHAIN_ID, token })).address
}

async function withServices(
  { orm, env, demo }: OperatorContext,
  work: (services: Pick<Services, 'orm' | 'config' | 'clock' | 'jobs'>) => Promise<string[]>,
): Promise<string> {
  const config = readConfig(env, { demo })
  const jobs = new JobQueue(directUrlOf(config), { onError: console.error })
  const clock = await createClock(orm, config)
  try {
    return (await work({ orm, config, clock, jobs })).join('\n')
  } catch (error) {
    throw error instanceof CannotReconcile ? new CommandRefused(error.message) : error
  } finally {
    await clock.stop()
    await jobs.stop()
  }
}
