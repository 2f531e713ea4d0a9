import { HealthView } from './HealthView.tsx'
import { IncidentsCard } from './IncidentsCard.tsx'

/** What an operator sees of the product, and what everybody is told of it. */
export const HealthTab = () => (
  <div className="flex flex-col gap-6">
    <IncidentsCard />
    <HealthView />
  </div>
)
