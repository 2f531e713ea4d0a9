import type { ReactNode } from 'react'
import { assignDeposit } from '#shared/contract/admin/deposits.ts'
import { ForRole } from '../ForRole.tsx'
import { WaitsForApproval } from '../proposals/WaitsForApproval.tsx'
import { DueBy } from './DueBy.tsx'

interface ReviewRowProps {
  /** Short description of the case. */
  title: ReactNode
  /** Why it needs a review. */
  reason: string
  facts: readonly (readonly [name: string, value: ReactNode])[]
  dueBy: Date
  /** What the case is about, as the audit log names it. */
  targets: readonly string[]
  actions: ReactNode
}

/** One case to review: description and reason on the left, actions and due date on the right. */
export const ReviewRow = ({ title, reason, facts, dueBy, targets, actions }: ReviewRowProps) => (
  <div className="grid gap-x-6 gap-y-2 md:grid-cols-[minmax(0,1fr)_auto]">
    <div className="min-w-0">
      <p className="flex flex-wrap items-baseline gap-x-2 text-14">
        <strong className="figures font-strong [overflow-wrap:anywhere] text-ink-12">{title}</strong>
        <span className="text-ink-10">{reason}</span>
      </p>
      {/* On a phone a column of names and one of values. */}
      <dl className="mt-1 text-12 text-ink-9 max-md:grid max-md:grid-cols-[auto_minmax(0,1fr)] max-md:items-baseline max-md:gap-x-3 max-md:gap-y-1 md:flex md:flex-wrap md:gap-x-4 md:gap-y-2">
        {facts.map(([name, value]) => (
          <div key={name} className="max-md:contents md:flex md:min-w-0 md:items-center md:gap-1.5">
            <dt className="max-md:max-w-28 md:shrink-0">{name}</dt>
            <dd className="min-w-0 [overflow-wrap:anywhere] text-ink-11">{value}</dd>
          </div>
        ))}
      </dl>
    </div>
    <div className="flex flex-col gap-2 md:items-end">
      <DueBy dueBy={dueBy} />
      <WaitsForApproval of={targets} />
      <ForRole of={assignDeposit}>
        <div className="flex flex-wrap gap-1.5">{actions}</div>
      </ForRole>
    </div>
  </div>
)
