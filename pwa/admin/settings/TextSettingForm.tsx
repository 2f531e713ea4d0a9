import { type ComponentProps, type FormEvent, type ReactNode, useRef, useState } from 'react'
import { parseAmount } from '#shared/amount.ts'
import type { SettingKey } from '#shared/settings.ts'
import { settingRules } from '#shared/settingRules.ts'
import { t, translateServerText } from '#pwa/i18n/t.ts'
import { Button } from '#pwa/ui/Button.tsx'
import { TextField } from '#pwa/ui/TextField.tsx'
import { toast } from '#pwa/ui/toast.ts'
import { ChangeDialog } from '../ChangeDialog.tsx'
import { isDecided } from '../toastFailure.ts'
import { useCommaRefusal } from './useCommaRefusal.ts'
import type { useSetting } from './useSetting.ts'

interface TextSettingFormProps extends Pick<ReturnType<typeof useSetting>, 'save'> {
  settingKey: SettingKey
  /** The stored value. */
  value: string
  label: ReactNode
  hint: ReactNode
  /** Error text for an invalid value. */
  problem: { title: string; message: string }
  input: ComponentProps<'input'>
  /** What is asked before a value is saved. */
  question: {
    title: string
    confirmLabel: string
    /** A value as people read it. */
    show: (value: string) => string
    /** What the new value changes, for whom and from when. */
    consequence: (next: string) => string
  }
}

/** A setting with a text field. It follows the stored value until somebody types. */
export function TextSettingForm(props: TextSettingFormProps) {
  const { settingKey, value, label, hint, problem, input, question, save } = props
  const [draft, setDraft] = useState<string | null>(null)
  const [isRefused, setRefused] = useState(false)
  /** The value whose change is asked about. */
  const [asked, setAsked] = useState<string>()
  const field = useRef<HTMLInputElement>(null)
  const comma = useCommaRefusal()
  const typed = draft ?? value
  const kept = settingRules[settingKey].read(typed.trim())

  function handleSubmit(event: FormEvent) {
    event.preventDefault()
    if (comma.problem) return field.current?.focus()
    if (kept === value) return
    if (kept !== undefined) return setAsked(kept)
    setRefused(true)
    toast({ title: problem.title, description: translateServerText(problem.message), destructive: true })
    field.current?.focus()
  }

  return (
    <form noValidate onSubmit={handleSubmit} className="flex flex-col gap-4">
      <TextField
        {...input}
        {...(input.type === 'number' && comma.handlers)}
        ref={field}
        label={label}
        hint={draft !== null && kept === value ? t('This is already the value. Nothing changes.') : hint}
        error={comma.problem ?? (isRefused ? problem.message : undefined)}
        autoComplete="off"
        spellCheck={false}
        value={typed}
        readOnly={save.isPending}
        onChange={(event) => {
          setDraft(event.target.value)
          comma.note(typed, event.target.value)
          setRefused(false)
        }}
        // Scrolling over a focused number field would change its value unnoticed.
        onWheel={(event) => event.currentTarget.blur()}
      />
      <div className="flex gap-2">
        <Button type="submit" disabled={kept === value} isPending={save.isPending} pendingLabel={t('Saving...')}>
          {t('Save')}
        </Button>
        {draft !== null && kept !== value && !save.isPending && (
          <Button
            variant="quiet"
            onClick={() => {
              setDraft(null)
              setRefused(false)
              comma.clear()
            }}
          >
            {t('Undo')}
          </Button>
        )}
      </div>
      {asked !== undefined && (
        <ChangeDialog
          title={question.title}
          confirmLabel={question.confirmLabel}
          before={question.show(value)}
          after={question.show(asked)}
          amounts={[parseAmount(value), parseAmount(asked)]}
          consequence={question.consequence(asked)}
          isPending={save.isPending}
          onClose={() => setAsked(undefined)}
          needsReason
          onConfirm={(reason) =>
            save.mutate(
              { value: asked, reason },
              {
                onSettled: (_saved, error) => {
                  if (!isDecided(error)) return
                  setDraft(null)
                  setAsked(undefined)
                },
              },
            )
          }
        />
      )}
    </form>
  )
}
