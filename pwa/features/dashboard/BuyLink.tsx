import { t } from '#pwa/i18n/t.ts'
import { ButtonLink } from '#pwa/ui/ButtonLink.tsx'
import { useOpenReservation } from '../purchase/useOpenReservation.ts'

/** Links to the purchase page. With an open reservation it leads to its payment, so that nobody buys twice by accident. */
export const BuyLink = () => (
  <ButtonLink to="/purchase">{t(useOpenReservation() ? 'Continue with the payment' : 'Buy nodes')}</ButtonLink>
)
