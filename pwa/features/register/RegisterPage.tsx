import { useQuery } from '@tanstack/react-query'
import { type ReactNode, useEffect, useState } from 'react'
import { t } from '#pwa/i18n/t.ts'
import { formatCount } from '#pwa/lib/formatCount.ts'
import { formatDate } from '#pwa/lib/formatDate.ts'
import { configQuery } from '#pwa/lib/queries.ts'
import { useAuthUser } from '#pwa/lib/useAuthUser.ts'
import { readPublicReport, recallNews } from '#pwa/register/deviceMemory.ts'
import type { BookFigures } from '#pwa/register/storedReport.ts'
import { Amount } from '#pwa/ui/Amount.tsx'
import { ButtonLink } from '#pwa/ui/ButtonLink.tsx'
import { Card, CardHeader } from '#pwa/ui/Card.tsx'
import { Notice } from '#pwa/ui/Notice.tsx'
import { Page } from '#pwa/ui/Page.tsx'
import { Skeleton } from '#pwa/ui/Skeleton.tsx'
import { DemoNotice } from './DemoNotice.tsx'
import { ChainNotice } from './ChainNotice.tsx'
import { HowToVerify } from './HowToVerify.tsx'
import { RegisterOff } from './RegisterOff.tsx'
import { RegisterQuestions } from './RegisterQuestions.tsx'
import { TickList } from './TickList.tsx'
import { useVerification } from './useVerification.ts'
import { VerificationState } from './VerificationState.tsx'

/** The public register, for everybody. */
export function RegisterPage() {
  const { data: config, isPending } = useQuery(configQuery)
  return (
    <Page
      title={t('Public register')}
      lead={t('Every node, every payment and every reward, published so that anyone can check it.')}
      isNarrow
    >
      {isPending && <Skeleton className="h-64 rounded-card" />}
      {config && !config.register && <RegisterOff />}
      {config?.register && <Register isDemo={config.demo} />}
    </Page>
  )
}

function Register({ isDemo }: { isDemo: boolean }) {
  const [kept] = useState(readPublicReport)
  const verification = useVerification(null, kept)
  const user = useAuthUser()
  useEffect(() => recallNews(user?.id), [user?.id])
  const { stored, state } = verification
  return (
    <div className="flex flex-col gap-4">
      {(isDemo || stored?.books?.isDemo) && <DemoNotice />}
      <Card>
        <VerificationState {...verification} />
      </Card>
      {stored?.books && <Books books={stored.books} />}
      {!stored && state.type === 'running' && <Skeleton className="h-96 rounded-card" />}
      {stored && !stored.books && stored.ticks.every(([, { outcome }]) => outcome !== 'failed') && (
        <Notice title={t('No day has been published yet')}>{t('The first one follows after the first rewards are paid.')}</Notice>
      )}
      {user && (
        <ButtonLink to="/proof" variant="secondary">
          {t('Check your own nodes')}
        </ButtonLink>
      )}
      {stored && <ChainNotice ticks={stored.ticks} />}
      {stored && <TickList ticks={stored.ticks} />}
      <HowToVerify genesis={stored?.books?.genesis} />
      <RegisterQuestions />
    </div>
  )
}

const Books = ({ books }: { books: BookFigures }) => (
  <Card>
    <CardHeader title={t('Books of {date}', { date: formatDate(new Date(books.day)) })} />
    <dl className="-mb-3 divide-y divide-ink-5 border-t border-ink-5">
      <Row name={t('Days in the register')}>{formatCount(books.days)}</Row>
      <Row name={t('Sold nodes')}>
        {formatCount(books.sold)} <span className="text-ink-9">/ {formatCount(books.supply)}</span>
      </Row>
      <Row name={t('Active nodes')}>{formatCount(books.active)}</Row>
      <Row name={t('Reward per node that day')}>
        <Amount value={BigInt(books.rate)} unit="XCR" />
      </Row>
      <Row name={t('Earned by all nodes so far')}>
        <Amount value={BigInt(books.earned)} unit="XCR" maxDecimals={2} />
      </Row>
      <Row name={t('Paid out, fees included')}>
        <Amount value={BigInt(books.paidOut)} unit="XCR" maxDecimals={2} />
      </Row>
      <Row name={t('Owed to all holders')}>
        <Amount value={BigInt(books.owed)} unit="XCR" maxDecimals={2} />
      </Row>
      <Row name={t('Reserve in the payout wallets')}>
        {books.reserve === null ? '–' : <Amount value={BigInt(books.reserve)} unit="XCR" maxDecimals={2} />}
      </Row>
      <Row name={t('USDT received')}>
        <Amount value={BigInt(books.received)} unit="USDT" maxDecimals={2} />
      </Row>
      <Row name={t('Of that, in review, refunded or ignored')}>
        <Amount value={BigInt(books.notCounted)} unit="USDT" maxDecimals={2} />
      </Row>
      <Row name={t('Copies on the blockchain')}>
        <Anchor anchor={books.anchor} />
      </Row>
    </dl>
  </Card>
)

function Anchor({ anchor }: Pick<BookFigures, 'anchor'>) {
  const { data: config } = useQuery(configQuery)
  if (!anchor || !config) return t('Not anchored')
  return (
    <a
      href={`${config.paymentChain.explorerUrl}/address/${anchor.address}`}
      target="_blank"
      rel="noreferrer"
      translate="no"
      className="exact text-14 text-accent underline underline-offset-4 hover:text-accent-strong"
    >
      {anchor.address.slice(0, 8)}…{anchor.address.slice(-6)}
    </a>
  )
}

const Row = ({ name, children }: { name: string; children: ReactNode }) => (
  <div className="flex min-h-11 items-center justify-between gap-4 py-2">
    <dt className="text-14 text-ink-10">{name}</dt>
    <dd className="figures shrink-0 text-right">{children}</dd>
  </div>
)
