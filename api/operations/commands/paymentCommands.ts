import { address } from '#shared/wire/address.ts'
import { recordAudit } from '#api/accounts/auditLog/recordAudit.ts'
import { reviewWallets } from '#api/sale/deposits/reviewWallets.ts'
import { CommandRefused, operator, type OperatorCommand } from './OperatorCommand.ts'

export const reviewPaymentsCommand: OperatorCommand = {
  parameters: ['<wallets>'],
  help: 'For a restored database, before its processes start: payments that these wallets made until now and that are not credited wait for review, because they may have been refunded after the dump. Addresses are separated by commas.',
  async run({ orm }, [typed = '']) {
    const wallets = typed
      .split(/[\s,]+/)
      .filter(Boolean)
      .map(readAddress)
    if (wallets.length === 0) throw new CommandRefused('Name at least one wallet.')
    const until = new Date()
    await orm.em.fork().transactional(async (em) => {
      await reviewWallets(em, { wallets, until })
      recordAudit(em, { actor: operator(), action: 'payments.review', after: { wallets, until } })
    })
    return `Payments of ${wallets.length} wallets that were made until ${until.toISOString()} wait for review unless they are credited already.`
  },
}

function readAddress(typed: string) {
  const parsed = address.safeDecode(typed)
  if (!parsed.success) throw new CommandRefused(`${typed} is not a wallet address. Nothing was changed.`)
  return parsed.data
}
