import { T } from '#pwa/i18n/T.tsx'
import { t } from '#pwa/i18n/t.ts'
import { formatDateTime } from '#pwa/lib/formatDate.ts'
import { useServerTime } from '#pwa/lib/serverClock.ts'
import { useFreeze } from '#pwa/lib/useFreeze.ts'
import { LocalTime } from '#pwa/ui/LocalTime.tsx'
import { Notice } from '#pwa/ui/Notice.tsx'

/** Says before the signature that the withdrawal will be on hold, and until when. A frozen account cannot withdraw at all. */
export function HoldNotice({ heldUntil }: { heldUntil: Date | undefined }) {
  const now = useServerTime()
  const isFrozen = useFreeze() !== undefined
  if (!heldUntil || heldUntil <= now || isFrozen) return null
  return (
    <Notice tone="warning" title={t('It will be on hold first')}>
      <T
        text="What you request now is on hold until {time}, because your account was frozen, or its wallet, password or authenticator was changed. After that, it is paid automatically, or our team reviews it first. You can cancel it until then."
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
