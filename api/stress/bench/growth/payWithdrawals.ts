import path from 'node:path'
import type pg from 'pg'
import { parseEther } from 'viem'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { houseAccounts } from '#api/rewards/ledger/houseAccounts.ts'
import { connectDevChain, REWARD_CHAIN_ID } from '#api/dev/connectDevChain.ts'
import { bep20Usdt } from '#api/dev/contracts/generated/bep20Usdt.ts'
import { startChain } from '#api/dev/startChain.ts'
import { deployXcr } from '#api/dev/tokens.ts'
import { makeAccount } from '#api/testing/chains.ts'
import { userIdOf } from '../reservations/prepareBuyers.ts'
import type { OwnDatabase } from '../startOwnDatabase.ts'
import { runCommand } from '../startProgram.ts'

const AMOUNT = parseEther('3000')
const FEE = parseEther('5')

/** Pays `due` withdrawals after `past` completed ones. Returns the milliseconds per withdrawal. */
export async function payWithdrawals(
  { client, env }: OwnDatabase,
  { past, holders, due }: { past: number; holders: number; due: number },
): Promise<number> {
  const chain = await startChain({ chainId: REWARD_CHAIN_ID, mining: 'instant' })
  try {
    const reward = connectDevChain(chain.url, REWARD_CHAIN_ID)
    const privateKey = generatePrivateKey()
    const { address } = privateKeyToAccount(privateKey)
    const owner = makeAccount()
    const token = await deployXcr(reward, owner)
    for (const holder of [owner.address, address]) await reward.setBalance({ address: holder, value: parseEther('1000000') })
    const hash = await reward.writeContract({
      account: owner,
      address: token,
      abi: bep20Usdt.abi,
      functionName: 'mint',
      args: [address, AMOUNT * BigInt(due)],
    })
    await reward.waitForTransactionReceipt({ hash })
    await reward.setNonce({ address, nonce: past })

    await fillPast(client, { past, holders, address: address.toLowerCase() })
    await client.query(
      `insert into withdrawals (id, user_id, amount, fee, to_address, message_hash, signed_message, signature, created_at, requested_at)
       select ${idOf('b001', 'n')}, ${userIdOf('n')}, $2, $3, '0xb1' || lpad(to_hex(n), 38, '0'), 'due' || lpad(to_hex(n), 61, '0'), '-', '0x',
         now(), now() from generate_series(1, $1::int) n`,
      [due, AMOUNT.toString(), FEE.toString()],
    )
    await client.query('update accounts set balance = balance + $2 where id = $1', [
      houseAccounts.payouts,
      (AMOUNT * BigInt(due)).toString(),
    ])
    const output = await runCommand(process.execPath, [path.join(import.meta.dirname, '../payouts/sendDue.ts')], {
      env: { ...env, XCR_RPC_URLS: chain.url, XCR_TOKEN_ADDRESS: token, XCR_CONFIRMATIONS: '1', PAYOUT_PRIVATE_KEY: privateKey },
    })
    const { rows } = await client.query<{ paid: number }>(
      `select count(*)::int as paid from withdrawals where status = 'completed' and signed_message = '-'`,
    )
    if (rows[0]!.paid !== past + due) throw new Error(`${rows[0]!.paid - past} of ${due} withdrawals were paid.`)
    return ((JSON.parse(output) as { seconds: number }).seconds * 1_000) / due
  } finally {
    await chain.stop()
  }
}

const idOf = (kind: string, n: string) => `('01900000-0000-7000-${kind}-' || lpad(to_hex(${n}), 12, '0'))::uuid`

/** Inserts the earlier payouts of the same wallet. */
async function fillPast(client: pg.Client, { past, holders, address }: { past: number; holders: number; address: string }) {
  const at = `now() - interval '2 days' - n * interval '1 second'`
  await client.query('insert into payout_wallets (address, next_nonce) values ($1, $2)', [address, past])
  await client.query(
    `insert into withdrawals (id, user_id, amount, fee, to_address, status, message_hash, signed_message, signature, transaction_hash,
       transfer_ordinal, created_at, requested_at, completed_at)
     select ${idOf('b000', 'n')}, ${userIdOf('1 + n % $2::int')}, $3, $4, '0xb1' || lpad(to_hex(n), 38, '0'), 'completed',
       lpad(to_hex(n), 64, '0'), '-', '0x', '0xbb' || lpad(to_hex(n), 62, '0'), 0, ${at}, ${at}, ${at}
     from generate_series(1, $1::int) n`,
    [past, holders, AMOUNT.toString(), FEE.toString()],
  )
  await client.query(
    `insert into payouts (id, wallet_address, nonce, cause, withdrawal_id, recipient, amount, state, final_hash, signed_at, settled_at)
     select ${idOf('c000', 'n')}, $2, n - 1, 'withdrawal:' || ${idOf('b000', 'n')}, ${idOf('b000', 'n')}, '0xb1' || lpad(to_hex(n), 38, '0'),
       $3, 'paid', '0xbb' || lpad(to_hex(n), 62, '0'), ${at}, ${at}
     from generate_series(1, $1::int) n`,
    [past, address, (AMOUNT - FEE).toString()],
  )
  await client.query(
    `insert into payout_attempts (id, payout_id, hash, signed_bytes, kind, max_fee_per_gas, max_priority_fee_per_gas, signed_at, sent_at)
     select ${idOf('d000', 'n')}, ${idOf('c000', 'n')}, '0xbb' || lpad(to_hex(n), 62, '0'), '0x', 'pay', 1, 1, ${at}, ${at}
     from generate_series(1, $1::int) n`,
    [past],
  )
  await client.query('vacuum analyze withdrawals, payouts, payout_attempts')
}
