import { act, screen, within } from '@testing-library/react'
import type { ReactElement } from 'react'
import { beforeEach, expect, test, vi } from 'vitest'
import { chooseLanguage, loadPart } from '#pwa/i18n/language.ts'
import { useConnection } from '#pwa/lib/connection.ts'
import { saveText } from '#pwa/lib/saveText.ts'
import { raiseAlarm, storeOwn, storePublicReport, storeSeen } from '#pwa/register/deviceMemory.ts'
import { accountTicks, NotPublished, publicTicks, type TickName, Unavailable } from '#pwa/register/Report.ts'
import type { StoredReport } from '#pwa/register/storedReport.ts'
import { estimateBytes, verifyOnDevice } from '#pwa/register/verifyOnDevice.ts'
import { amountOf, answerCommonCalls, someUser } from '#pwa/testing/answers.ts'
import { useFakeApi } from '#pwa/testing/fakeApi.ts'
import { renderPage } from '#pwa/testing/renderPage.tsx'
import { ProofPage } from '../proof/ProofPage.tsx'
import { RegisterAlarm } from './RegisterAlarm.tsx'
import { RegisterLine } from './RegisterLine.tsx'
import { RegisterPage } from './RegisterPage.tsx'

vi.mock('#pwa/register/verifyOnDevice.ts', () => ({ verifyOnDevice: vi.fn(), estimateBytes: vi.fn() }))
vi.mock('#pwa/lib/saveText.ts', () => ({ saveText: vi.fn() }))

const api = useFakeApi()
const user = someUser()
const xcr = (text: string) => String(amountOf(text))

beforeEach(() => {
  vi.mocked(estimateBytes).mockReset().mockResolvedValue(1_000)
  vi.mocked(verifyOnDevice).mockReset().mockRejectedValue(new Error('unexpected'))
  vi.mocked(saveText).mockReset()
})

const books: NonNullable<StoredReport['books']> = {
  day: '2026-11-23',
  days: 7,
  supply: 20_000,
  sold: 332,
  active: 320,
  rate: xcr('10'),
  earned: xcr('22400'),
  paidOut: xcr('3000'),
  owed: xcr('19400'),
  reserve: xcr('50000'),
  received: xcr('996'),
  notCounted: '0',
  anchor: { chainId: 56, address: `0x${'a'.repeat(40)}` },
  isDemo: false,
  genesis: 'genesis',
}
const own: NonNullable<StoredReport['own']> = {
  day: '2026-11-23',
  nodes: 12,
  reward: xcr('120'),
  earned: xcr('840'),
  balance: xcr('1204'),
  withdrawals: 2,
}

type Outcomes = Partial<Record<TickName, 'failed' | 'nothing' | 'unknown'>>

/** A finished verification, with what differs from `ok`. */
function reportOf({
  names = publicTicks,
  ...changes
}: { names?: readonly TickName[]; outcomes?: Outcomes } & Partial<StoredReport> = {}) {
  const outcomes = 'outcomes' in changes ? (changes.outcomes as Outcomes) : {}
  const ticks = names.map((tick): StoredReport['ticks'][number] => {
    const outcome = outcomes[tick] ?? 'ok'
    return [
      tick,
      { outcome, detail: `detail of ${tick}`, more: 0, ...(outcome === 'failed' && { evidence: `bytes of ${tick}` }) },
    ]
  })
  return { at: '2026-11-24T09:30:00.000Z', ticks, books, own: null, ...changes }
}

const finish = (stored: StoredReport) =>
  vi.mocked(verifyOnDevice).mockResolvedValue({ stored } as Awaited<ReturnType<typeof verifyOnDevice>>)

function open(page: ReactElement, config: Parameters<typeof answerCommonCalls>[1] = {}) {
  answerCommonCalls(api, { config: { register: true }, ...config })
  return renderPage(page)
}
const openRegister = () => open(<RegisterPage />)
const openProof = () => open(<ProofPage />, { user })

