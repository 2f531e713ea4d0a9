import { hasWrongChecksum } from '#shared/typedAddress.ts'
import { address } from '#shared/wire/address.ts'
import { recordAudit } from '#api/accounts/auditLog/recordAudit.ts'
import { ChainUnavailable } from '#api/platform/chain/ChainClient.ts'
import { paymentEndpoints } from '#api/platform/chain/paymentEndpoints.ts'
import { readConfig } from '#api/platform/config.ts'
import { acceptDatabase } from '#api/sale/purchases/restoredDatabase.ts'
import { readNewestTime, reviewWallets } from '#api/sale/deposits/reviewWallets.ts'
import { CommandRefused, operator, type OperatorCommand } from './OperatorCommand.ts'

export const reviewPaymentsCommand: OperatorCommand = {
  parameters: ['<wallets, or none>'],
  help: 'For a restored database, which credits no payment before: payments that these wallets made until now and that are not credited wait for review, because they may have been refunded after the dump. Addresses are separated by commas; "none" says that nothing was refunded.',
  async run({ orm, env }, [typed = '']) {
    const wallets =
      typed.trim() === 'none'
        ? []
        : typed
            .split(/[\s,]+/)
            .filter(Boolean)
            .map(readAddress)
    if (wallets.length === 0 && typed.trim() !== 'none') throw new CommandRefused('Name at least one wallet, or "none".')
    const em = orm.em.fork()
    const until = await readNewestTime(em, { endpoints: paymentEndpoints(readConfig(env)), now: new Date() }).catch(
      (error: unknown) => {
        throw error instanceof ChainUnavailable ? new CommandRefused(`${error.message} Nothing was changed.`) : error
      },
    )
    await em.transactional(async (em) => {
      await reviewWallets(em, { wallets, until })
      await acceptDatabase(em)
      recordAudit(em, { actor: operator(), action: 'payments.review', after: { wallets, until } })
    })
    if (wallets.length === 0) return 'Payments are credited in this database from now on.'
    const named = wallets.length === 1 ? 'this wallet' : `these ${wallets.length} wallets`
    return `Payments of ${named} that were made until ${until.toISOString()} wait for review unless they are credited already. Others are credited.`
  },
}

/** Typing errors are refused: the payments of the wallet that was meant would be credited. */
function readAddress(typed: string) {
  if (hasWrongChecksum(typed))
    throw new CommandRefused(`${typed} has a typing error: its checksum is wrong. Nothing was changed.`)
  const parsed = address.safeDecode(typed)
  if (!parsed.success) throw new CommandRefused(`${typed} is not a wallet address. Nothing was changed.`)
  return parsed.data
}
