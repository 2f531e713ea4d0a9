import type { Hex } from 'viem'
import { readAgreedReceipt, transfersIn } from '#api/platform/chain/readAgreedReceipt.ts'
import type { RpcEndpoint } from '#api/platform/chain/RpcEndpoint.ts'
import { sql } from '#api/platform/db/sql.ts'
import type { Services } from '#api/platform/services.ts'

interface Refund {
  id: string
  hash: Hex
  sender: Hex
  amount: string
}

/**
 * Stores which transfer of its transaction each refund of an earlier release was, which the register names. Refunds whose transactions cannot
 * be read at present are left for the next time.
 */
export async function numberRefunds(
  { orm, config }: Pick<Services, 'config' | 'orm'>,
  endpoints: readonly RpcEndpoint[],
): Promise<void> {
  const em = orm.em.fork()
  const refunds = await sql<Refund>(
    em,
    `select id, refund_hash as hash, sender, refunded_amount as amount from deposits
     where refund_hash is not null and refund_ordinal is null and refunded_amount is not null order by refund_hash, id`,
  )
  for (const [hash, ofHash] of Map.groupBy(refunds, (refund) => refund.hash)) {
    const receipt = await readAgreedReceipt(endpoints, hash)
    if (receipt.kind !== 'agreed') continue
    const claimed = await sql<{ ordinal: number }>(
      em,
      'select refund_ordinal as ordinal from deposits where refund_hash = $1 and refund_ordinal is not null',
      [hash],
    )
    const taken = new Set(claimed.map(({ ordinal }) => ordinal))
    const transfers = transfersIn(receipt.answer, config.USDT_ADDRESS)
    for (const { id, sender, amount } of ofHash) {
      const transfer = transfers.find(
        (one) => one.recipient === sender && one.amount === BigInt(amount) && !taken.has(one.ordinal),
      )
      if (!transfer) continue
      taken.add(transfer.ordinal)
      await sql(em, 'update deposits set refund_ordinal = $2 where id = $1 and refund_ordinal is null', [id, transfer.ordinal])
    }
  }
}
