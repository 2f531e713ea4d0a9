import { useQuery } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { formatAmount } from '#shared/amount.ts'
import { isUnauthorized } from '#shared/contract/client.ts'
import type { DailyLimit } from '#shared/contract/withdrawals.ts'
import { isDailyLimit, MINIMUM_WITHDRAWAL, withdrawalTexts } from '#shared/withdrawalRules.ts'
import { t, translateServerText } from '#pwa/i18n/t.ts'
import { errorText, failureTitle, isShownHere } from '#pwa/lib/errorText.ts'
import { formatDateTime } from '#pwa/lib/formatDate.ts'
import { dailyLimitQuery, otpStatusQuery } from '#pwa/lib/queries.ts'
import { readAmount } from '#pwa/lib/readAmount.ts'
import { Button } from '#pwa/ui/Button.tsx'
import { Card, CardHeader } from '#pwa/ui/Card.tsx'
import { ConfirmDialog } from '#pwa/ui/ConfirmDialog.tsx'
import { LocalTime } from '#pwa/ui/LocalTime.tsx'
import { Notice } from '#pwa/ui/Notice.tsx'
import { OneTimeCodeDialog } from '#pwa/ui/OneTimeCodeDialog.tsx'
import { Skeleton } from '#pwa/ui/Skeleton.tsx'
import { StatusWord } from '#pwa/ui/StatusWord.tsx'
import { TextField } from '#pwa/ui/TextField.tsx'
import { toast } from '#pwa/ui/toast.ts'
import { useChangeDailyLimit } from './queries.ts'

const shown = (limit: bigint): string => formatAmount(limit, { grouped: true })

/** What can be withdrawn within 24 hours at most. Lowering it counts at once; raising it needs a code and takes 24 hours. */
export function DailyLimitCard() {
  const { data, error, refetch } = useQuery(dailyLimitQuery)
  return (
    <Card>
      <CardHeader title={t('Daily Withdrawal Limit')}>
        {data && (
          <StatusWord tone={data.limit === null ? 'neutral' : 'done'}>
            {data.limit === null ? t('No limit') : `${shown(data.limit)} XCR`}
          </StatusWord>
        )}
      </CardHeader>
      <p className="text-14 text-ink-10">
        {t(
          'At most this much can be withdrawn within 24 hours. Somebody who gets into your account can only raise it after 24 hours, and we email you.',
        )}
      </p>
      {error && !data && (
        <Notice
          tone="error"
          title={t("Couldn't load the limit")}
          action={
            <Button variant="secondary" onClick={() => void refetch()}>
              {t('Try again')}
            </Button>
          }
        >
          {t('It is unchanged.')}
        </Notice>
      )}
      {!data && !error && <Skeleton className="mt-4 h-24" />}
      {data && <LimitForm {...data} />}
    </Card>
  )
}

function LimitForm({ limit, next }: DailyLimit) {
  const { data: otp } = useQuery(otpStatusQuery)
  const [typed, setTyped] = useState('')
  const [problem, setProblem] = useState<string>()
  // The new limit that waits for a confirmation or a code. Null: none.
  const [asked, setAsked] = useState<{ limit: bigint | null; isRaise: boolean }>()
  const [isAsking, setAsking] = useState(false)
  const change = useChangeDailyLimit()

  function ask(wanted: bigint | null) {
    const isRaise = limit !== null && (wanted === null || wanted > limit)
    if (isRaise && otp?.otpEnabled === false) return showFailure(translateServerText(withdrawalTexts.otpNotEnabled))
    setAsked({ limit: wanted, isRaise })
    setAsking(true)
  }

  function submit(event: FormEvent) {
    event.preventDefault()
    const wanted = readAmount(typed)
    if (wanted === undefined || !isDailyLimit(wanted)) return setProblem(withdrawalTexts.limitInvalid)
    ask(wanted)
  }

  const save = (wanted: bigint | null) =>
    change.mutate(wanted, {
      onSuccess: (changed) => {
        setTyped('')
        toast({ title: t('Daily Limit Changed'), description: describeChange(changed) })
      },
      onError: (error) => {
        if (!isUnauthorized(error))
          showFailure(errorText(error, t('Please try again.'), isShownHere), failureTitle(error, t('Limit Not Changed')))
      },
      onSettled: () => setAsking(false),
    })

  return (
    <>
      {next && (
        <div className="mt-4">
          <Notice
            tone="warning"
            title={
              next.limit === null
                ? t('The limit will be removed')
                : t('The limit will be {limit} XCR', { limit: shown(next.limit) })
            }
            action={
              <Button variant="secondary" needsServer isPending={change.isPending} onClick={() => save(limit)}>
                {t('Keep {limit} XCR', { limit: shown(limit ?? 0n) })}
              </Button>
            }
          >
            <p className="figures">
              {t('From {time}. Until then the present limit counts.', { time: formatDateTime(next.from) })}
              <LocalTime date={next.from} hasDay />
            </p>
          </Notice>
        </div>
      )}
      <form noValidate onSubmit={submit} className="mt-4 flex flex-col gap-4">
        <TextField
          label={limit === null ? t('Limit (XCR)') : t('New limit (XCR)')}
          hint={t('A lower limit counts at once, a higher one after 24 hours. 0 stops all withdrawals.')}
          error={problem}
          name="dailyLimit"
          inputMode="decimal"
          autoComplete="off"
          value={typed}
          onChange={(event) => {
            setTyped(event.target.value)
            setProblem(undefined)
          }}
          className="figures"
        />
        <div className="grid gap-2 desk:flex">
          <Button type="submit" needsServer disabled={!typed.trim()} isPending={change.isPending} pendingLabel={t('Saving...')}>
            {t('Save')}
          </Button>
          {limit !== null && next?.limit !== null && (
            <Button variant="secondary" needsServer disabled={change.isPending} onClick={() => ask(null)}>
              {t('Remove the limit')}
            </Button>
          )}
        </div>
      </form>
      <ConfirmDialog
        open={isAsking && asked?.isRaise === false}
        onOpenChange={setAsking}
        title={t('Limit withdrawals to {limit} XCR within 24 hours?', { limit: shown(asked?.limit ?? 0n) })}
        description={
          (asked?.limit ?? 0n) < MINIMUM_WITHDRAWAL
            ? t('It is less than the smallest withdrawal, so nothing can be withdrawn. Raising it again takes 24 hours.')
            : t('It counts at once. Raising it again takes 24 hours.')
        }
        confirmLabel={t('Set the limit')}
        pendingLabel={t('Saving...')}
        isPending={change.isPending}
        onConfirm={() => save(asked!.limit)}
      />
      <OneTimeCodeDialog
        open={isAsking && asked?.isRaise === true}
        onOpenChange={setAsking}
        title={asked?.limit === null ? t('Remove the Limit') : t('Raise the Limit')}
        description={t(
          'Enter the code from your authenticator app. It takes effect after 24 hours, and you can cancel it until then.',
        )}
        onVerified={() => save(asked!.limit)}
      />
    </>
  )
}

const showFailure = (description: string, title = t('Limit Not Changed')): void =>
  void toast({ title, description, destructive: true })

function describeChange({ limit, next }: DailyLimit): string {
  if (next) return t('It takes effect on {time}.', { time: formatDateTime(next.from) })
  return t('At most {limit} XCR can be withdrawn within 24 hours.', { limit: shown(limit ?? 0n) })
}
