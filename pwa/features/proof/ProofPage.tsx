import { useQuery } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { formatAmount } from '#shared/amount.ts'
import type { AuthUser } from '#shared/contract/identity.ts'
import { plural, t } from '#pwa/i18n/t.ts'
import { formatDate } from '#pwa/lib/formatDate.ts'
import { authUserQuery, configQuery } from '#pwa/lib/queries.ts'
import { saveText } from '#pwa/lib/saveText.ts'
import { readOwn, recallNews } from '#pwa/register/deviceMemory.ts'
import type { OwnFigures, StoredReport } from '#pwa/register/storedReport.ts'
import { AccountError } from '#pwa/ui/AccountError.tsx'
import { Button } from '#pwa/ui/Button.tsx'
import { Card } from '#pwa/ui/Card.tsx'
import { Link } from '#pwa/ui/Link.tsx'
import { LoginRequired } from '#pwa/ui/LoginRequired.tsx'
import { Page } from '#pwa/ui/Page.tsx'
import { Skeleton } from '#pwa/ui/Skeleton.tsx'
import { ChainNotice } from '../register/ChainNotice.tsx'
import { DemoNotice } from '../register/DemoNotice.tsx'
import { RegisterOff } from '../register/RegisterOff.tsx'
import { TickList } from '../register/TickList.tsx'
import { useVerification } from '../register/useVerification.ts'
import { VerificationState } from '../register/VerificationState.tsx'
import { proofFile } from './proofFile.ts'

/** Shows a holder that nodes, rewards and balance are in the register. */
export function ProofPage() {
  const { data: user, isPending } = useQuery(authUserQuery)
  const { data: config } = useQuery(configQuery)
  return (
    <Page
      title={t('Proof of your nodes')}
      lead={t('This device checks the public register for you. It does not take our word for it.')}
      isNarrow
    >
      <div className="not-empty:mb-6">
        <AccountError />
      </div>
      {(isPending || !config) && <Skeleton className="h-64 rounded-card" />}
      {user === null && <LoginRequired>{t('Log in to check your own nodes.')}</LoginRequired>}
      {config && !config.register && <RegisterOff />}
      {user && config?.register && <Proof key={user.id} user={user} />}
    </Page>
  )
}

function Proof({ user }: { user: AuthUser }) {
  const [kept] = useState(() => readOwn(user.id).report)
  // A connected wallet that is not registered here may have paid for another account of the person.
  const wallets = user.walletAddress ? [user.walletAddress] : []
  const verification = useVerification({ id: user.id, email: user.email, wallets }, kept)
  useEffect(() => recallNews(user.id), [user.id])
  const { stored, state } = verification
  return (
    <div className="flex flex-col gap-4">
      {stored?.books?.isDemo && <DemoNotice />}
      <Card>
        {stored && <Answer stored={stored} />}
        {!stored && state.type === 'running' && <Skeleton className="mb-4 h-20" />}
        <VerificationState {...verification} />
      </Card>
      {stored && <ChainNotice ticks={stored.ticks} />}
      {stored && <TickList ticks={stored.ticks} />}
      {stored && (
        <Card className="flex flex-wrap items-center justify-between gap-3">
          <p className="min-w-0 flex-1 basis-60 text-14 text-ink-10">
            {t('Keep the proof, or give it to someone who checks it. It opens only this one day.')}
          </p>
          <Button
            variant="secondary"
            disabled={state.type !== 'done'}
            onClick={() => state.type === 'done' && saveText('proof.json', proofFile(state.result, user.email))}
          >
            {t('Save proof.json')}
          </Button>
        </Card>
      )}
      <p className="text-14 text-ink-9">
        {t('Checked for {email}.', { email: user.email })}{' '}
        <Link to="/register" className="text-accent underline underline-offset-4">
          {t('About the public register')}
        </Link>
      </p>
    </div>
  )
}

/** The answer in a sentence or three. */
function Answer({ stored: { ticks, own } }: { stored: StoredReport }) {
  const outcomes = new Map(ticks.map(([tick, { outcome }]) => [tick, outcome]))
  const failed = [...outcomes.values()].filter((outcome) => outcome === 'failed').length
  if (failed > 0)
    return (
      <p className="mb-4 text-20 font-strong text-balance text-red">
        {plural(failed, '{count} check failed. Save the evidence.', '{count} checks failed. Save the evidence.')}
      </p>
    )
  if (outcomes.get('nodes') === 'unknown')
    return (
      <p className="mb-4 text-20 text-pretty">
        {t('This site did not show everything that your nodes are checked with. Check again.')}
      </p>
    )
  if (!own || outcomes.get('nodes') !== 'ok')
    return (
      <p className="mb-4 text-20 text-pretty">
        {t('None of your nodes is in the register yet. They appear on the first day published after the purchase.')}
      </p>
    )
  return <p className="mb-4 text-20 text-pretty">{describe(own, outcomes.get('balance') === 'ok').join(' ')}</p>
}

const xcr = (amount: string): string => formatAmount(BigInt(amount), { maxDecimals: 4, grouped: true })

function describe({ day, nodes, reward, balance, withdrawals }: OwnFigures, isBalanceVerified: boolean): string[] {
  const date = formatDate(new Date(day))
  const sentences = [
    plural(nodes, 'Your node is in the register of {date}.', 'All {count} of your nodes are in the register of {date}.', {
      date,
    }),
    plural(nodes, 'It earned {amount} XCR that day.', 'They earned {amount} XCR that day.', { amount: xcr(reward) }),
  ]
  if (!isBalanceVerified || balance === null) return sentences
  const amount = xcr(balance)
  return [
    ...sentences,
    withdrawals === 0
      ? t('Your balance of {amount} XCR follows from what your nodes have earned.', { amount })
      : plural(
          withdrawals,
          'Your balance of {amount} XCR follows from what they earned and your withdrawal.',
          'Your balance of {amount} XCR follows from what they earned and your {count} withdrawals.',
          { amount },
        ),
  ]
}
