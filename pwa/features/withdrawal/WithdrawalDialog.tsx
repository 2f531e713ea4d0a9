import { useQuery } from '@tanstack/react-query'
import { type ReactNode, useEffect, useId, useRef, useState } from 'react'
import type { AuthUser } from '#shared/contract/identity.ts'
import { formatAmount } from '#shared/amount.ts'
import { SECOND } from '#shared/dates.ts'
import { withdrawalTexts } from '#shared/withdrawalRules.ts'
import { T } from '#pwa/i18n/T.tsx'
import { t, translateServerText } from '#pwa/i18n/t.ts'
import { otpStatusQuery } from '#pwa/lib/queries.ts'
import { Amount } from '#pwa/ui/Amount.tsx'
import { Button } from '#pwa/ui/Button.tsx'
import { Dialog } from '#pwa/ui/Dialog.tsx'
import { Notice } from '#pwa/ui/Notice.tsx'
import { useIsLong } from '#pwa/ui/useIsLong.ts'
import { FrozenNotice } from '../freeze/FrozenNotice.tsx'
import { OtpSteps } from '../security/OtpSteps.tsx'
import { HoldNotice } from './HoldNotice.tsx'
import { useWithdrawal } from './useWithdrawal.ts'
import { WalletGuide } from './WalletGuide.tsx'
import { WalletState } from './WalletState.tsx'
import { WithdrawalAddress } from './WithdrawalAddress.tsx'
import type { WithdrawalFlow } from './withdrawalFlow.ts'
import { WithdrawalForm } from './WithdrawalForm.tsx'

/** After this time the page hints that the wallet's window may be hidden. */
const HIDDEN_WINDOW_HINT_DELAY = 8 * SECOND

/** "XCR Withdrawal". Its input is discarded when it closes. */
export function WithdrawalDialog({ user }: { user: AuthUser }) {
  const formId = useId()
  const { data: otp } = useQuery(otpStatusQuery)
  const withdrawal = useWithdrawal(user)
  const { flow, config } = withdrawal
  const isGuideNeeded = flow.isSetupWarningShown
  /** What was chosen before the guide was needed no longer counts. */
  const [guide, setGuide] = useState({ isOpen: false, isNeeded: false })
  const [isSettingUpOtp, setSettingUpOtp] = useState(false)

  const isPending = flow.at === 'checking' || flow.at === 'signing' || flow.at === 'sending'

  return (
    <>
      <Dialog
        open
        // Leaving it before the answer would look like canceling, and a second withdrawal would be paid as well.
        isHeld={flow.at === 'sending'}
        onOpenChange={(open) => !open && withdrawal.close()}
        title={t('XCR Withdrawal')}
        actions={
          <>
            <Button variant="secondary" onClick={withdrawal.close} disabled={flow.at === 'sending'}>
              {t('Cancel')}
            </Button>
            <Button
              type="submit"
              translate="no"
              form={formId}
              disabled={!user.walletAddress}
              isPending={isPending}
              pendingLabel={t('Processing...')}
              aria-describedby={user.walletAddress ? undefined : `${formId}-reason`}
            >
              {t(flow.at === 'unanswered' ? 'Send Again' : flow.at === 'verified' ? 'Sign with MetaMask' : 'Request Withdrawal')}
            </Button>
          </>
        }
      >
        <div className="flex flex-col gap-5">
          <div>
            <p className="text-14 text-ink-10">{t('Current balance')}</p>
            <p>
              <Amount value={user.balance.availableXcr} unit="XCR" size="medium" minDecimals={2} maxDecimals={8} />
            </p>
          </div>
          <FrozenNotice />
          <WalletState registered={user.walletAddress} />
          {flow.at !== 'unanswered' && <HoldNotice {...withdrawal.limit} />}
          <FlowNotice flow={flow} fee={withdrawal.fee} />
          <WithdrawalForm id={formId} withdrawal={withdrawal} available={user.balance.availableXcr} isPending={isPending} />
          <WithdrawalAddress address={user.walletAddress} network={config?.rewardChain.name} />
          {!user.walletAddress && (
            <p id={`${formId}-reason`} className="-mt-2 text-14 text-ink-10">
              {translateServerText(withdrawalTexts.walletRequired)}
            </p>
          )}
          {otp?.otpEnabled === false && <OtpMissingNotice onSetUp={() => setSettingUpOtp(true)} />}
          {config && (
            <WalletGuide
              chain={config.rewardChain}
              provider={withdrawal.provider}
              email={user.email}
              isOpen={guide.isNeeded === isGuideNeeded ? guide.isOpen : isGuideNeeded}
              isNeeded={isGuideNeeded}
              onOpenChange={(isOpen) => setGuide({ isOpen, isNeeded: isGuideNeeded })}
            />
          )}
        </div>
      </Dialog>
      <OtpSteps
        at={flow.at}
        isSettingUp={isSettingUpOtp}
        onEndSetup={() => setSettingUpOtp(false)}
        onAbandon={withdrawal.abandonOtp}
        onEnabled={withdrawal.otpEnabled}
        onVerified={withdrawal.confirmOtp}
        description={t('Enter the code from your authenticator app to withdraw XCR.')}
      />
    </>
  )
}

function FlowNotice({ flow, fee }: { flow: WithdrawalFlow; fee: bigint }) {
  const isWaitingLong = useIsLong(flow.at === 'signing', HIDDEN_WINDOW_HINT_DELAY)
  if (flow.at === 'unanswered')
    return (
      <ScrolledTo>
        <Notice tone="warning" title={t('Not confirmed yet')}>
          <T
            text="Your withdrawal of {amount} is signed, but we couldn't confirm that it was received. Send it again. It will be processed only once."
            amount={<span translate="no">{formatAmount(flow.signed.amount, { grouped: true })} XCR</span>}
          />
        </Notice>
      </ScrolledTo>
    )
  if (flow.at === 'verified' && flow.isFeeChanged)
    return (
      <ScrolledTo>
        <Notice tone="warning" title={t('The fee has changed')}>
          <T
            text="It is now {fee}. Nothing was withdrawn. Check the summary, then sign again."
            fee={<span translate="no">{formatAmount(fee, { grouped: true })} XCR</span>}
          />
        </Notice>
      </ScrolledTo>
    )
  if (!isWaitingLong) return null
  return <Notice title={t('No response from your wallet yet')}>{t('Open it. The message to sign is waiting there.')}</Notice>
}

/** The dialog may be scrolled to the wallet setup guide, below what it shows. */
function ScrolledTo({ children }: { children: ReactNode }) {
  const part = useRef<HTMLDivElement>(null)
  useEffect(() => part.current?.scrollIntoView({ block: 'nearest' }), [])
  return <div ref={part}>{children}</div>
}

const OtpMissingNotice = ({ onSetUp }: { onSetUp: () => void }) => (
  <Notice
    tone="warning"
    title={t('Authenticator missing')}
    action={
      <Button variant="secondary" onClick={onSetUp}>
        {t('Set up')}
      </Button>
    }
  >
    {translateServerText(withdrawalTexts.otpNotEnabled)}
  </Notice>
)
