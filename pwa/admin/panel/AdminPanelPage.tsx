import { LogOut } from '#pwa/ui/icons.ts'
import { t, translate } from '#pwa/i18n/t.ts'
import { useSearch } from '#pwa/lib/useSearch.ts'
import { Button } from '#pwa/ui/Button.tsx'
import { Page } from '#pwa/ui/Page.tsx'
import { Tabs } from '#pwa/ui/Tabs.tsx'
import { AdminGuard } from '../access/AdminGuard.tsx'
import { useAdminLogout } from '../access/useAdminLogout.ts'
import { PanelFigures } from '../figures/PanelFigures.tsx'
import { operations } from './operations.tsx'
import { OperationsNav } from './OperationsNav.tsx'
import { type PanelTab, panelTabs } from './panelTabs.tsx'

export const AdminPanelPage = () => (
  <AdminGuard>
    <Panel />
  </AdminGuard>
)

function Panel() {
  const logout = useAdminLogout()
  const [search, setSearch] = useSearch()
  const requestedTab = search.get('tab')
  const operation = operations.find(({ value }) => value === requestedTab)
  const { value: tab } = panelTabs.find(({ value }) => value === requestedTab) ?? panelTabs[0]

  return (
    <Page title={t('Admin dashboard')} heading={null}>
      <header className="mb-4 flex flex-wrap items-center justify-between gap-2 desk:mb-6">
        <h1 className="text-20 font-strong desk:text-28 first-letter:uppercase">{t('admin dashboard')}</h1>
        <Button variant="secondary" onClick={() => logout.mutate()} isPending={logout.isPending}>
          <LogOut size={16} aria-hidden /> {t('Admin Logout')}
        </Button>
      </header>
      <PanelFigures />
      <Tabs<PanelTab>
        label={t('Administration')}
        value={operation ? null : tab}
        // Query parameters of another tab do not apply to this one.
        onValueChange={(next) => setSearch(new URLSearchParams({ tab: next }))}
        tabs={panelTabs.map(({ label, ...rest }) => ({ label: translate(label), ...rest }))}
        beside={<OperationsNav current={operation?.value ?? null} />}
      />
      {operation && <div className="pt-6">{operation.content}</div>}
    </Page>
  )
}
