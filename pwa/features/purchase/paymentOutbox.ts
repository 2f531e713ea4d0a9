import type { QueryClient } from '@tanstack/react-query'
import { z } from 'zod'
import { create } from 'zustand'
import { isRefusal } from '#shared/contract/client.ts'
import { createPurchase, type Purchase } from '#shared/contract/purchases.ts'
import { transactionHash } from '#shared/wire/address.ts'
import { amount } from '#shared/wire/amount.ts'
import { SECOND } from '#shared/dates.ts'
import { instant } from '#shared/wire/instant.ts'
import { msg, t, translateServerText } from '#pwa/i18n/t.ts'
import { api } from '#pwa/lib/api.ts'
import { authUserQuery, nodeStatsQuery, purchasesQuery, reservationQuery } from '#pwa/lib/queries.ts'
import { redirectIfUnauthorized } from '#pwa/lib/unauthorized.ts'
import { toast } from '#pwa/ui/toast.ts'
import { applyReservation } from './applyReservation.ts'

const paymentReport = z.object({
  /** Idempotency key, the same on every retry. */
  idempotencyKey: z.string(),
  userId: z.string(),
  requestedQuantity: z.int(),
  purchaseAmountUsdt: amount,
  transactionHash,
  sentAt: instant,
  /** The server's English message if it refused the report. The transfer is on the chain regardless. */
  refusal: z.string().optional(),
})

/** A transfer that was sent and that the server may not know of yet. */
export type PaymentReport = z.output<typeof paymentReport>

const reports = z.array(paymentReport)
const STORAGE_KEY = 'payment_outbox'

/** What this tab wrote last. Lasts until the page is closed, if storage is denied or full. */
let written: PaymentReport[] = []
/** Keys that `written` replaces in storage, while it could not be stored. */
let replaced: ReadonlySet<string> | undefined

/** All transfers of this browser that the server has not acknowledged. */
export const usePaymentReports = create<{ reports: readonly PaymentReport[] }>()(() => ({ reports: readReports() }))

// Other tabs send too.
globalThis.addEventListener?.('storage', ({ key }) => {
  if (key === STORAGE_KEY) usePaymentReports.setState({ reports: readReports() })
})

/** Stores a report before anything else happens with the transfer, so that it survives a closed browser. */
export function storeReport(report: PaymentReport): void {
  write([...readReports().filter(({ idempotencyKey }) => idempotencyKey !== report.idempotencyKey), report])
}

export function deleteReport(idempotencyKey: string): void {
  write(readReports().filter((report) => report.idempotencyKey !== idempotencyKey))
}

/** Delays between retries while the server cannot be reached. */
const delays = [2, 5, 15, 30, 60].map((seconds) => seconds * SECOND)
const underWay = new Set<string>()
let failures = 0
let timer: ReturnType<typeof setTimeout> | undefined

interface Sender {
  queryClient: QueryClient
  userId: string
}

/**
 * Reports every unacknowledged transfer of this account to the server. Safe to call at any time and repeatedly: a late answer of the
 * wallet may come when another account is logged in, in whose session the server would take it as that account's payment.
 */
export async function sendReports({ queryClient, userId }: Sender): Promise<void> {
  if (queryClient.getQueryData(authUserQuery.queryKey)?.id !== userId) return
  clearTimeout(timer)
  const waiting = readReports().filter(
    (report) => report.userId === userId && report.refusal === undefined && !underWay.has(report.idempotencyKey),
  )
  const outcomes = await Promise.all(waiting.map((report) => sendReport(report, queryClient)))
  if (outcomes.every((outcome) => outcome !== 'again')) {
    failures = 0
    return
  }
  timer = setTimeout(() => void sendReports({ queryClient, userId }), delays[Math.min(failures, delays.length - 1)])
  failures++
}

/** Cancels the retries; the stored reports stay. */
export const stopSending = (): void => clearTimeout(timer)

async function sendReport(report: PaymentReport, queryClient: QueryClient): Promise<'done' | 'again' | 'later'> {
  const { idempotencyKey, requestedQuantity, purchaseAmountUsdt } = report
  underWay.add(idempotencyKey)
  try {
    const body = { requestedQuantity, purchaseAmountUsdt, transactionHash: report.transactionHash }
    const purchase = await api(createPurchase, { body }, { idempotencyKey })
    deleteReport(idempotencyKey)
    acknowledgeReport(purchase, queryClient)
    return 'done'
  } catch (error) {
    if (!isRefusal(error)) return 'again'
    if (error.status === 401) {
      redirectIfUnauthorized(error)
      return 'later'
    }
    if (error.status === 429 || error.code === 'request_in_progress') return 'again'
    // The watcher may have been faster: a transfer that a purchase already has needs no attention.
    if (await isInPurchases(report, queryClient)) {
      deleteReport(idempotencyKey)
      return 'done'
    }
    const refusal = error.serverMessage ?? msg('Node purchase failed.')
    storeReport({ ...report, refusal })
    toast({ title: t('Purchase Failed'), description: translateServerText(refusal), destructive: true })
    return 'done'
  } finally {
    underWay.delete(idempotencyKey)
  }
}

/** Whether a purchase has the reported transfer. A closed purchase does not count: its money is in review. */
export const isReported = (
  { transactionHash }: Pick<PaymentReport, 'transactionHash'>,
  purchases: readonly Purchase[],
): boolean =>
  purchases.some(
    (purchase) =>
      purchase.transactionHash === transactionHash &&
      purchase.paymentStatus !== 'cancelled' &&
      purchase.paymentStatus !== 'failed',
  )

async function isInPurchases(report: PaymentReport, queryClient: QueryClient): Promise<boolean> {
  try {
    return isReported(report, await queryClient.fetchQuery({ ...purchasesQuery, staleTime: 0 }))
  } catch (error) {
    console.info('The purchases could not be compared', error)
    return false
  }
}

/** The server has stored the payment: refetch every list that shows it. */
export function acknowledgeReport(purchase: Purchase, queryClient: QueryClient): void {
  queryClient.setQueryData(
    purchasesQuery.queryKey,
    (known) => known && [purchase, ...known.filter(({ id }) => id !== purchase.id)],
  )
  // The purchase has the id of the reservation that it pays; another reservation stays open.
  const known = queryClient.getQueryData(reservationQuery.queryKey)
  applyReservation(queryClient, known && known.id !== purchase.id ? known : null)
  for (const { queryKey } of [authUserQuery, purchasesQuery, nodeStatsQuery]) void queryClient.invalidateQueries({ queryKey })
}

/** Read from storage each time, because another tab may have written. */
function readReports(): PaymentReport[] {
  const stored = readStored()
  return replaced ? [...written, ...stored.filter(({ idempotencyKey }) => !replaced?.has(idempotencyKey))] : stored
}

function readStored(): PaymentReport[] {
  try {
    return z.decode(reports, JSON.parse(localStorage.getItem(STORAGE_KEY) ?? '[]') as z.input<typeof reports>)
  } catch {
    return written
  }
}

function write(next: PaymentReport[]): void {
  written = next
  try {
    localStorage.setItem(STORAGE_KEY, JSON.stringify(z.encode(reports, next)))
    replaced = undefined
  } catch {
    // A full storage still has the earlier list.
    const keys = [...readStored(), ...next].map(({ idempotencyKey }) => idempotencyKey)
    replaced = new Set([...(replaced ?? []), ...keys])
  }
  usePaymentReports.setState({ reports: next })
}
