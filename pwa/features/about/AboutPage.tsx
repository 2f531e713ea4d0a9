import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { t } from '#pwa/i18n/t.ts'
import { T } from '#pwa/i18n/T.tsx'
import { formatCount } from '#pwa/lib/formatCount.ts'
import { configQuery, nodeStatsQuery } from '#pwa/lib/queries.ts'
import { Card } from '#pwa/ui/Card.tsx'
import { CopyButton } from '#pwa/ui/CopyButton.tsx'
import { Page } from '#pwa/ui/Page.tsx'
import { Skeleton } from '#pwa/ui/Skeleton.tsx'
import { sellerLinks } from './sellerLinks.ts'

const linkClass =
  'text-accent underline-offset-2 [overflow-wrap:anywhere] hover:underline max-md:inline-flex max-md:min-h-11 max-md:items-center'

/** Who sells, under which terms, and where everything can be looked up: what a buyer checks before paying. */
export function AboutPage() {
  const { data: config } = useQuery(configQuery)
  const { data: stats } = useQuery(nodeStatsQuery)
  const seller = config?.seller ?? {}
  const terms = sellerLinks(seller)
  return (
    <Page title={t('About')} lead={t('Who sells the nodes, under which terms, and where you can check it.')} isNarrow>
      {!config && <Skeleton className="h-64 rounded-card" />}
      {config && (
        <div className="flex flex-col gap-4">
          {(seller.name ?? seller.address) && (
            <Section title={t('Seller')}>
              <p className="font-strong">{seller.name}</p>
              <p className="text-ink-10">{seller.address}</p>
            </Section>
          )}
          {terms.length > 0 && (
            <Section title={t('Terms')}>
              <ul className="flex flex-col gap-1.5">
                {terms.map(({ url, label }) => (
                  <li key={label}>
                    <a href={url} target="_blank" rel="noreferrer" className={linkClass}>
                      {label}
                    </a>
                  </li>
                ))}
              </ul>
            </Section>
          )}
          <Section title={t('Addresses')}>
            <dl className="flex flex-col gap-3">
              {config.depositAddress && (
                <Fact name={t('Payments are sent to')}>
                  <ChainAddress explorerUrl={config.paymentChain.explorerUrl} address={config.depositAddress} />
                </Fact>
              )}
              <Fact name={t('USDT on {chain}', { chain: config.paymentChain.name })}>
                <ChainAddress explorerUrl={config.paymentChain.explorerUrl} address={config.paymentChain.usdtAddress} />
              </Fact>
              <Fact name={t('XCR on {chain}', { chain: config.rewardChain.name })}>
                <ChainAddress explorerUrl={config.rewardChain.explorerUrl} address={config.rewardChain.tokenAddress} />
              </Fact>
            </dl>
          </Section>
          {stats && (
            <Section title={t('Supply and sales')}>
              <dl className="grid grid-cols-[minmax(0,1fr)_auto] gap-x-4 gap-y-1.5">
                <Count name={t('All nodes')} count={stats.total} />
                <Count name={t('Paid')} count={stats.paid} />
                <Count name={t('Bonus')} count={stats.bonus} />
                <Count name={t('Reserved for payments under way')} count={stats.reserved} />
                <Count name={t('Free')} count={stats.remaining} />
              </dl>
              <p className="mt-3 text-14 text-ink-10">
                {t(
                  '“Sold” counts paid, bonus and reserved nodes. Every payment is a transfer of USDT to the address above: the block explorer lists all of them.',
                )}
              </p>
            </Section>
          )}
          <Section title={t('Support')}>
            <p>
              <T
                text="Write to {email}. Name the transaction hash if it is about a payment."
                email={
                  <a href={`mailto:${config.supportEmail}`} className="text-accent underline underline-offset-2">
                    {config.supportEmail}
                  </a>
                }
              />
            </p>
          </Section>
        </div>
      )}
    </Page>
  )
}

function Section({ title, children }: { title: string; children: ReactNode }) {
  return (
    <Card>
      <h2 className="mb-2 text-16 font-strong text-ink-12">{title}</h2>
      {children}
    </Card>
  )
}

const Fact = ({ name, children }: { name: string; children: ReactNode }) => (
  <div>
    <dt className="text-14 text-ink-10">{name}</dt>
    <dd>{children}</dd>
  </div>
)

const ChainAddress = ({ explorerUrl, address }: { explorerUrl: string; address: string }) => (
  <span className="flex items-center gap-1">
    <a
      href={`${explorerUrl}/address/${address}`}
      target="_blank"
      rel="noreferrer"
      translate="no"
      className={`exact min-w-0 font-mono text-14 ${linkClass}`}
    >
      {address}
    </a>
    <CopyButton value={address} what={t('address')} />
  </span>
)

/** A server of before does not say it. */
const Count = ({ name, count }: { name: string; count: number | undefined }) =>
  count === undefined ? null : (
    <>
      <dt className="text-ink-10">{name}</dt>
      <dd className="figures text-right font-strong">{formatCount(count)}</dd>
    </>
  )