/** The word beside a tick. */
const stateOf = async (title: string) => {
  const row = (await screen.findByText(title)).closest('summary')!
  return within(row).getByText(/^(Verified|Nothing yet|Could not look|Does not match)$/)
}

test('before the first publication the page says so calmly, and nothing is green', async () => {
  vi.mocked(verifyOnDevice).mockRejectedValue(new NotPublished('404'))
  const { person } = openRegister()
  const note = await screen.findByRole('note')
  expect(note).toHaveTextContent('Nothing has been published yet')
  expect(note).toHaveTextContent('The register starts soon after the first daily rewards are paid.')
  expect(screen.queryByText("The register couldn't be read")).not.toBeInTheDocument()
  expect(screen.queryByText('Verified')).not.toBeInTheDocument()
  finish(reportOf())
  await person.click(within(note).getByRole('button', { name: 'Check again' }))
  expect(await screen.findByRole('heading', { name: 'Books of 23 Nov 2026' })).toBeVisible()
})

test('a log that has no day yet is verified as far as it goes', async () => {
  finish(reportOf({ books: null, outcomes: { E1: 'nothing' } }))
  openRegister()
  expect(await screen.findByText('No day has been published yet')).toBeVisible()
  expect(await stateOf('Every node has exactly one line')).toHaveTextContent('Nothing yet')
})

test('while it runs the page shows the progress', async () => {
  vi.mocked(verifyOnDevice).mockReturnValue(new Promise(() => {}))
  openRegister()
  expect(await screen.findByRole('progressbar', { name: 'Checking the register' })).toBeVisible()
})

test('a large download is asked for first', async () => {
  vi.mocked(estimateBytes).mockResolvedValue(11_400_000)
  finish(reportOf())
  const { person } = openRegister()
  const button = await screen.findByRole('button', { name: 'Check about 12 MB' })
  expect(verifyOnDevice).not.toHaveBeenCalled()
  await person.click(button)
  expect(await screen.findByText('Checked by this device on 24 Nov 2026, 09:30 UTC')).toBeVisible()
})

test('a register that cannot be read is a warning beside what the device kept, with its time', async () => {
  storePublicReport(reportOf())
  vi.mocked(verifyOnDevice).mockRejectedValue(new Unavailable('503'))
  openRegister()
  const note = (await screen.findByText("The register couldn't be read")).closest('[role=note]')!
  expect(note).toHaveTextContent('Below is what this device found on 24 Nov 2026, 09:30 UTC.')
  expect(screen.getByRole('heading', { name: 'Books of 23 Nov 2026' })).toBeVisible()
})

test('offline the kept figures are shown with their time and without a warning', async () => {
  storePublicReport(reportOf())
  vi.mocked(verifyOnDevice).mockRejectedValue(new Unavailable('offline'))
  useConnection.setState({ isOffline: true })
  openRegister()
  expect(await screen.findByText('Checked by this device on 24 Nov 2026, 09:30 UTC')).toBeVisible()
  expect(screen.getByRole('heading', { name: 'Books of 23 Nov 2026' })).toBeVisible()
  expect(screen.queryByText("The register couldn't be read")).not.toBeInTheDocument()
})

test('everything verified is green, and a tick with nothing to check is not', async () => {
  finish(reportOf({ outcomes: { growth: 'nothing' } }))
  openRegister()
  expect(await screen.findAllByText('Verified')).toHaveLength(publicTicks.length - 1)
  expect(await stateOf('Every sold node has its payment')).toHaveClass('text-green')
  expect(await stateOf('Nothing has changed since your last visit')).toHaveTextContent('Nothing yet')
  expect(await stateOf('Nothing has changed since your last visit')).not.toHaveClass('text-green')
})

