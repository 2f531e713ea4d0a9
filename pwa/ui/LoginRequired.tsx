import { LogIn } from '#pwa/ui/icons.ts'
import type { ReactNode } from 'react'
import { t } from '#pwa/i18n/t.ts'
import { ButtonLink } from './ButtonLink.tsx'
import { Card } from './Card.tsx'

/** Shown to visitors in place of personal content. */
export function LoginRequired({ children }: { children: ReactNode }) {
  return (
    <Card className="flex flex-col items-center py-10 text-center">
      <span className="mb-4 grid size-12 place-items-center rounded-full bg-ink-3 text-ink-10">
        <LogIn size={20} aria-hidden />
      </span>
      <h2 className="text-20 font-strong">{t('Login Required')}</h2>
      <p className="mt-1 mb-5 text-ink-10">{children}</p>
      <ButtonLink to="/auth">{t('Login')}</ButtonLink>
    </Card>
  )
}
