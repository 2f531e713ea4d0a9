import { ArrowDownToLine, BookOpen, ChartColumn, CircleCheck, HeartPulse, ScrollText } from '#pwa/ui/icons.ts'
import { msg } from '#pwa/i18n/t.ts'
import { AuditView } from '../audit/AuditView.tsx'
import { BooksView } from '../books/BooksView.tsx'
import { DepositsView } from '../deposits/DepositsView.tsx'
import { OverviewView } from '../figures/OverviewView.tsx'
import { HealthTab } from '../health/HealthTab.tsx'
import { ProposalsView } from '../proposals/ProposalsView.tsx'

/** Views besides the five tabs, each with its own address. */
export const operations = [
  { value: 'overview', label: msg('Overview'), Icon: ChartColumn, Content: OverviewView },
  { value: 'deposits', label: msg('Deposits'), Icon: ArrowDownToLine, Content: DepositsView },
  { value: 'books', label: msg('Books'), Icon: BookOpen, Content: BooksView },
  { value: 'proposals', label: msg('Proposals'), Icon: CircleCheck, Content: ProposalsView },
  { value: 'audit', label: msg('Audit'), Icon: ScrollText, Content: AuditView },
  { value: 'health', label: msg('Health'), Icon: HeartPulse, Content: HealthTab },
] as const

export type Operation = (typeof operations)[number]['value']
