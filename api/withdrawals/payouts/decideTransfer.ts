import type { Address, Hash } from 'viem'
import type { RpcEndpoint } from '#api/platform/chain/RpcEndpoint.ts'
import { query } from '#api/entities/tables.ts'
import type { Services } from '#api/platform/services.ts'
import { CannotReconcile } from './requireUnanimity.ts'
import { attributeToAccount } from './attributeTransfer.ts'
import { readExplained, recordAcknowledgement } from '../payoutWallets/explainedTransfers.ts'
import { lockWallet } from '../payoutWallets/lockWallet.ts'
import { findRecipients } from './findRecipient.ts'
import { describeTransfer, type OwnTransfer } from './readOwnTransfers.ts'
import { readFinalBlock, readUnexplainedOf } from './readUnexplained.ts'

type Needed = Pick<Services, 'orm' | 'config' | 'clock' | 'jobs'>

export interface TransferDecision {
  /** All configured endpoints; they must agree. */
  endpoints: readonly RpcEndpoint[]
  hash: Hash
  reason: string
  /** The actor in the audit log. */
  actor: string
}

/**
 * Records that the transfers of a transaction paid no account. A transfer to an account's wallet needs that account's email, because
 * acknowledging it by mistake would let its owner be paid twice.
 *
 * @param email the account that may keep the transferred amount.
 * @throws CannotReconcile
 */
export async function acknowledgeTransfer(
  services: Needed,
  { email, ...decision }: TransferDecision & { email: string | undefined },
): Promise<string[]> {
  const { orm } = services
  const { hash, reason, actor } = decision
  const { wallet, transfers } = await requireUnexplained(services, decision)
  return orm.em.fork().transactional(async (em) => {
    await lockWallet(em, wallet)
    const explained = await readExplained(em, [hash])
    if (transfers.some((transfer) => explained.has(transfer)))
      throw new CannotReconcile(`A transfer of ${hash} was explained meanwhile. Please look at it again.`)
    const strangers = new Set<Address>()
    for (const transfer of transfers) {
      const owners = (await findRecipients(em, transfer)).map((owner) => owner.email)
      if (owners.length === 0) strangers.add(transfer.recipient)
      else if (email === undefined || !owners.includes(email))
        throw new CannotReconcile(
          `${describeTransfer(transfer)} went to a wallet of ${owners.join(', ')}. Attribute it with attribute-transfer; ` +
            'or, if the account may keep it, name its email behind the reason.',
        )
    }
    const lines = transfers.map((transfer) => `${describeTransfer(transfer)} is acknowledged as foreign.`)
    recordAcknowledgement(em, { actor, hash, reason, transfers: transfers.map(describeTransfer), strangers: [...strangers] })
    return lines
  })
}

/** Books the transfers of a transaction as withdrawals of the account that the operator names. @throws CannotReconcile */
export async function attributeByHand(
  services: Needed,
  { email, ...decision }: TransferDecision & { email: string },
): Promise<string[]> {
  const { orm } = services
  const { reason, actor } = decision
  const account = await query(orm.em.fork()).selectFrom('users').select('id').where('email', '=', email).executeTakeFirst()
  if (!account) throw new CannotReconcile(`There is no user ${email}.`)
  const recipient = { userId: account.id, email }
  const { wallet, transfers } = await requireUnexplained(services, decision)
  if (new Set(transfers.map((transfer) => transfer.recipient)).size > 1)
    throw new CannotReconcile('This transaction has paid several wallets, which no payout of ours does.')
  const lines: string[] = []
  for (const transfer of transfers) {
    const words = await orm.em
      .fork()
      .transactional((em) => attributeToAccount(em, services, { wallet, transfer, actor, recipient, reason }))
    lines.push(`${describeTransfer(transfer)} ${words ?? 'is explained by now.'}`)
  }
  return lines
}

/** The unexplained transfers of a transaction, and the payout wallet that sent them. */
async function requireUnexplained(
  services: Needed,
  { endpoints, hash, reason }: TransferDecision,
): Promise<{ wallet: Address; transfers: OwnTransfer[] }> {
  if (!reason.trim()) throw new CannotReconcile('Give a reason.')
  const upTo = await readFinalBlock(endpoints, services.config)
  const wallets = await query(services.orm.em.fork()).selectFrom('payout_wallets').select('address').orderBy('address').execute()
  for (const { address } of wallets) {
    const transfers = await readUnexplainedOf(services, { endpoints, address, upTo, hashes: [hash] })
    if (transfers.length > 0) return { wallet: address, transfers }
  }
  throw new CannotReconcile(`${hash} holds no final transfer of a payout wallet that is not explained.`)
}
