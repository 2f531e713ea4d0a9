import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useEffect, useState } from 'react'
import { useLocation } from 'react-router-dom'
import { formatAmount, parseAmount } from '#shared/amount.ts'
import { changePayoutCap, type PayoutCaps, type PayoutPeriod } from '#shared/contract/admin/office.ts'
import { listProposals } from '#shared/contract/admin/proposals.ts'
import { isTokenAmount, MAX_AMOUNT } from '#shared/settingRules.ts'
import { t } from '#pwa/i18n/t.ts'
import { applyAnswer } from '#pwa/lib/applyAnswer.ts'
import { Button } from '#pwa/ui/Button.tsx'
import { Card, CardHeader } from '#pwa/ui/Card.tsx'
import { Skeleton } from '#pwa/ui/Skeleton.tsx'
import { TextField } from '#pwa/ui/TextField.tsx'
import { toast } from '#pwa/ui/toast.ts'
import { ChangeDialog } from '../ChangeDialog.tsx'
import { PAYOUT_CAPS_ID, scrollToPart } from '../panel/scrollToTabs.ts'
import { payoutCapsQuery } from '../queries.ts'
import { decide } from '../proof/decide.ts'
import { isChangedMeanwhile, isDecided, toastFailure } from '../toastFailure.ts'
import { ProposedChange } from '../proposals/ProposedChange.tsx'
import { SettingError } from './SettingError.tsx'

const shown = (amount: bigint): string => formatAmount(amount, { grouped: true, maxDecimals: 4 })

/** What payouts may sign within an hour and a day. The panel lowers the environment's caps and never raises them. */
export function PayoutCapsCard() {
  const { data: caps, error, refetch } = useQuery(payoutCapsQuery)
  const { hash } = useLocation()
  const isLinked = hash === `#${PAYOUT_CAPS_ID}`
  const isLoaded = caps !== undefined
  useEffect(() => {
    if (isLinked && isLoaded) scrollToPart(PAYOUT_CAPS_ID)
  }, [isLinked, isLoaded])
  return (
    <Card id={PAYOUT_CAPS_ID} className="scroll-mt-40">
      <CardHeader title={t('Caps of payouts')} />
      {error && !caps && <SettingError error={error} onRetry={() => void refetch()} />}
      {!caps && !error && <Skeleton className="h-40" />}
      <ProposedChange actions={['payouts.cap']} target="hour" show={showRecord} />
      <ProposedChange actions={['payouts.cap']} target="day" show={showRecord} />
      {caps && (
        <div className="flex flex-col gap-5">
          <p className="text-14 text-ink-10">
            {t('Beyond a cap, payouts wait in their order. Nothing is lost. 0 stops all payouts until the cap is raised.')}
          </p>
          <CapForm period="hour" cap={caps.hour} />
          <CapForm period="day" cap={caps.day} />
        </div>
      )}
    </Card>
  )
}

function CapForm({ period, cap: { environment, panel, signed } }: { period: PayoutPeriod; cap: PayoutCaps[PayoutPeriod] }) {
  const queryClient = useQueryClient()
  const [draft, setDraft] = useState<string | null>(null)
  const [problem, setProblem] = useState<'invalid' | 'aboveEnvironment' | 'tooLarge'>()
  /** The cap whose change is asked about; null for the environment's. */
  const [asked, setAsked] = useState<bigint | null>()
  const typed = draft ?? (panel === null ? '' : formatAmount(panel))
  const save = useMutation({
    mutationFn: ({ cap, reason }: { cap: bigint | null; reason: string | undefined }) =>
      decide(changePayoutCap, { body: { period, cap, replaces: panel, reason } }),
    onSuccess: (caps) => {
      applyAnswer(queryClient, payoutCapsQuery, caps)
      toast({ title: t('Payout Caps Updated'), description: describeSaved(caps[period]) })
    },
    onError: (error) => {
      toastFailure(error, t('failed to update system settings'))
      if (isChangedMeanwhile(error)) void queryClient.invalidateQueries({ queryKey: payoutCapsQuery.queryKey })
    },
    onSettled: async (_caps, error) => {
      if (!isDecided(error)) return
      setDraft(null)
      setAsked(undefined)
      await queryClient.invalidateQueries({ queryKey: [listProposals.path] })
    },
  })

  function submit(event: FormEvent) {
    event.preventDefault()
    const cap = parseAmount(typed)
    if (cap === undefined) return setProblem('invalid')
    if (environment !== null && cap > environment) return setProblem('aboveEnvironment')
    if (!isTokenAmount(cap)) return setProblem('tooLarge')
    setAsked(cap)
  }

  const allowed =
    environment === null
      ? t('The environment sets no cap.')
      : t('The environment allows at most {limit} XCR.', { limit: shown(environment) })
  const problems = {
    invalid: t('Please enter an XCR amount of 0 or more.'),
    aboveEnvironment: allowed,
    tooLarge: t('Please enter at most {limit} XCR.', { limit: shown(MAX_AMOUNT) }),
  }
  return (
    <form noValidate onSubmit={submit} className="flex flex-col gap-3">
      <TextField
        label={period === 'hour' ? t('Cap per hour (XCR)') : t('Cap per day (XCR)')}
        hint={`${allowed} ${
          period === 'hour'
            ? t('{amount} XCR were signed within the last hour.', { amount: shown(signed) })
            : t('{amount} XCR were signed within the last 24 hours.', { amount: shown(signed) })
        }`}
        error={problem && problems[problem]}
        inputMode="decimal"
        autoComplete="off"
        placeholder={environment === null ? t('No cap') : formatAmount(environment)}
        value={typed}
        readOnly={save.isPending}
        onChange={(event) => {
          setDraft(event.target.value)
          setProblem(undefined)
        }}
        className="figures"
      />
      <div className="flex flex-wrap gap-2">
        <Button
          type="submit"
          disabled={!typed.trim() || parseAmount(typed) === panel}
          isPending={save.isPending}
          pendingLabel={t('Saving...')}
        >
          {t('Save')}
        </Button>
        {panel !== null && (
          <Button variant="secondary" disabled={save.isPending} onClick={() => setAsked(null)}>
            {environment === null ? t('Remove the cap') : t("Use the environment's")}
          </Button>
        )}
      </div>
      {asked !== undefined && (
        <ChangeDialog
          title={period === 'hour' ? t('Change the cap per hour?') : t('Change the cap per day?')}
          before={showCap(panel ?? environment)}
          after={showCap(asked ?? environment)}
          consequence={
            asked === 0n
              ? t('From now on, no payout is signed for anybody until the cap is raised. Nothing is lost.')
              : (asked ?? environment) === null
                ? t('From now on, this cap holds no payout back. Those that wait for it are signed in their order.')
                : t('From now on, payouts of all users beyond this cap wait in their order. Nothing is lost.')
          }
          confirmLabel={t('Change the cap')}
          isHarmless={asked !== 0n}
          isPending={save.isPending}
          onClose={() => setAsked(undefined)}
          needsReason={panel !== null && (asked === null || asked > panel)}
          onConfirm={(reason) => save.mutate({ cap: asked, reason })}
        />
      )}
    </form>
  )
}

const showCap = (cap: bigint | null): string => (cap === null ? t('No cap') : `${shown(cap)} XCR`)

const showRecord = (record: unknown): string => showCap(parseAmount((record as { cap: string | null }).cap ?? '') ?? null)

function describeSaved({ environment, panel }: PayoutCaps[PayoutPeriod]): string {
  const limit = panel ?? environment
  return limit === null ? t('There is no cap now.') : t('At most {limit} XCR from now on.', { limit: shown(limit) })
}
