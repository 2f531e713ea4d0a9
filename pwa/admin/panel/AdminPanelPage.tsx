import { approveWithdrawal } from '#shared/contract/admin/withdrawals.ts'
import { LogOut } from '#pwa/ui/icons.ts'
import { t, translate } from '#pwa/i18n/t.ts'
import { useSearch } from '#pwa/lib/useSearch.ts'
import { formatCount } from '#pwa/lib/formatCount.ts'
import { Button } from '#pwa/ui/Button.tsx'
import { Page } from '#pwa/ui/Page.tsx'
import { Tabs } from '#pwa/ui/Tabs.tsx'
import { AdminGuard } from '../access/AdminGuard.tsx'
import { useAdminLogout } from '../access/useAdminLogout.ts'
import { FindAnything } from '../find/FindAnything.tsx'
import { PanelFigures } from '../figures/PanelFigures.tsx'
import { TodoStrip } from '../waiting/TodoStrip.tsx'
import { useOfficeEvents, useWaiting } from '../waiting/useWaiting.ts'
import { WaitingBadge } from '../waiting/WaitingBadge.tsx'
import { countByTab } from '../waiting/waitingKinds.ts'
import { useZoneChoice } from '../zone/officeZone.ts'
import { ZoneChoice } from '../zone/ZoneChoice.tsx'
import { operations } from './operations.tsx'
import { OperationsNav } from './OperationsNav.tsx'
import { useMayCall } from '../useMayCall.ts'
import { scrollToTabs, TABS_ID } from './scrollToTabs.ts'
import { paramsOfTab } from './paramsOfTab.ts'
import { type PanelTab, panelTabs } from './panelTabs.tsx'

export const AdminPanelPage = () => (
  <AdminGuard>
    <Panel />
  </AdminGuard>
)

function Panel() {
  useOfficeEvents()
  const waiting = useWaiting()
  const mayCall = useMayCall()
  const counts = countByTab(waiting)
  // Draws every list again after another zone is chosen. What is typed in a form stays.
  useZoneChoice()
  const [search, setSearch] = useSearch()
  const requestedTab = search.get('tab')
  const operation = operations.find(({ value }) => value === requestedTab)
  const { value: tab } = panelTabs.find(({ value }) => value === requestedTab) ?? panelTabs[0]

  return (
    <Page
      title={
        waiting?.total && mayCall(approveWithdrawal)
          ? `(${formatCount(waiting.total)}) ${t('Admin dashboard')}`
          : t('Admin dashboard')
      }
      heading={null}
    >
      <header className="mb-4 flex flex-wrap items-center justify-between gap-2 desk:mb-6">
        <h1 className="text-20 font-strong desk:text-28 first-letter:uppercase">{t('admin dashboard')}</h1>
        <div className="flex min-w-0 items-center gap-3 max-sm:w-full max-sm:justify-between">
          <ZoneChoice />
          <LogoutButton />
        </div>
      </header>
      <FindAnything />
      <TodoStrip />
      <PanelFigures />
      <div id={TABS_ID} className="scroll-mt-20">
        <OperationsNav current={operation?.value ?? null} counts={counts} />
        <Tabs<PanelTab>
          label={t('Administration')}
          value={operation ? null : tab}
          onValueChange={(next) => {
            setSearch(paramsOfTab(search, next))
            scrollToTabs()
          }}
          tabs={panelTabs.map(({ label, value, Content }) => ({
            value,
            content: <Content />,
            label: (
              <>
                {translate(label)}
                <WaitingBadge count={counts[value]} />
              </>
            ),
          }))}
        />
      </div>
      {operation && (
        <div key={operation.value} className="pt-6">
          <operation.Content />
        </div>
      )}
    </Page>
  )
}

/** On its own: a render of the panel during the logout would refetch the data that was just cleared. */
function LogoutButton() {
  const logout = useAdminLogout()
  return (
    <Button variant="secondary" className="shrink-0" onClick={() => logout.mutate()} isPending={logout.isPending}>
      <LogOut size={16} aria-hidden /> {t('Admin Logout')}
    </Button>
  )
}
