import type { Output } from '#shared/contract/endpoint.ts'
import type { getDailyLimit, HoldCause } from '#shared/contract/withdrawals.ts'
import { T } from '#pwa/i18n/T.tsx'
import { type Message, msg, t, translate } from '#pwa/i18n/t.ts'
import { formatDateTime } from '#pwa/lib/formatDate.ts'
import { useServerTime } from '#pwa/lib/serverClock.ts'
import { useFreeze } from '#pwa/lib/useFreeze.ts'
import { LocalTime } from '#pwa/ui/LocalTime.tsx'
import { Notice } from '#pwa/ui/Notice.tsx'

const causes: Record<HoldCause, Message> = {
  freeze: msg('Your account was frozen.'),
  wallet: msg('Your wallet was replaced.'),
  password: msg('Your password was reset.'),
  authenticator: msg('Your authenticator was removed.'),
}
/** An older server does not tell. */
const unknownCause = msg('Your account was frozen, or its wallet, password or authenticator was changed.')

/** Says before the signature that the withdrawal will be on hold, why, and until when. A frozen account cannot withdraw at all. */
export function HoldNotice({ heldUntil, holdCause }: Pick<Output<typeof getDailyLimit>, 'heldUntil' | 'holdCause'>) {
  const now = useServerTime()
  const isFrozen = useFreeze() !== undefined
  if (!heldUntil || heldUntil <= now || isFrozen) return null
  return (
    <Notice tone="warning" title={t('It will be on hold first')}>
      {translate(holdCause ? causes[holdCause] : unknownCause)}{' '}
      <T
        text="What you request now is on hold until {time}. After that, it is paid automatically, or our team reviews it first. You can cancel it until then."
        time={
          <time dateTime={heldUntil.toISOString()} className="figures">
            {formatDateTime(heldUntil)}
            <LocalTime date={heldUntil} hasDay />
          </time>
        }
      />
    </Notice>
  )
}
