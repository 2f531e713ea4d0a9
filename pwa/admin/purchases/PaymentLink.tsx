import { useQuery } from '@tanstack/react-query'
import { shorten } from '#shared/address.ts'
import { configQuery } from '#pwa/lib/queries.ts'

interface PaymentLinkProps {
  kind: 'tx' | 'address'
  value: string
}

/** A shortened transaction hash or address with a link to the payment chain's block explorer. */
export function PaymentLink({ kind, value }: PaymentLinkProps) {
  const { data: config } = useQuery(configQuery)
  return (
    <a
      href={config && `${config.paymentChain.explorerUrl}/${kind}/${value}`}
      target="_blank"
      rel="noreferrer"
      title={value}
      translate="no"
      className="exact inline-flex items-center font-mono text-12 whitespace-nowrap text-accent underline-offset-2 hover:underline max-md:min-h-11"
    >
      {shorten(value)}
    </a>
  )
}