test('a failed tick is open with its evidence', async () => {
  finish(reportOf({ outcomes: { E2: 'failed' } }))
  openRegister()
  const state = await stateOf('Every sold node has its payment')
  expect(state).toHaveTextContent('Does not match')
  expect(state.closest('details')).toHaveAttribute('open')
  expect(screen.getByText('detail of E2')).toBeVisible()
  expect(screen.getByText('bytes of E2')).toBeVisible()
})

test('a register that is gone fails beside what the device had found', async () => {
  const unread: Outcomes = Object.fromEntries(publicTicks.map((tick) => [tick, 'nothing']))
  finish(reportOf({ outcomes: { ...unread, growth: 'failed' }, books: null }))
  openRegister()
  expect(await stateOf('Nothing has changed since your last visit')).toHaveTextContent('Does not match')
  expect(screen.queryByText('No day has been published yet')).not.toBeInTheDocument()
})

test('where the blockchains could not be read the page says how they can be', async () => {
  finish(reportOf({ outcomes: { anchors: 'unknown', E6: 'unknown' } }))
  openRegister()
  expect(await stateOf('Every copy on the blockchain agrees')).toHaveTextContent('Could not look')
  expect(screen.getByText("This device couldn't read the blockchains").closest('[role=note]')).toHaveTextContent('--rpc')
})

test('a demo is named before everything else', async () => {
  finish(reportOf({ books: { ...books, isDemo: true } }))
  openRegister()
  const notice = await screen.findByText('This is a demo')
  const heading = screen.getByRole('heading', { name: 'Books of 23 Nov 2026' })
  expect(notice.compareDocumentPosition(heading)).toBe(Node.DOCUMENT_POSITION_FOLLOWING)
})

test('a demo is named before its first day too', async () => {
  vi.mocked(verifyOnDevice).mockRejectedValue(new NotPublished('404'))
  open(<RegisterPage />, { config: { register: true, demo: true } })
  expect(await screen.findByText('This is a demo')).toBeVisible()
})

test('a register without a contract is not anchored', async () => {
  finish(reportOf({ books: { ...books, anchor: null } }))
  openRegister()
  expect(await screen.findByText('Not anchored')).toBeVisible()
})

test.each([<RegisterPage key="register" />, <ProofPage key="proof" />])(
  'a site without a register says so, and warns a device that has seen one',
  async (page) => {
    const { queryClient } = open(page, { user, config: {} })
    expect(await screen.findByText('This site does not publish a register.')).toBeVisible()
    expect(verifyOnDevice).not.toHaveBeenCalled()
    storeSeen({ genesis: 'g', size: 1_234, root: 'r', roots: [] })
    await act(() => queryClient.resetQueries())
    expect(await screen.findByText('This site no longer publishes its register')).toBeVisible()
    expect(screen.getByText('This device saw it with 1,234 entries. Ask the seller why it stopped.')).toBeVisible()
  },
)

const both = [...publicTicks, ...accountTicks]

test('a holder reads the answer in a sentence, and saves the proof', async () => {
  finish(reportOf({ names: both, own }))
  openProof()
  expect(
    await screen.findByText(
      'All 12 of your nodes are in the register of 23 Nov 2026. They earned 120 XCR that day. Your balance of 1,204 XCR follows from what they earned and your 2 withdrawals.',
    ),
  ).toBeVisible()
  expect(screen.getByRole('button', { name: 'Save proof.json' })).toBeEnabled()
  expect(screen.getAllByRole('heading', { level: 2 }).map(({ textContent }) => textContent)).toEqual([
    'Your account',
    'The record',
    'The books',
  ])
})

test('a holder of new nodes reads that they are not in the register yet', async () => {
  finish(reportOf({ names: both, outcomes: { nodes: 'nothing', rewards: 'nothing' } }))
  openProof()
  expect(await screen.findByText(/^None of your nodes is in the register yet/)).toBeVisible()
  expect(await stateOf('Your nodes are in the register')).not.toHaveClass('text-green')
})

