import { useEffect } from 'react'
import type { PublicConfig } from '#shared/contract/settings.ts'
import { formatAmount } from '#shared/amount.ts'
import { Amount } from '#pwa/ui/Amount.tsx'
import { Button } from '#pwa/ui/Button.tsx'
import { Dialog } from '#pwa/ui/Dialog.tsx'
import type { WalletRequest } from '#pwa/wallet/createLocalProvider.ts'
import { decodeTransfer } from '#pwa/wallet/usdtCalls.ts'
import { startDemoWallet, useDemoWallet } from './demoWallet.ts'

/** The demo's wallet: announces itself, and prompts before it connects, signs, sends or adds a network. */
export function DemoWallet({ config }: { config: PublicConfig }) {
  const { question, address } = useDemoWallet()
  useEffect(() => startDemoWallet(config), [config])
  if (!question || !address) return null

  const { request, answer } = question
  return (
    <Dialog
      open
      onOpenChange={(open) => !open && answer(false)}
      isHeld
      title={titles[request.type]}
      description={`Demo Wallet · ${location.host}`}
      actions={
        <>
          <Button variant="secondary" onClick={() => answer(false)}>
            Reject
          </Button>
          <Button onClick={() => answer(true)}>Confirm</Button>
        </>
      }
    >
      <Question request={request} address={address} config={config} />
    </Dialog>
  )
}

const titles: Record<WalletRequest['type'], string> = {
  connect: 'Connect this wallet?',
  addChain: 'Add this network?',
  sign: 'Sign this message?',
  send: 'Send this transaction?',
}

function Question({ request, address, config }: { request: WalletRequest; address: string; config: PublicConfig }) {
  const { paymentChain } = config
  if (request.type === 'connect') {
    return (
      <Details
        rows={[['Account', address]]}
        note="The site will see this address. The key was made in this browser for the demo and holds test money only."
      />
    )
  }
  if (request.type === 'addChain') {
    return (
      <Details
        rows={[
          ['Network', request.name],
          ['Chain id', String(request.chainId)],
          ['RPC', request.rpcUrl],
        ]}
        note="The wallet will then use this network for the site."
      />
    )
  }
  if (request.type === 'sign') {
    return (
      <pre className="max-h-60 overflow-auto rounded-input border border-ink-5 bg-ink-2 p-4 font-sans text-14 whitespace-pre-wrap text-ink-11">
        {request.message}
      </pre>
    )
  }
  const transfer = request.to.toLowerCase() === paymentChain.usdtAddress ? decodeTransfer(request.data) : undefined
  return (
    <>
      {transfer && (
        <p className="mb-4">
          <Amount value={transfer.amount} unit="USDT" size={28} />
        </p>
      )}
      <Details
        rows={[
          ['From', address],
          ['To', transfer?.to ?? request.to],
          ...(transfer ? [] : ([['Data', request.data]] as const)),
          ...(request.value > 0n ? ([['Value', formatAmount(request.value)]] as const) : []),
          ['Network', request.chainId === paymentChain.chainId ? paymentChain.name : `Chain ${request.chainId}`],
        ]}
        note="The fee is paid in test BNB."
      />
    </>
  )
}

function Details({ rows, note }: { rows: readonly (readonly [string, string])[]; note: string }) {
  return (
    <>
      <dl className="divide-y divide-ink-5 rounded-input border border-ink-5">
        {rows.map(([name, value]) => (
          <div key={name} className="flex gap-4 px-4 py-3 text-14">
            <dt className="w-18 shrink-0 text-ink-9">{name}</dt>
            <dd className="exact min-w-0 flex-1">{value}</dd>
          </div>
        ))}
      </dl>
      <p className="mt-3 text-14 text-ink-9">{note}</p>
    </>
  )
}
