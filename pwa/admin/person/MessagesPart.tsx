import { listPersonInbox, listPersonMails, type Person } from '#shared/contract/admin/person.ts'
import { t } from '#pwa/i18n/t.ts'
import { StatusWord } from '#pwa/ui/StatusWord.tsx'
import { Time } from './cells.tsx'
import { PersonTable } from './PersonTable.tsx'

/** What the account was told, by mail and in its inbox. */
export const MessagesPart = ({ person }: { person: Person }) => (
  <>
    <PersonTable
      personId={person.id}
      endpoint={listPersonMails}
      title={t('Mails')}
      what={t('mails')}
      ifEmpty={t('No mails were sent in the last 90 days.')}
      keyOf={({ id }) => id}
      columns={[
        { name: t('Subject'), isWide: true, className: 'md:w-full', cell: ({ subject }) => <Words text={subject} /> },
        { name: t('Written'), cell: ({ createdAt }) => <Time at={createdAt} /> },
        {
          name: t('Status'),
          cell: ({ sentAt, attempts, lastError }) =>
            sentAt ? (
              <span className="block max-md:text-right">
                <StatusWord tone="done">{t('Sent')}</StatusWord>
                <span className="block text-12">
                  <Time at={sentAt} />
                </span>
              </span>
            ) : (
              <span className="block max-w-64 max-md:text-right">
                <StatusWord tone={attempts > 0 ? 'refused' : 'waiting'}>
                  {attempts > 0 ? t('Not sent yet') : t('Waiting')}
                </StatusWord>
                {lastError && <span className="block text-12 wrap-anywhere text-ink-10">{lastError}</span>}
              </span>
            ),
        },
      ]}
    >
      <p className="mb-3 text-14 text-ink-10">
        {t('Texts of mails are not shown, because they contain codes and links that only their owner may use.')}
      </p>
    </PersonTable>
    <PersonTable
      personId={person.id}
      endpoint={listPersonInbox}
      title={t('Inbox')}
      what={t('messages')}
      ifEmpty={t('No messages yet.')}
      keyOf={({ id }) => id}
      columns={[
        {
          name: t('Message'),
          isWide: true,
          className: 'md:w-full',
          cell: ({ title, paragraphs }) => (
            <span className="block min-w-0">
              <Words text={title} />
              {[...new Set(paragraphs)].map((text) => (
                <span key={text} className="mt-0.5 block text-12 wrap-anywhere whitespace-pre-line text-ink-10">
                  {text}
                </span>
              ))}
            </span>
          ),
        },
        { name: t('Told'), cell: ({ createdAt }) => <Time at={createdAt} /> },
        {
          name: t('Status'),
          cell: ({ isRead }) =>
            isRead ? <StatusWord tone="neutral">{t('Read')}</StatusWord> : <StatusWord tone="accent">{t('Unread')}</StatusWord>,
        },
      ]}
    />
  </>
)

const Words = ({ text }: { text: string }) => <span className="block font-strong wrap-anywhere">{text}</span>
