import { useQuery } from '@tanstack/react-query'
import { t } from '#pwa/i18n/t.ts'
import { T } from '#pwa/i18n/T.tsx'
import { configQuery } from '#pwa/lib/queries.ts'
import { Button } from '#pwa/ui/Button.tsx'
import { Dialog } from '#pwa/ui/Dialog.tsx'

/** Explains delays during high traffic, and what to do about a payment without nodes. */
export function ServerNotice({ onClose }: { onClose: () => void }) {
  const { data: config } = useQuery(configQuery)
  return (
    <Dialog
      open
      onOpenChange={(open) => !open && onClose()}
      title={t('Server Notice')}
      description={t('Due to high traffic, a purchase may fail right now.')}
      actions={
        <Button isWide onClick={onClose}>
          {t('Close')}
        </Button>
      }
    >
      <ul className="flex list-disc flex-col gap-3 pl-5 text-ink-11 marker:text-ink-8">
        <li>
          {config ? (
            <T
              text="If USDT was sent but nodes were not allocated, please send the transaction ID to support: {address}."
              address={
                <a href={`mailto:${config.supportEmail}`} className="text-accent underline underline-offset-2">
                  {config.supportEmail}
                </a>
              }
            />
          ) : (
            t('If USDT was sent but nodes were not allocated, please send the transaction ID to support.')
          )}
        </li>
        <li>{t('The refund is verified and processed within 5 business days.')}</li>
        <li>{t('If a purchase does not go through, please try again later.')}</li>
      </ul>
    </Dialog>
  )
}
