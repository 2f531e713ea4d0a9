import { t } from '#pwa/i18n/t.ts'
import { T } from '#pwa/i18n/T.tsx'
import { Button } from '#pwa/ui/Button.tsx'
import { LocalTime } from '#pwa/ui/LocalTime.tsx'
import { Notice } from '#pwa/ui/Notice.tsx'
import { type AskedTransfer, forgetAsked } from './askedTransfer.ts'
import { formatExactTime } from './formatExactTime.ts'
import { abandonTransfer } from './payReservation.ts'

/** The wallet takes long to answer. */
export function NoAnswerNotice({ onSent }: { onSent: () => void }) {
  return (
    <Notice
      title={t('No response from your wallet yet')}
      action={
        // Where it wraps, the label without a border aligns with the text above.
        <span className="flex flex-wrap gap-x-6 gap-y-2">
          <Button variant="secondary" onClick={onSent}>
            {t('I have sent it')}
          </Button>
          <Button variant="quiet" className="-ml-4" onClick={abandonTransfer}>
            {t('Stop waiting')}
          </Button>
        </span>
      }
    >
      {t("Open it. The transfer is waiting there. If you have already sent it, don't pay again. We'll find it on the chain.")}
    </Notice>
  )
}

export const AskedTime = ({ at }: { at: Date }) => (
  <span className="figures">
    {formatExactTime(at)}
    <LocalTime date={at} />
  </span>
)

/** What to do with reserved nodes for which the wallet was asked. */
export const KeepAdvice = ({ at }: { at: Date }) => (
  <T text="Your wallet was asked at {time}. If it may have sent the payment, keep the nodes." time={<AskedTime at={at} />} />
)

/** The wallet was asked, but by another tab or before a reload, or this page no longer waits for it. */
export const AskedNotice = ({ at }: { at: Date }) => (
  <Notice tone="warning" title={t('Payment requested in your wallet')}>
    <T
      text="Your wallet was asked at {time}. If it still shows the transfer, answer it there. If you have already sent it, don't pay again. We'll find it on the chain."
      time={<AskedTime at={at} />}
    />
  </Notice>
)

/** The time to pay is over. */
export const ExpiredNotice = ({ wasAsked }: { wasAsked: boolean }) => (
  <Notice tone="warning" title={t('The reservation has expired')}>
    {t(
      wasAsked
        ? "If your wallet sent the payment anyway, don't buy again. We'll find it."
        : "Nothing was paid. Close this and purchase again. If your wallet sent the payment anyway, don't pay twice. We'll find it on the chain.",
    )}
  </Notice>
)

/** For a request about nodes that are no longer reserved, below which the page offers to buy others. */
export const EndedNotice = ({ asked }: { asked: AskedTransfer }) => (
  <Notice
    tone="warning"
    title={t('Your wallet may still show a payment')}
    action={
      <Button variant="secondary" onClick={() => forgetAsked(asked)}>
        {t('Dismiss')}
      </Button>
    }
  >
    <T
      text="It was asked at {time} to pay for nodes that are no longer reserved for you. Reject it there. If you have already sent it, don't buy again. We'll find it on the chain."
      time={<AskedTime at={asked.at} />}
    />
  </Notice>
)

/** The wallet has not answered, so it may still show a request that would pay again. */
export const PaidNotice = () => (
  <Notice tone="warning" title={t("Don't pay again")}>
    {t('This purchase already has a payment. Reject the request if your wallet still shows it.')}
  </Notice>
)

/** The server holds the nodes until the request expires: a buyer who has just the price could not purchase before. */
export const UnseenNotice = ({ hasFailed }: { hasFailed: boolean }) => (
  <Notice tone="warning" title={t(hasFailed ? 'Nothing was paid' : 'Not in a block yet')}>
    {t(
      hasFailed
        ? 'The chain rejected the transaction, often because there was not enough BNB for the fee. The nodes stay held until about 30 minutes after you reserved them. You can purchase again after that.'
        : "If you sped it up in your wallet, we'll find its replacement. If you cancelled it, nothing was paid. The nodes stay held until about 30 minutes after you reserved them. You can purchase again after that.",
    )}
  </Notice>
)
