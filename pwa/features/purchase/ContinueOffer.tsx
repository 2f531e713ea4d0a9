import { t } from '#pwa/i18n/t.ts'
import { ButtonLink } from '#pwa/ui/ButtonLink.tsx'
import { useChosenQuantity } from './chosenQuantity.ts'
import { countNodes } from './describePayments.ts'
import { readQuantity } from './readQuantity.ts'

/** The login of /auth leads to the dashboard; this leads back to the interrupted purchase. */
export function ContinueOffer() {
  const { typed, isOffered } = useChosenQuantity()
  if (!isOffered || typed === null) return null
  return (
    <div className="border-b border-ink-5 bg-ink-2">
      <div className="page flex py-2">
        <ButtonLink to="/purchase">{t('Continue with {nodes}', { nodes: countNodes(readQuantity(typed)) })}</ButtonLink>
      </div>
    </div>
  )
}
