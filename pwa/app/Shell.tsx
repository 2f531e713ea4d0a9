import { useQuery } from '@tanstack/react-query'
import { type ReactNode } from 'react'
import { loadPart } from '#pwa/i18n/language.ts'
import { t } from '#pwa/i18n/t.ts'
import { configQuery } from '#pwa/lib/queries.ts'
import { DemoPlaceholder } from '#pwa/features/demo/DemoPlaceholder.tsx'
import { useRegisterNews } from '#pwa/register/news.ts'
import { Deferred } from '#pwa/ui/Deferred.tsx'
import { lazyPart } from '#pwa/ui/lazyPart.tsx'
import { Footer } from './Footer.tsx'
import { SetupGate } from './SetupGate.tsx'
import { TopBar } from './TopBar.tsx'

const InstallHost = lazyPart(async () => (await import('./InstallHost.tsx')).InstallHost)
const DemoBar = lazyPart(async () => (await import('#pwa/features/demo/DemoBar.tsx')).DemoBar)
const PaymentHost = lazyPart(async () => (await import('#pwa/features/purchase/PaymentHost.tsx')).PaymentHost)
const OfflineNotice = lazyPart(async () => (await import('./Notices.tsx')).OfflineNotice)
const RegisterAlarm = lazyPart(async () => {
  const [{ RegisterAlarm }] = await Promise.all([import('#pwa/features/register/RegisterAlarm.tsx'), loadPart('register')])
  return RegisterAlarm
})
const BackgroundTasks = lazyPart(async () => (await import('./BackgroundTasks.tsx')).BackgroundTasks)

/** The layout around every page. */
export function Shell({ children }: { children: ReactNode }) {
  const { data: config } = useQuery(configQuery)
  const hasAlarm = useRegisterNews(({ alarm }) => alarm !== null)
  return (
    <SetupGate>
      <a
        href="#content"
        className="absolute -top-20 left-4 z-50 rounded-input bg-ink-12 px-4 py-3 text-14 text-ink-1 focus:top-2"
      >
        {t('Skip to the content')}
      </a>
      <div className="flex min-h-dvh flex-col">
        {config?.demo && (
          // As high as the demo bar, to avoid layout shift.
          <div className="min-h-[57px] bg-ink-2">
            <Deferred placeholder={<DemoPlaceholder />}>
              <DemoBar />
            </Deferred>
          </div>
        )}
        <TopBar />
        <Deferred>
          <OfflineNotice />
          <PaymentHost />
          {hasAlarm && <RegisterAlarm />}
        </Deferred>
        <div className="flex-1">{children}</div>
        <Deferred>
          <InstallHost />
        </Deferred>
        <Footer />
      </div>
      <Deferred>
        <BackgroundTasks />
      </Deferred>
    </SetupGate>
  )
}
