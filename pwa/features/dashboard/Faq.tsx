import { useQuery } from '@tanstack/react-query'
import { NODES_PER_BONUS } from '#shared/sale.ts'
import { configQuery } from '#pwa/lib/queries.ts'
import { Accordion } from '#pwa/ui/Accordion.tsx'

const bonusExamples = [10, 20, 30, 50, 100]

export function Faq() {
  const { data: config } = useQuery(configQuery)
  const supportEmail = config?.supportEmail
  return (
    <section aria-labelledby="faq" className="mx-auto mt-16 max-w-[760px]">
      <h2 id="faq" className="mb-4 text-28 font-strong">
        Frequently asked questions
      </h2>
      <Accordion
        items={[
          {
            title: 'What is an XCR node?',
            content: (
              <p>
                One of 20,000 limited-edition places in the XCR network. Each active node earns a daily XCR reward. Bonus nodes
                count within the 20,000: there will never be more.
              </p>
            ),
          },
          {
            title: 'When do I start to earn?',
            content: (
              <p>
                Rewards are paid daily at 09:00 UTC, starting 24 hours after payment. Nodes are assigned within about 10 minutes,
                and a confirmation e-mail is sent.
              </p>
            ),
          },
          {
            title: 'When can I withdraw?',
            content: (
              <p>
                At any time from 3,000 XCR on, to the wallet registered with your account. An authenticator code is required for
                all XCR withdrawals.
              </p>
            ),
          },
          {
            title: 'How do I pay?',
            content: (
              <>
                <p>
                  With BEP20 USDT on BNB Smart Chain, from your registered wallet, to one fixed deposit address. Payment is
                  confirmed and then admin-approved.
                </p>
                <p className="mt-2">If your browser translates pages by itself, switch back to English before buying.</p>
              </>
            ),
          },
          {
            title: 'Is there a purchase limit?',
            content: <p>There is no per-person purchase limit. Sales are first come, first served.</p>,
          },
          { title: 'What is the 10+1 bonus?', content: <Bonus /> },
          { title: 'How do I set up OTP?', content: <OtpSteps /> },
          {
            title: 'Which coins do I need for fees?',
            content: <p>A purchase needs USDT plus about 0.00001 BNB for fees. Sending XCR needs at least 1 XP for fees.</p>,
          },
          {
            title: 'How do I reach support?',
            content: (
              <p>
                By e-mail
                {supportEmail ? (
                  <>
                    {' '}
                    at{' '}
                    <a href={`mailto:${supportEmail}`} className="text-accent underline underline-offset-2">
                      {supportEmail}
                    </a>
                  </>
                ) : null}
                . If you have paid, send the transaction ID along.
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
        One free node for every {NODES_PER_BONUS} bought. Bonus nodes do not count toward the next bonus. The administrator sends
        them weekly.
      </p>
      <table className="figures mt-4 w-full max-w-[320px] text-14">
        <thead>
          <tr className="border-b border-ink-5 text-left text-ink-9">
            <th scope="col" className="py-2 font-normal">
              Bought
            </th>
            <th scope="col" className="py-2 text-right font-normal">
              Bonus
            </th>
            <th scope="col" className="py-2 text-right font-normal">
              Total
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
        <li>Install an authenticator app, such as Google Authenticator, on your phone.</li>
        <li>Log in and open Security Settings from the menu at the top right.</li>
        <li>Press Setup OTP, then Enable OTP Authentication.</li>
        <li>Scan the QR code with the app, or type the manual entry key into it.</li>
        <li>Enter the 6-digit code that the app shows and press Verify &amp; Enable.</li>
      </ol>
      <p className="mt-3">An authenticator code is required for all node purchases and all XCR withdrawals.</p>
    </>
  )
}
