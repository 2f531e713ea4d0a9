import type { ReactNode } from 'react'
import { Card, CardHeader } from '#pwa/ui/Card.tsx'
import { Skeleton } from '#pwa/ui/Skeleton.tsx'
import { SettingError } from './SettingError.tsx'
import type { useSetting } from './useSetting.ts'

interface SettingCardProps extends Pick<ReturnType<typeof useSetting>, 'value' | 'error' | 'retry'> {
  title: string
  /** Beside the title: how it is, in a word. */
  state?: ReactNode
  /** Shown once the setting is known. */
  children: (value: string) => ReactNode
}

/** One setting: its title, how it is, and its form. */
export const SettingCard = ({ title, value, error, retry, state, children }: SettingCardProps) => (
  <Card>
    <CardHeader title={title}>{state}</CardHeader>
    {error && <SettingError error={error} onRetry={retry} />}
    {!error && value === undefined && <Skeleton className="h-24" />}
    {value !== undefined && children(value)}
  </Card>
)
