import type pg from 'pg'
import { encodeAbiParameters, keccak256, parseEther } from 'viem'
import { callChainBatch } from '#api/dev/callChain.ts'
import { type Parts, USDT_ADDRESS } from '../startParts.ts'

/** The session id of buyer n, with the length of a real one. */
export const sessionId = (n: number): string => `buyer-${String(n).padStart(37, '0')}`

/**
 * SQL for the user id, session key and wallet of buyer n.
 *
 * They are computed from the number, so that pgbench needs no query for them.
 */
export const userIdOf = (n: string): string => `('01900000-0000-7000-8000-' || lpad(to_hex(${n}), 12, '0'))::uuid`
export const sessionKeyOf = (n: string): string => `('01900000-0000-7000-9000-' || lpad(to_hex(${n}), 12, '0'))::uuid`
export const walletOf = (n: string): string => `('0xb0' || lpad(to_hex(${n}), 38, '0'))`

const wallet = (n: number): `0x${string}` => `0xb0${n.toString(16).padStart(38, '0')}`

/** Inserts buyers: logged in, authenticator enabled, wallet registered and funded. */
export async function prepareBuyers({ database, chain }: Parts, count: number): Promise<void> {
  await database.query(
    `insert into users (id, email, password_hash, wallet_address, otp_secret, otp_enabled_at, created_at)
     select ${userIdOf('n')}, n || '@example.com', '-', ${walletOf('n')}, '-', now(), now() from generate_series(1, $1::int) n`,
    [count],
  )
  await logInBuyers(database, count)
  await database.query('analyze users, web_sessions')
  await fillWallets(chain.url, count)
}

/** Inserts the sessions of the first buyers. */
export async function logInBuyers(database: pg.Client, count: number): Promise<void> {
  await database.query(
    `insert into web_sessions (id_hash, realm, key, account_id, account_epoch, data, created_at, last_seen_at, expires_at)
     select encode(sha256(convert_to('buyer-' || lpad(n::text, 37, '0'), 'UTF8')), 'hex'), 'user', ${sessionKeyOf('n')}, ${userIdOf('n')}, 0,
       jsonb_build_object('key', ${sessionKeyOf('n')}, 'accountId', ${userIdOf('n')}, 'accountEpoch', 0,
         '_expire', (extract(epoch from now()) * 1000)::bigint + 604800000, '_maxAge', 604800000),
       now(), now(), now() + interval '7 days'
     from generate_series(1, $1::int) n`,
    [count],
  )
}

/** Resets the sale: no reservations, one unused step-up mark per buyer, and compact tables. */
export async function resetSale(database: pg.Client, { buyers, supply }: { buyers: number; supply: number }): Promise<void> {
  await database.query('truncate purchases, deposits, nodes, idempotency_keys, change_events, step_up_marks cascade')
  await database.query('update supply set total = $1, paid = 0, bonus = 0, reserved = 0', [supply])
  await database.query(
    `insert into step_up_marks (id, user_id, session_key, granted_at)
     select gen_random_uuid(), ${userIdOf('n')}, ${sessionKeyOf('n')}, now() from generate_series(1, $1::int) n`,
    [buyers],
  )
  await database.query('vacuum analyze supply, step_up_marks, purchases, idempotency_keys, change_events')
  await database.query('checkpoint')
}

const BATCH_SIZE = 2_000

export async function fillWallets(url: string, count: number): Promise<void> {
  const value = `0x${parseEther('1000').toString(16).padStart(64, '0')}`
  for (let first = 1; first <= count; first += BATCH_SIZE) {
    const numbers = Array.from({ length: Math.min(BATCH_SIZE, count - first + 1) }, (_, index) => first + index)
    await callChainBatch(
      url,
      numbers.map((n) => ({ method: 'anvil_setStorageAt', params: [USDT_ADDRESS, balanceSlot(wallet(n)), value] })),
    )
  }
}

/** `balanceOf` is the first variable of DevToken.sol. */
export const balanceSlot = (owner: `0x${string}`): `0x${string}` =>
  keccak256(encodeAbiParameters([{ type: 'address' }, { type: 'uint256' }], [owner, 0n]))
