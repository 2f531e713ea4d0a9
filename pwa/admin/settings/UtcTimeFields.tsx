import type { Ref } from 'react'
import { t } from '#pwa/i18n/t.ts'
import { SelectField } from '#pwa/ui/SelectField.tsx'
import { TextField } from '#pwa/ui/TextField.tsx'
import { HOURS, MINUTES, type UtcTime } from './utcTime.ts'

interface UtcTimeFieldsProps {
  value: UtcTime
  onChange: (next: UtcTime) => void
  error?: string | undefined
  dateRef?: Ref<HTMLInputElement>
}

/** Day, hour and minute in UTC, independent of the administrator's time zone. */
export const UtcTimeFields = ({ value, onChange, error, dateRef }: UtcTimeFieldsProps) => (
  <div className="grid grid-cols-2 items-start gap-3 sm:grid-cols-[minmax(0,1fr)_6rem_6rem]">
    <div className="col-span-2 sm:col-span-1">
      <TextField
        ref={dateRef}
        type="date"
        label={t('Date (UTC)')}
        required
        error={error}
        max="9999-12-31"
        value={value.date}
        onChange={({ target }) => onChange({ ...value, date: target.value })}
        className="figures min-w-0 appearance-none"
      />
    </div>
    <TimeSelect label={t('Hour')} choices={HOURS} value={value.hour} onChange={(hour) => onChange({ ...value, hour })} />
    <TimeSelect
      label={t('Minute')}
      choices={MINUTES}
      value={value.minute}
      onChange={(minute) => onChange({ ...value, minute })}
    />
  </div>
)

interface TimeSelectProps {
  label: string
  choices: readonly string[]
  value: string
  onChange: (value: string) => void
}

const TimeSelect = ({ label, choices, value, onChange }: TimeSelectProps) => (
  <SelectField label={label} value={value} onChange={({ target }) => onChange(target.value)} className="figures">
    {/* A value outside of the list, set in another way, is shown as well. */}
    {(choices.includes(value) ? choices : [value, ...choices]).map((choice) => (
      <option key={choice}>{choice}</option>
    ))}
  </SelectField>
)