test('a holder to whom the site did not show everything reads so', async () => {
  finish(reportOf({ names: both, own: null, outcomes: { nodes: 'unknown', rewards: 'unknown' } }))
  openProof()
  expect(await screen.findByText(/^This site did not show everything that your nodes are checked with/)).toBeVisible()
  expect(await stateOf('Your nodes are in the register')).toHaveTextContent('Could not look')
})

test('a holder whose check failed is told to save the evidence', async () => {
  finish(reportOf({ names: both, own, outcomes: { nodes: 'failed', rewards: 'failed' } }))
  openProof()
  expect(await screen.findByText('2 checks failed. Save the evidence.')).toBeVisible()
  expect(screen.queryByText(/^All 12 of your nodes/)).not.toBeInTheDocument()
})

test('a visitor is asked to log in before a proof', async () => {
  open(<ProofPage />)
  expect(await screen.findByText('Log in to check your own nodes.')).toBeVisible()
})

test('the dashboard links to the proof with what was verified today', async () => {
  vi.useFakeTimers({ now: new Date('2026-11-23T12:00:00Z'), toFake: ['Date'] })
  storeOwn(user.id, { checked: { day: '2026-11-23', nodes: 12, reward: xcr('120') } })
  open(<RegisterLine userId={user.id} />, { user })
  const link = await screen.findByRole('link', { name: 'Verified today: 12 nodes, 120 XCR' })
  expect(link).toHaveAttribute('href', '/proof')
})

test('the dashboard names the day of an older verification, and offers the first one', async () => {
  vi.useFakeTimers({ now: new Date('2026-11-25T12:00:00Z'), toFake: ['Date'] })
  storeOwn(user.id, { checked: { day: '2026-11-23', nodes: 1, reward: xcr('10') } })
  open(<RegisterLine userId={user.id} />, { user })
  expect(await screen.findByRole('link', { name: 'Verified on 23 Nov 2026: 1 node, 10 XCR' })).toBeVisible()
  act(() => storeOwn(user.id, { checked: null }))
  expect(screen.getByRole('link', { name: 'Check your nodes in the public register' })).toBeVisible()
})

const alarm = {
  at: '2026-11-24T09:30:00.000Z',
  failures: [{ tick: 'E2' as const, detail: 'number 7 has no payment', evidence: '01020304' }],
}

test('the red bar names what failed, saves the evidence, and stays until it is dismissed', async () => {
  const { person } = open(<RegisterAlarm />)
  act(() => raiseAlarm(alarm))
  expect(screen.getByText(/^Save the evidence, ask the seller/)).toBeVisible()
  // The first evidence is kept.
  act(() => raiseAlarm({ ...alarm, failures: [{ tick: 'E3', detail: 'later' }] }))
  const title = await screen.findByText('The public register does not add up')
  const bar = title.closest<HTMLElement>('[role=alert]')!
  expect(within(bar).getByRole('listitem')).toHaveTextContent('“Every sold node has its payment” is not true')
  await person.click(within(bar).getByRole('button', { name: 'Save the evidence' }))
  const [fileName, text] = vi.mocked(saveText).mock.calls[0]!
  expect(fileName).toBe('register-evidence-2026-11-24.json')
  expect(JSON.parse(text)).toEqual({ ...alarm, seen: null })
  await person.click(within(bar).getByRole('button', { name: 'Dismiss' }))
  expect(title).not.toBeInTheDocument()
})

test('the register is in Korean where the page is', async () => {
  await loadPart('register')
  await chooseLanguage('ko')
  finish(reportOf({ names: both, own, outcomes: { growth: 'nothing', E2: 'failed' } }))
  openProof()
  expect(await screen.findByText('확인 1건이 실패했습니다. 증거를 저장하세요.')).toBeVisible()
  expect(screen.getByText('판매된 모든 노드에 결제가 있습니다').closest('summary')).toHaveTextContent('일치하지 않음')
  await act(() => chooseLanguage('en'))
})
