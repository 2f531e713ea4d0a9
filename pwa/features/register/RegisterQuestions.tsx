import { t } from '#pwa/i18n/t.ts'
import { Accordion } from '#pwa/ui/Accordion.tsx'

export const RegisterQuestions = () => (
  <Accordion
    items={[
      {
        title: t('How does it work?'),
        content: t(
          'Every day the seller publishes one line for every node: whether it is sold, whether it is active, and what it has earned. A fingerprint of the list goes into a record to which entries can only be added, and a fingerprint of the record goes onto a public blockchain. If anything is changed later, the fingerprints no longer fit, and everyone notices.',
        ),
      },
      {
        title: t('What does it not prove?'),
        content: t(
          "It does not prove that XCR has a value, that the payout wallets will be refilled, that granted nodes were deserved, or that USDT received was not the seller's own or returned privately. Nor does it prove that every published withdrawal was a real holder's: each holder can only check their own.",
        ),
      },
      {
        title: t('What does it reveal about me?'),
        content: t(
          'It names no one: no email, no name, no account. It shows the transactions of payments and payouts, so a wallet can be linked to the nodes that it paid for and to what they earned. It cannot be linked to an email. Fetching the files leaves your IP address with the server, as on every website, and comparing them with the reward blockchain leaves it with a server of that blockchain.',
        ),
      },
    ]}
  />
)
