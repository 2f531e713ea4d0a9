import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useRef, useState } from 'react'
import { addUserNote, getPerson, listUserNotes, MAX_USER_NOTE, PERSON_ROWS_PER_PAGE } from '#shared/contract/admin/person.ts'
import { msg, t } from '#pwa/i18n/t.ts'
import { api } from '#pwa/lib/api.ts'
import { Button } from '#pwa/ui/Button.tsx'
import { Card, CardHeader } from '#pwa/ui/Card.tsx'
import { TextArea } from '#pwa/ui/TextArea.tsx'
import { toast } from '#pwa/ui/toast.ts'
import { ForRole } from '../ForRole.tsx'
import { ListError } from '../lists/ListError.tsx'
import { Pager } from '../lists/Pager.tsx'
import { toastFailure } from '../toastFailure.ts'
import { useDraft } from '../useDraft.ts'
import { Time } from './cells.tsx'
import { partQuery } from './queries.ts'

/** What administrators wrote down about an account, and a field for more. */
export function NotesCard({ personId }: { personId: string }) {
  const queryClient = useQueryClient()
  const [page, setPage] = useState(1)
  const [text, setText] = useDraft(`note of ${personId}`, '')
  const [problem, setProblem] = useState<string>()
  const field = useRef<HTMLTextAreaElement>(null)
  const { data, error, isFetching, refetch } = useQuery(partQuery(listUserNotes, { id: personId, page }))
  const add = useMutation({
    mutationFn: () => api(addUserNote, { params: { id: personId }, body: { text } }),
    onSuccess: async () => {
      toast({ title: t('Note Saved') })
      setText('')
      setPage(1)
      await queryClient.invalidateQueries({ queryKey: [getPerson.path, personId] })
    },
    // What was typed stays.
    onError: (failure) => toastFailure(failure, t('The note was not saved')),
  })
  function handleSubmit(event: FormEvent) {
    event.preventDefault()
    if (text.trim()) return add.mutate()
    setProblem(msg('Please enter a note.'))
    field.current?.focus()
  }
  return (
    <Card className="desk:p-4!">
      <CardHeader title={t('Notes of administrators')} />
      <ForRole of={addUserNote}>
        <form noValidate onSubmit={handleSubmit} className="flex flex-col gap-3">
          <TextArea
            ref={field}
            label={t('New note')}
            hint={t('The user does not see it. It cannot be changed or deleted, and is recorded in the audit log.')}
            rows={2}
            maxLength={MAX_USER_NOTE}
            error={problem}
            value={text}
            onChange={(event) => {
              setText(event.target.value)
              setProblem(undefined)
            }}
          />
          <Button
            type="submit"
            variant="secondary"
            isPending={add.isPending}
            pendingLabel={t('Saving...')}
            className="sm:self-start"
          >
            {t('Save note')}
          </Button>
        </form>
      </ForRole>
      {error && (
        <div className="mt-4">
          <ListError
            title={t('Failed to fetch {what}', { what: t('notes') })}
            error={error}
            isFetching={isFetching}
            onRetry={() => void refetch()}
          />
        </div>
      )}
      {!error && data && data.rows.length > 0 && (
        <ul aria-label={t('Notes of administrators')} className="mt-4 divide-y divide-ink-5 border-t border-ink-5">
          {data.rows.map(({ id, author, text: note, createdAt }) => (
            <li key={id} className="py-3 text-14">
              <p className="wrap-anywhere whitespace-pre-line">{note}</p>
              <p className="mt-1 text-12 text-ink-9">
                {author.replace(/^admin:/, '')} · <Time at={createdAt} />
              </p>
            </li>
          ))}
        </ul>
      )}
      {!error && data?.totalCount === 0 && <p className="mt-4 text-14 text-ink-10">{t('No notes yet.')}</p>}
      {!error && data && <Pager what={t('notes')} page={page} pageSize={PERSON_ROWS_PER_PAGE} paging={data} onPage={setPage} />}
    </Card>
  )
}
