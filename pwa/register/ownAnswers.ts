import { findRegisterDays, listReceipts, readRegisterDay } from '#shared/contract/register.ts'
import type { Output } from '#shared/contract/endpoint.ts'
import { fromBase64, toBase64 } from '#shared/register/bytes.ts'
import { FormatError } from '#shared/register/FormatError.ts'
import type { Receipt } from '#shared/register/receipts.ts'
import type { Range } from '#shared/register/values.ts'
import { rewardInstant } from '#shared/rewardTime.ts'
import { api } from '#pwa/lib/api.ts'
import type { Opener } from './AccountFacts.ts'
import { readOwn, storeOwn } from './deviceMemory.ts'
import { ReceiptPromise } from './ReceiptPromise.ts'

export type DayAnswer = Output<typeof readRegisterDay>

/** Which days are in the register. */
export const findDays = async (): Promise<{ first: string; last: string } | null> => (await api(findRegisterDays, {})).days

/** What the site tells the account of a day. */
export async function readDay(day: string, after = -1): Promise<DayAnswer> {
  const answer = await api(readRegisterDay, { params: { day }, query: { after } })
  let { more, entries } = answer
  while (more) {
    const next = await api(readRegisterDay, { params: { day }, query: { after: entries.at(-1)?.index ?? after } })
    entries = [...entries, ...next.entries]
    more = next.more && next.entries.length > 0
  }
  return { ...answer, entries }
}

/** Fetches the receipts that the device does not have yet, and keeps them unless the account has changed. */
export async function collectReceipts(userId: string, ensureSameAccount: () => void): Promise<string[]> {
  const receipts = [...readOwn(userId).receipts]
  for (let more = true; more; ) {
    const answer = await api(listReceipts, { query: { after: receipts.length - 1 } })
    ensureSameAccount()
    receipts.push(...answer.receipts.map(({ note }) => note))
    more = answer.more && answer.receipts.length > 0
  }
  storeOwn(userId, { receipts })
  return receipts
}

/** What receipts say before the log is read; their signatures are not checked here. */
export function readPromises(receipts: readonly string[], day: string): { genesis: string | undefined; numbers: Range[] } {
  const promises = receipts.flatMap(readReceipt)
  const numbers = promises.flatMap((receipt) =>
    receipt.kind === 'nodes' && receipt.by <= day && receipt.time <= rewardInstant(day) ? receipt.numbers : [],
  )
  const [first] = promises
  return { genesis: first && toBase64(first.genesis), numbers }
}

/** One that is none fails its tick later. */
function readReceipt(note: string): Receipt[] {
  try {
    return [new ReceiptPromise(note).receipt]
  } catch (error) {
    if (error instanceof FormatError) return []
    throw error
  }
}

/** Opens with the secrets that the site shows. They open nothing that was not committed to this e-mail with them. */
export function openerOfAnswers(answers: ReadonlyMap<string, DayAnswer>): Opener {
  const entries = new Map([...answers.values()].flatMap((answer) => answer.entries.map(({ index, secret }) => [index, secret])))
  const decode = (secret: string | null | undefined) => {
    const bytes = secret ? fromBase64(secret) : undefined
    return bytes ? [bytes] : []
  }
  return {
    day: (day) => decode(answers.get(day)?.secret),
    entry: (index) => decode(entries.get(index)),
  }
}
