import { isUnauthorized } from '#shared/contract/client.ts'
import { shorten } from '#shared/address.ts'
import { formatAmount } from '#shared/amount.ts'
import { t } from '#pwa/i18n/t.ts'
import { errorText, failureTitle, isShownHere } from '#pwa/lib/errorText.ts'
import { redirectIfUnauthorized } from '#pwa/lib/unauthorized.ts'
import { toast } from '#pwa/ui/toast.ts'

// The toasts of a purchase that is refused, by the page or by the server.

export function showPurchaseError(error: unknown): void {
  redirectIfUnauthorized(error)
  if (isUnauthorized(error)) return
  toast({
    title: failureTitle(error, t('Purchase Failed')),
    description: errorText(error, t('Node purchase failed.'), isShownHere),
    destructive: true,
  })
}

/** @param description names the missing amount, if not the whole price is missing. */
export function showInsufficientUsdt(needed: bigint, description?: string): void {
  toast({
    title: t('Insufficient USDT Balance'),
    description: description ?? t('You need {amount} USDT to complete this purchase.', { amount: formatAmount(needed) }),
    destructive: true,
  })
}

export function showWalletRequired(): void {
  toast({
    title: t('Wallet Connection Required'),
    description: t('Please connect your wallet from the top right corner.'),
    destructive: true,
  })
}

export function showOtherWallet(registered: string | null): void {
  toast({
    title: t('Registered Wallet Required'),
    description: registered
      ? t('Only payments from {address} are recognized. Connect it, or register this wallet first.', {
          address: shorten(registered),
        })
      : t('Register the connected wallet first. Only payments from a registered wallet are recognized.'),
    destructive: true,
  })
}

export function showOtpRequired(): void {
  toast({
    title: t('OTP Authentication Required'),
    description: t('You must set up Google Authenticator before making a purchase.'),
    destructive: true,
  })
}

export function showInsufficientNodes(): void {
  toast({
    title: t('Purchase Unavailable'),
    description: t('Insufficient remaining node quantity.'),
    destructive: true,
  })
}
