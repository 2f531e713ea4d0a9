import type { Page, Route } from 'playwright-core'
import { formatAmount } from '#shared/amount.ts'
import { EVENTS_PATH } from '#shared/contract/events.ts'
import { toBase64, utf8 } from '#shared/register/bytes.ts'
import { daySecret, entrySecret } from '#shared/register/secrets.ts'
import vectors from '#api/integrity/register/vectors/vectors.json' with { type: 'json' }
import { type Lie, siteLies, toldBy, truth } from '#api/testing/exampleRegister.ts'
import { serveRegister } from '#api/testing/serveRegister.ts'

export interface RegisterLie extends Lie {
  holder?: number
  balance?: string
  receipts?: Record<string, string | null>
}

const { log } = vectors
// The product is a demo, whose register may be gone because it was installed anew.
const lies: readonly RegisterLie[] = [...log.lies, ...siteLies.filter(({ isGone }) => !isGone)]
const notes: Record<string, string> = vectors.receipts.notes
const holderLies: readonly RegisterLie[] = log.holderLies

/** The site whose register the example is. */
const SITE = 'https://nodes.example.com'

/**
 * Shows a page the example log of the vectors in place of the product's, and a holder of it as the logged-in user. The product is shown
 * at the example's own address, because the register of another site does not verify.
 */
export async function serveExample(page: Page, index?: number) {
  const example = await serveRegister()
  const holder = log.holders[index ?? 0]!
  const proofKey = Uint8Array.from(Buffer.from(holder.proofKey, 'hex'))
  let clock = truth().now
  let [told, lie] = [truth(), undefined as RegisterLie | undefined]
  example.tell(told)

  const forward = async (route: Route, path: string) => {
    const body = route.request().postData()
    const response = await fetch(example.site + path, body === null ? {} : { method: 'POST', body })
    const headers = { 'access-control-allow-origin': '*', 'access-control-allow-headers': '*' }
    await route.fulfill({ status: response.status, headers, body: Buffer.from(await response.arrayBuffer()) })
  }
  await page.route(`${SITE}/**`, async (route) => {
    const { pathname, search } = new URL(route.request().url())
    // The stream of changes never ends.
    if (pathname === EVENTS_PATH) return route.fulfill({ status: 204 })
    const { accept = '*/*' } = route.request().headers()
    return route.fulfill({ response: await page.request.get(pathname + search, { headers: { accept } }) })
  })
  const user = index === undefined ? undefined : await (await page.request.get('/api/auth/user')).json()
  const { paymentChain, rewardChain } = await (await page.request.get('/api/config')).json()
  await page.clock.setFixedTime(told.now)
  await page.route(/\/register\/(checkpoint|log\/|days\/|build)/, (route) => {
    const { pathname } = new URL(route.request().url())
    return pathname.includes('/build') ? route.fulfill({ body: 'another build' }) : forward(route, pathname)
  })
  await page.route(`${paymentChain.rpcUrls[0]}/**`, (route) => forward(route, '/payment'))
  await page.route(`${rewardChain.rpcUrls[0]}/**`, (route) => forward(route, '/reward'))
  // Without a holder there are none, so that the page checks nothing by itself, whose failure would be the first evidence.
  const days = index === undefined ? null : { first: '2026-11-20', last: holder.day }
  await page.route('**/api/register/days', (route) => route.fulfill({ json: { days } }))
  await page.route('**/api/register/receipts?*', (route) => {
    const known = Object.fromEntries(holder.receipts.map((name): [string, string | null] => [name, notes[name]!]))
    const own = Object.values({ ...known, ...lie?.receipts }).filter((note) => note !== null)
    const after = Number(new URL(route.request().url()).searchParams.get('after'))
    return route.fulfill({ json: { receipts: own.map((note, position) => ({ position, note })).slice(after + 1), more: false } })
  })
  await page.route('**/api/register/day/**', (route) => {
    const { pathname, searchParams } = new URL(route.request().url())
    const entries = told.entries.map((text, at) => {
      const body = utf8(text.slice(0, text.lastIndexOf('\n', text.length - 2) + 1))
      return { index: at, text, secret: text.includes('\nowner ') ? toBase64(entrySecret(proofKey, body)) : null }
    })
    const json = {
      secret: toBase64(daySecret(proofKey, pathname.slice(-10))),
      numbers: holder.numbers,
      books: { index: 0, balance: formatAmount(BigInt(lie?.balance ?? holder.balance)), debt: '0' },
      entries: entries.slice(Number(searchParams.get('after')) + 1),
      more: false,
    }
    return route.fulfill({ json })
  })
  if (user)
    await page.route('**/api/auth/user', (route) =>
      route.fulfill({ json: { ...user, email: holder.email, walletAddress: null } }),
    )
  return {
    site: SITE,
    /** What the holder's wallet signed, as the device keeps it. */
    messages: holder.withdrawals.map(({ message }) => message),
    lies,
    holderLies: holderLies.filter(({ holder: of = 0 }) => of === index),
    async tell(next: RegisterLie) {
      lie = next
      // The page tells one verification from the next by its time.
      await page.clock.setFixedTime(++clock)
      told = toldBy(next)
      example.tell(told)
    },
    close: async () => void (await example.close()),
  }
}
