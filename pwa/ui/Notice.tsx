import clsx from 'clsx'
import { CircleAlert, Info, TriangleAlert } from '#pwa/ui/icons.ts'
import type { ReactNode } from 'react'

const tones = {
  info: { look: 'border-ink-5 bg-ink-2', ink: 'text-ink-11', Icon: Info },
  warning: { look: 'border-amber-line bg-amber-soft', ink: 'text-amber', Icon: TriangleAlert },
  error: { look: 'border-red-line bg-red-soft', ink: 'text-red', Icon: CircleAlert },
} as const

interface NoticeProps {
  tone?: keyof typeof tones
  title?: ReactNode
  children?: ReactNode
  /** A button or a link. */
  action?: ReactNode
}

/** An inline message. An error is announced. */
export function Notice({ tone = 'info', title, children, action }: NoticeProps) {
  const { look, ink, Icon } = tones[tone]
  return (
    <div role={tone === 'error' ? 'alert' : 'note'} className={clsx('flex gap-3 rounded-card border p-4', look)}>
      <Icon size={18} aria-hidden className={clsx('mt-0.5 shrink-0', ink)} />
      <div className="min-w-0 flex-1">
        {title && <p className={clsx('text-14 font-strong leading-6', ink)}>{title}</p>}
        {children && <div className="text-14 text-ink-11">{children}</div>}
        {action && <div className="mt-3">{action}</div>}
      </div>
    </div>
  )
}
