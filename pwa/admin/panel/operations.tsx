import { HeartPulse, ScrollText } from '#pwa/ui/icons.ts'
import { msg } from '#pwa/i18n/t.ts'
import { AuditView } from '../audit/AuditView.tsx'
import { HealthTab } from '../health/HealthTab.tsx'

/** Views beside the five tabs, each with its own address. */
export const operations = [
  { value: 'audit', label: msg('Audit'), Icon: ScrollText, content: <AuditView /> },
  { value: 'health', label: msg('Health'), Icon: HeartPulse, content: <HealthTab /> },
] as const

export type Operation = (typeof operations)[number]['value']
