import { useQuery } from '@tanstack/react-query'
import { Suspense } from 'react'
import { t } from '#pwa/i18n/t.ts'
import { T } from '#pwa/i18n/T.tsx'
import { formatCount } from '#pwa/lib/formatCount.ts'
import { configQuery, nodeStatsQuery } from '#pwa/lib/queries.ts'
import { Card, CardHeader } from '#pwa/ui/Card.tsx'
import { CopyButton } from '#pwa/ui/CopyButton.tsx'
import { DemoChainsHint } from '#pwa/ui/DemoChainsHint.tsx'
import { Page } from '#pwa/ui/Page.tsx'
import { Skeleton } from '#pwa/ui/Skeleton.tsx'
import { TryAgain } from '#pwa/ui/TryAgain.tsx'
import { lazyPart } from '#pwa/ui/lazyPart.tsx'
import type { NodeStats } from '#shared/contract/nodes.ts'
import type { PublicConfig } from '#shared/contract/settings.ts'
import { sellerLinks } from './sellerLinks.ts'

const Notice = lazyPart(async () => (await import('#pwa/ui/Notice.tsx')).Notice)

const linkClass = 'text-accent underline underline-offset-4 hover:text-accent-strong'
/** The card already pads its last row. */
const rowsClass = '-mb-3 divide-y divide-ink-5 border-t border-ink-5'

/** Due diligence for buyers: the seller, the terms, and the public addresses. */
export function AboutPage() {
  const config = useQuery(configQuery)
  const stats = useQuery(nodeStatsQuery)
  const failed = [config, stats].filter(({ isLoadingError }) => isLoadingError)
  return (
    <Page
      title={t('About')}
      lead={
        config.data?.seller?.name
          ? t('Who sells the nodes, on what terms, and how to verify the sale yourself.')
          : t('How to verify the sale yourself and contact support.')
      }
      isNarrow
    >
      <div className="flex flex-col gap-4">
        {failed.length > 0 && (
          <Suspense fallback={null}>
            <Notice
              tone="warning"
              title={t("Couldn't load all of this page")}
              action={
                <TryAgain
                  isTrying={failed.some(({ isFetching }) => isFetching)}
                  onPress={() => void Promise.all(failed.map(({ refetch }) => refetch()))}
                />
              }
            />
          </Suspense>
        )}
        {config.isPending && <Skeleton className="h-64 rounded-card" />}
        {config.data && <Seller seller={config.data.seller ?? {}} />}
        {config.data && <Addresses config={config.data} />}
        {stats.data && <Supply stats={stats.data} />}
        {config.data && <Support email={config.data.supportEmail} />}
      </div>
    </Page>
  )
}

function Seller({ seller }: { seller: NonNullable<PublicConfig['seller']> }) {
  const links = sellerLinks(seller)
  return (
    <>
      {(seller.name ?? seller.address) && (
        <Card>
          <CardHeader title={t('Seller')} />
          <address translate="no" className="not-italic">
            {seller.name && <p className="font-strong text-ink-12">{seller.name}</p>}
            {seller.address && <p className="text-ink-10">{seller.address}</p>}
          </address>
        </Card>
      )}
      {links.length > 0 && (
        <Card>
          <CardHeader title={t('Terms and policies')} />
          <ul className={rowsClass}>
            {links.map(({ url, label }) => (
              <li key={label}>
                <a href={url} target="_blank" rel="noreferrer" className="flex min-h-12 items-center justify-between gap-4">
                  <span className={linkClass}>{label}</span>
                  <span translate="no" className="min-w-0 truncate text-14 text-ink-9">
                    {new URL(url).host}
                  </span>
                </a>
              </li>
            ))}
          </ul>
        </Card>
      )}
    </>
  )
}

function Addresses({ config: { depositAddress, paymentChain, rewardChain } }: { config: PublicConfig }) {
  return (
    <Card>
      <CardHeader title={t('Addresses')} />
      <div className="mb-4">
        <p className="text-14 text-ink-10">
          {t('Compare these with your wallet before you confirm a payment. Each opens in a block explorer.')}
        </p>
        <DemoChainsHint />
      </div>
      <dl className={rowsClass}>
        {depositAddress && (
          <ChainAddress
            name={t('Deposit address for USDT payments')}
            note={t('Transfer only from your registered wallet.')}
            explorerUrl={paymentChain.explorerUrl}
            address={depositAddress}
          />
        )}
        <ChainAddress
          name={t('USDT contract on {chain}', { chain: paymentChain.name })}
          explorerUrl={paymentChain.explorerUrl}
          address={paymentChain.usdtAddress}
        />
        <ChainAddress
          name={t('XCR contract on {chain}', { chain: rewardChain.name })}
          explorerUrl={rewardChain.explorerUrl}
          address={rewardChain.tokenAddress}
        />
      </dl>
    </Card>
  )
}

interface ChainAddressProps {
  name: string
  note?: string
  explorerUrl: string
  address: string
}

const ChainAddress = ({ name, note, explorerUrl, address }: ChainAddressProps) => (
  <div className="py-3">
    <dt className="text-14 text-ink-9">{name}</dt>
    <dd className="flex items-center gap-2">
      <a
        href={`${explorerUrl}/address/${address}`}
        target="_blank"
        rel="noreferrer"
        translate="no"
        className={`exact flex min-h-11 min-w-0 flex-1 items-center text-14 [overflow-wrap:anywhere] ${linkClass}`}
      >
        {address}
      </a>
      <CopyButton value={address} what={t('address')} />
    </dd>
    {note && <dd className="text-14 text-ink-10">{note}</dd>}
  </div>
)

function Supply({ stats: { total, totalSold, paid, bonus, reserved, remaining } }: { stats: NodeStats }) {
  return (
    <Card>
      <CardHeader title={t('Supply and sales')} />
      <dl className="divide-y divide-ink-5 border-y border-ink-5">
        <Count name={t('All nodes')} count={total} />
        <Count name={t('Total Sold')} count={totalSold} />
        <Count name={t('Paid')} count={paid} isPart />
        <Count name={t('Bonus')} count={bonus} isPart />
        <Count name={t('Reserved while a payment is in progress')} count={reserved} isPart />
        <Count name={t('Remaining')} count={remaining} />
      </dl>
      <p className="mt-4 text-14 text-ink-10">
        {t(
          'Every payment is a USDT transfer to the deposit address, so you can compare the paid nodes with the transfers in the block explorer. Bonus nodes count within the supply.',
        )}
      </p>
    </Card>
  )
}

/** An older server does not send the parts of the total. */
const Count = ({ name, count, isPart = false }: { name: string; count: number | undefined; isPart?: boolean }) =>
  count === undefined ? null : (
    <div className={`flex justify-between gap-4 py-2.5 ${isPart ? 'pl-4 text-ink-10' : 'text-ink-12'}`}>
      <dt>{name}</dt>
      <dd className={`figures ${isPart ? '' : 'font-strong'}`}>{formatCount(count)}</dd>
    </div>
  )

const Support = ({ email }: { email: string }) => (
  <Card>
    <CardHeader title={t('Support')} />
    <p className="text-ink-11">
      <T
        text="Email {email}. If you have paid, include the transaction ID."
        email={
          <a href={`mailto:${email}`} translate="no" className={linkClass}>
            {email}
          </a>
        }
      />
    </p>
    <p className="mt-3 font-strong text-ink-12">
      {t('Support never asks for your password, codes, private key or recovery phrase, and never asks you to send money.')}
    </p>
  </Card>
)
