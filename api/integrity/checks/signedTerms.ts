import type { EntityManager } from '@mikro-orm/postgresql'
import { createHash } from 'node:crypto'
import type { Address, Hash } from 'viem'
import { formatAmount } from '#shared/amount.ts'
import { REWARD_CHAIN_ID } from '#shared/sale.ts'
import { parseWithdrawalMessage, type WithdrawalTerms } from '#shared/withdrawalMessage.ts'
import { LOWEST_ID } from '#api/platform/db/newId.ts'
import { sql } from '#api/platform/db/sql.ts'
import { bookedMessage, IS_BOOKED } from '#api/withdrawals/requests/bookWithdrawal.ts'
import type { Check } from '../Check.ts'

interface Signed {
  id: string
  amount: string
  fee: string
  to_address: Address
  message_hash: string
  signed_message: string
  transaction_hash: Hash | null
  transfer_ordinal: number | null
  is_booked: boolean
}

/** The number of rows read into memory at a time. */
const BATCH_SIZE = 5_000

/** The message that the holder signed proves amount, fee and wallet independently of the other rows (money.md 29). */
export const signedTerms: Check = {
  name: 'Every withdrawal has the amount, fee and wallet that its holder signed, or was booked from the chain',
  async run(em) {
    const differences: string[] = []
    for (let after = LOWEST_ID; ; ) {
      const rows = await readSigned(em, after)
      for (const row of rows) {
        const fault = findFault(row)
        if (fault) differences.push(`withdrawal ${row.id} ${fault}`)
      }
      if (rows.length < BATCH_SIZE) return differences
      after = rows.at(-1)!.id
    }
  },
}

const readSigned = (em: EntityManager, after: string): Promise<Signed[]> =>
  sql<Signed>(
    em,
    `select id, amount, fee, to_address, message_hash, signed_message, transaction_hash, transfer_ordinal, ${IS_BOOKED} as is_booked
     from withdrawals w where id > $1 order by id limit ${BATCH_SIZE}`,
    [after],
  )

function findFault(row: Signed): string | undefined {
  if (createHash('sha256').update(row.signed_message).digest('hex') !== row.message_hash) return 'has the hash of another message'
  // Its signed message is lost. The transfer that it names is compared with the chain.
  if (isBooked(row)) return undefined
  const terms = parseWithdrawalMessage(row.signed_message)
  if (!terms) return 'has a message without terms'
  return terms.chainId === REWARD_CHAIN_ID &&
    terms.amount === BigInt(row.amount) &&
    terms.fee === BigInt(row.fee) &&
    terms.address === row.to_address
    ? undefined
    : `is ${describe({ amount: BigInt(row.amount), fee: BigInt(row.fee), address: row.to_address })}, but the message says ${describe(terms)}`
}

const isBooked = ({ is_booked, signed_message, transaction_hash, transfer_ordinal }: Signed): boolean =>
  is_booked &&
  transaction_hash !== null &&
  transfer_ordinal !== null &&
  signed_message === bookedMessage({ transactionHash: transaction_hash, transferOrdinal: transfer_ordinal })

const describe = ({ amount, fee, address }: Pick<WithdrawalTerms, 'amount' | 'fee' | 'address'>): string =>
  `${formatAmount(amount)} XCR less ${formatAmount(fee)} to ${address}`
