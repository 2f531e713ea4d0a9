import { useQuery } from '@tanstack/react-query'
import { DEFAULT_NODE_SUPPLY, NODES_PER_BONUS } from '#shared/sale.ts'
import { t } from '#pwa/i18n/t.ts'
import { T } from '#pwa/i18n/T.tsx'
import { configQuery, nodeSettingsQuery } from '#pwa/lib/queries.ts'
import { Accordion } from '#pwa/ui/Accordion.tsx'

const bonusExamples = [10, 20, 30, 50, 100]

export function Faq() {
  const { data: config } = useQuery(configQuery)
  const { data: nodes } = useQuery(nodeSettingsQuery)
  const supportEmail = config?.supportEmail
  return (
    <section aria-labelledby="faq" className="mx-auto mt-16 max-w-[760px]">
      <h2 id="faq" className="mb-4 text-28 font-strong">
        {t('Frequently asked questions')}
      </h2>
      <Accordion
        items={[
          {
            title: t('What is an XCR node?'),
            content: (
              <p>
                {t(
                  'One of {total} limited-edition places in the XCR network. Each active node earns a daily XCR reward. Bonus nodes count within the {total}: there will never be more.',
                  { total: nodes?.totalLimit ?? DEFAULT_NODE_SUPPLY },
                )}
              </p>
            ),
          },
          {
            title: t('When do I start earning?'),
            content: (
              <p>
                {t(
                  'Rewards are paid daily at 09:00 UTC, starting 24 hours after payment. Nodes are assigned within about 10 minutes, and a confirmation e-mail is sent.',
                )}
              </p>
            ),
          },
          {
            title: t('When can I withdraw?'),
            content: (
              <p>
                {t(
                  'Any time your balance is at least 3,000 XCR, to the wallet registered with your account. An authenticator code is required for all XCR withdrawals.',
                )}
              </p>
            ),
          },
          {
            title: t('How do I pay?'),
            content: (
              <>
                <p>
                  {t(
                    'With BEP20 USDT on BNB Smart Chain, from your registered wallet, to one fixed deposit address. Payment is confirmed and then admin-approved.',
                  )}
                </p>
                <p className="mt-2">
                  {t('If your browser translates pages automatically, switch back to English before buying.')}
                </p>
              </>
            ),
          },
          {
            title: t('Is there a purchase limit?'),
            content: <p>{t('There is no per-person purchase limit. Sales are first come, first served.')}</p>,
          },
          { title: t('What is the 10+1 bonus?'), content: <Bonus /> },
          { title: t('How do I set up OTP?'), content: <OtpSteps /> },
          {
            title: t('Which coins do I need for fees?'),
            content: (
              <p>{t('A purchase needs USDT plus about 0.00001 BNB for fees. Sending XCR needs at least 1 XP for fees.')}</p>
            ),
          },
          {
            title: t('How do I reach support?'),
            content: (
              <p>
                {supportEmail ? (
                  <T
                    text="By email at {address}. If you have paid, include the transaction ID."
                    address={
                      <a href={`mailto:${supportEmail}`} className="text-accent underline underline-offset-2">
                        {supportEmail}
                      </a>
                    }
                  />
                ) : (
                  t('By email. If you have paid, include the transaction ID.')
                )}
              </p>
            ),
          },
        ]}
      />
    </section>
  )
}

function Bonus() {
  return (
    <>
      <p>
        {t(
          'One free node for every {count} bought. Bonus nodes do not count toward the next bonus. The administrator sends them weekly.',
          { count: NODES_PER_BONUS },
        )}
      </p>
      <table className="figures mt-4 w-full max-w-[320px] text-14">
        <thead>
          <tr className="border-b border-ink-5 text-left text-ink-9">
            <th scope="col" className="py-2 font-normal">
              {t('Bought')}
            </th>
            <th scope="col" className="py-2 text-right font-normal">
              {t('Bonus')}
            </th>
            <th scope="col" className="py-2 text-right font-normal">
              {t('Total')}
            </th>
          </tr>
        </thead>
        <tbody className="text-ink-11">
          {bonusExamples.map((bought) => (
            <tr key={bought} className="border-b border-ink-4">
              <td className="py-2">{bought}</td>
              <td className="py-2 text-right text-accent">+{bought / NODES_PER_BONUS}</td>
              <td className="py-2 text-right">{bought + bought / NODES_PER_BONUS}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </>
  )
}

function OtpSteps() {
  return (
    <>
      <ol className="list-decimal space-y-1.5 pl-5 marker:text-ink-9">
        <li>{t('Install an authenticator app, such as Google Authenticator, on your phone.')}</li>
        <li>{t('Log in and open Security Settings from the menu at the top right.')}</li>
        <li>{t('Press Setup OTP, then Enable OTP Authentication.')}</li>
        <li>{t('Scan the QR code with the app, or type the manual entry key into it.')}</li>
        <li>{t('Enter the 6-digit code shown in the app and press Verify & Enable.')}</li>
      </ol>
      <p className="mt-3">{t('An authenticator code is required for all node purchases and all XCR withdrawals.')}</p>
    </>
  )
}
