import { expect } from 'vitest'
import type { Hash, PrivateKeyAccount } from 'viem'
import { parseAmount } from '#shared/amount.ts'
import * as contract from '#shared/contract/admin/purchases.ts'
import { ApiError } from '#shared/contract/client.ts'
import type { Purchase } from '#shared/contract/purchases.ts'
import type { Objection } from '#shared/objections.ts'
import { sql } from '#api/platform/db/sql.ts'
import { AuditEntry } from '#api/entities/AuditEntry.ts'
import { openAdministrator, type TestAdministrator } from './administrators.ts'
import { batchSender } from '#api/dev/contracts/generated/batchSender.ts'
import { makeAccount, USDT_ADDRESS } from './chains.ts'
import { findDifferences } from './findDifferences.ts'
import type { Buyer } from './people.ts'
import { type Sale, type SaleOptions, startSale } from './sale.ts'
import type { TestBrowser } from './server.ts'
import { onCleanup } from './onCleanup.ts'

type Administrator = TestAdministrator & { browser: TestBrowser }

export interface BackOffice extends Sale {
  /** Two administrators. */
  one: Administrator
  other: Administrator
  /** Calls as the first administrator. */
  call: TestBrowser['call']
  /** Sends a body without the client's validation and returns the status. */
  send(path: string, body: unknown): Promise<number>
  /** Reserves and reports a payment, so that the purchase is pending. */
  openPurchase(buyer: Buyer, quantity: number, usdt: string): Promise<Purchase>
  /** A wallet with USDT and without an account. */
  openStranger(usdt?: string): Promise<PrivateKeyAccount>
  /** Returns the id of the deposit of a transaction. */
  depositOf(hash: Hash): Promise<string>
  /** Refunds USDT from a treasury wallet; final by default. */
  sendBack(to: `0x${string}`, usdt: string, options?: { final?: boolean }): Promise<Hash>
  /** Refunds several amounts of USDT in one final transaction, each to its own recipient. */
  sendBackAtOnce(transfers: readonly (readonly [to: `0x${string}`, usdt: string])[]): Promise<Hash>
  /** Returns the audit log entries of these actions, oldest first. */
  log(prefix: string): Promise<AuditEntry[]>
}

/** A sale with its back office. After the test the audit must find no differences, unless the test itself audits it. */
export async function startBackOffice({
  isAudited = true,
  ...options
}: SaleOptions & { isAudited?: boolean } = {}): Promise<BackOffice> {
  const sale = await startSale(options)
  const { server, chain } = sale
  const { orm } = server.services
  if (isAudited) onCleanup(async () => expect(await findDifferences(orm)).toEqual([]))
  const one = await openAdministrator(server)
  const other = await openAdministrator(server, { role: 'finance' })
  return {
    ...sale,
    one,
    other,
    call: one.browser.call,
    async send(path, body) {
      const headers = { 'content-type': 'application/json' }
      return (await one.browser.fetch(server.url + path, { method: 'POST', headers, body: JSON.stringify(body) })).status
    },
    async openPurchase(buyer, quantity, usdt) {
      await sale.reserve(buyer, quantity)
      return sale.post(buyer, { quantity, usdt })
    },
    async openStranger(usdt = '1000') {
      const stranger = makeAccount()
      await chain.mintUsdt(stranger.address, parseAmount(usdt)!)
      return stranger
    },
    async depositOf(hash) {
      const [row] = await sql<{ id: string }>(orm.em.fork(), 'select id from deposits where transaction_hash = $1', [hash])
      if (!row) throw new Error(`There is no deposit of ${hash}.`)
      return row.id
    },
    async sendBack(to, usdt, { final = true } = {}) {
      const treasury = makeAccount()
      await chain.mintUsdt(treasury.address, parseAmount(usdt)!)
      const hash = await chain.transferUsdt({ from: treasury, to, amount: parseAmount(usdt)! })
      if (final) await chain.mine(sale.confirmations)
      return hash
    },
    async sendBackAtOnce(transfers) {
      const treasury = makeAccount()
      const { client } = chain
      await client.setBalance({ address: treasury.address, value: 10n ** 18n })
      const deployed = await client.deployContract({ account: treasury, ...batchSender })
      const { contractAddress: address } = await client.waitForTransactionReceipt({ hash: deployed })
      const amounts = transfers.map(([, usdt]) => parseAmount(usdt)!)
      for (const amount of amounts) await chain.mintUsdt(address!, amount)
      const hash = await client.writeContract({
        account: treasury,
        address: address!,
        abi: batchSender.abi,
        functionName: 'sendEach',
        args: [USDT_ADDRESS, transfers.map(([to]) => to), amounts],
      })
      await client.waitForTransactionReceipt({ hash })
      await chain.mine(sale.confirmations)
      return hash
    },
    log: (prefix) => orm.em.fork().find(AuditEntry, { action: { $like: `${prefix}%` } }, { orderBy: { id: 'asc' } }),
  }
}

/** What a decision names of the objections that were shown. */
export interface Named {
  overridden?: Objection[]
}

/** Decides in spite of what speaks against it, as the panel does: it names the objections that it was shown. */
export async function insist<T>(decide: (named: Named) => Promise<T>): Promise<T> {
  try {
    return await decide({ overridden: [] })
  } catch (error) {
    if (!(error instanceof ApiError && error.objections.length > 0)) throw error
    return decide({ overridden: named(error) })
  }
}

/** As a decision names them. */
export const named = ({ objections }: ApiError): Objection[] => objections.map(({ code, facts }) => ({ code, facts }))

export const approve = (browser: TestBrowser, id: string, idempotencyKey?: string) =>
  insist((named) =>
    browser.call(contract.approvePurchase, { params: { id }, body: named }, idempotencyKey ? { idempotencyKey } : {}),
  )

export const manualConfirm = (
  browser: TestBrowser,
  id: string,
  transactionHash: Hash,
  { override = false, notes }: { override?: boolean; notes?: string } = {},
) => {
  const confirm = (named: Named) =>
    browser.call(contract.manualConfirmPurchase, {
      params: { id },
      body: { transactionHash, ...named, ...(notes !== undefined && { notes }) },
    })
  return override ? insist(confirm) : confirm({ overridden: [] })
}

/** Counts the successful calls and collects the error codes of the others. */
export async function outcomes(calls: Promise<unknown>[]): Promise<{ done: number; refused: unknown[] }> {
  const results = await Promise.allSettled(calls)
  return {
    done: results.filter(({ status }) => status === 'fulfilled').length,
    refused: results.flatMap((result) =>
      result.status === 'rejected' ? [(result.reason as { code?: string }).code ?? result.reason] : [],
    ),
  }
}
