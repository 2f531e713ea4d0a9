import { HeartPulse, ScrollText } from 'lucide-react'
import { AuditView } from '../audit/AuditView.tsx'
import { HealthView } from '../health/HealthView.tsx'

/** What stands beside the five tabs, and has an address as they have. */
export const operations = [
  { value: 'audit', label: 'Audit', Icon: ScrollText, content: <AuditView /> },
  { value: 'health', label: 'Health', Icon: HeartPulse, content: <HealthView /> },
] as const

export type Operation = (typeof operations)[number]['value']
