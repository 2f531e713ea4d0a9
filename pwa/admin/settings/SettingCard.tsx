import type { ReactNode } from 'react'
import { Card, CardHeader } from '#pwa/ui/Card.tsx'
import { Skeleton } from '#pwa/ui/Skeleton.tsx'
import type { SettingKey } from '#shared/settings.ts'
import { ProposedChange } from '../proposals/ProposedChange.tsx'
import { SettingError } from './SettingError.tsx'
import type { useSetting } from './useSetting.ts'

interface SettingCardProps extends Pick<ReturnType<typeof useSetting>, 'value' | 'error' | 'retry'> {
  title: string
  /** The current state in one word, beside the title. */
  state?: ReactNode
  /** The setting whose proposed changes are shown, with a value as people read it. */
  proposed?: { key: SettingKey; show: (value: string) => string }
  /** Rendered once the setting is loaded. */
  children: (value: string) => ReactNode
}

/** One setting: title, current state and form. */
export const SettingCard = ({ title, value, error, retry, state, proposed, children }: SettingCardProps) => (
  <Card>
    <CardHeader title={title}>{state}</CardHeader>
    {error && <SettingError error={error} onRetry={retry} />}
    {!error && value === undefined && <Skeleton className="h-24" />}
    {proposed && (
      <ProposedChange
        actions={['settings.change']}
        target={proposed.key}
        show={(record) => proposed.show((record as { value: string }).value)}
      />
    )}
    {value !== undefined && children(value)}
  </Card>
)
