import { EllipsisVertical, Share, SquarePlus, X } from '#pwa/ui/icons.ts'
import type { ReactNode } from 'react'
import { T } from '#pwa/i18n/T.tsx'
import { t } from '#pwa/i18n/t.ts'
import { Button } from '#pwa/ui/Button.tsx'
import { CopyButton } from '#pwa/ui/CopyButton.tsx'
import { Logo } from '#pwa/ui/Logo.tsx'
import { dismissInstallation, install, useInstallation } from './installation.ts'

/** Offers to install the app in the way this browser supports. Once dismissed, it does not come back. */
export function InstallCard() {
  const { way, isDismissed } = useInstallation()
  if (!way || isDismissed) return null
  return (
    <div className="page pb-10">
      <aside
        aria-labelledby="install"
        className="relative mx-auto max-w-[760px] rounded-card border border-ink-5 bg-surface p-4 desk:p-6"
      >
        <button
          type="button"
          aria-label={t("Don't show this again")}
          onClick={dismissInstallation}
          className="absolute top-1.5 right-1.5 grid size-11 place-items-center rounded-input text-ink-9 transition-colors hover:bg-ink-3 hover:text-ink-12"
        >
          <X size={18} aria-hidden />
        </button>
        <div className="flex flex-col gap-4 desk:flex-row desk:items-center">
          <span className="grid size-12 shrink-0 place-items-center rounded-card border border-ink-5 bg-ink-2">
            <Logo />
          </span>
          <div className="min-w-0 flex-1">
            <h2 id="install" className="pr-10 font-strong">
              {way.by === 'otherBrowser'
                ? t('Keep your nodes handy in {browser}', { browser: way.browser })
                : t('Your nodes on your home screen')}
            </h2>
            <p className="mt-1 text-14 text-ink-10">
              {way.by === 'otherBrowser'
                ? t(
                    'A wallet’s browser can’t install apps. Open this address in {browser} to install it. You can still pay here.',
                    { browser: way.browser },
                  )
                : t('Opens like an app and shows your last saved numbers offline.')}
            </p>
          </div>
          {way.by === 'prompt' && (
            <Button variant="secondary" className="desk:mr-10" onClick={() => void install(way.offer)}>
              {t('Install')}
            </Button>
          )}
        </div>
        {way.by === 'share' && <ShareSteps />}
        {way.by === 'otherBrowser' && <PageAddress />}
      </aside>
    </div>
  )
}

/** Safari has no install prompt, so this shows the buttons to tap. */
function ShareSteps() {
  return (
    <ol className="mt-4 grid gap-2 desk:grid-cols-3">
      <Step number={1} picture={<Share size={22} aria-hidden />}>
        <T
          text="Tap <b>Share</b> in the browser’s toolbar. Not there? Tap {dots} first."
          b={strong}
          dots={<EllipsisVertical size={14} aria-label={t('the three dots')} className="inline rotate-90" />}
        />
      </Step>
      <Step number={2} picture={<SquarePlus size={22} aria-hidden />}>
        <T text="Scroll to <b>Add to Home Screen</b>." b={strong} />
      </Step>
      <Step number={3} picture={<span className="text-14 font-strong">{t('Add')}</span>}>
        <T text="Tap <b>Add</b> at the top right." b={strong} />
      </Step>
    </ol>
  )
}

const strong = (inside: ReactNode) => <b className="font-strong">{inside}</b>

function Step({ number, picture, children }: { number: number; picture: ReactNode; children: ReactNode }) {
  return (
    <li className="flex items-center gap-3 rounded-input bg-ink-2 p-3 text-14 text-ink-11">
      <span className="grid size-11 shrink-0 place-items-center rounded-input border border-ink-5 bg-surface text-accent">
        {picture}
      </span>
      <span>
        <span className="figures text-ink-9">{number}. </span>
        {children}
      </span>
    </li>
  )
}

function PageAddress() {
  const { origin } = location
  return (
    <div className="mt-4 flex items-center gap-1 rounded-input border border-ink-5 bg-ink-2 py-0.5 pr-1 pl-4">
      <span translate="no" className="min-w-0 flex-1 truncate text-14 text-ink-11 select-all">
        {origin}
      </span>
      <CopyButton value={origin} what={t('page address')} />
    </div>
  )
}
