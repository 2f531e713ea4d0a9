import { t } from '#pwa/i18n/t.ts'
import { CopyButton } from './CopyButton.tsx'

interface AuthenticatorKeyProps {
  /** A data URL. */
  qrCode: string
  manualEntryKey: string
  /** Title of the toast after the key is copied. */
  copied?: string
}

/** The first step of an authenticator setup: the QR code, and the key to type instead. */
export function AuthenticatorKey({ qrCode, manualEntryKey, copied }: AuthenticatorKeyProps) {
  return (
    <div className="flex flex-col gap-5 text-14 text-ink-10">
      <div>
        <p>
          <strong className="font-strong text-ink-12">1.</strong> {t('Scan this code with your authenticator app.')}
        </p>
        {/* White in both themes, because cameras read dark on light. */}
        <img
          src={qrCode}
          alt={t('QR code for your authenticator app')}
          width={192}
          height={192}
          className="mx-auto mt-3 size-48 rounded-input border border-ink-5 bg-[#fff] p-2 [image-rendering:pixelated]"
        />
      </div>
      <div>
        <p>{t('Using this phone? Copy this key into your app.')}</p>
        <div className="mt-2 flex items-center gap-1 rounded-input border border-ink-5 bg-ink-2 py-1 pr-1 pl-4">
          <div className="min-w-0 flex-1">
            <p className="text-12 text-ink-9">{t('Manual Entry Key')}</p>
            <p translate="no" className="exact text-16 tracking-[0.06em] text-ink-12 select-all">
              {inFours(manualEntryKey).map((four, at) => (
                <span key={at} className="mr-2 inline-block">
                  {four}
                </span>
              ))}
            </p>
          </div>
          <CopyButton value={manualEntryKey} what={t('manual entry key')} {...(copied && { done: copied })} />
        </div>
      </div>
    </div>
  )
}

/** Grouped by margins, not spaces, so that a selection contains only the key. */
const inFours = (key: string): string[] => key.replace(/\s/g, '').match(/.{1,4}/g) ?? []
