import { type ComponentProps, useState } from 'react'
import { t } from '#pwa/i18n/t.ts'
import { DigitsField } from './DigitsField.tsx'
import type { FieldText } from './Field.tsx'
import { RecoveryCodeField } from './RecoveryCodeField.tsx'
import { TextButton } from './TextButton.tsx'

interface OneTimeCodeFieldProps extends Partial<FieldText>, Omit<ComponentProps<'input'>, 'value' | 'onChange'> {
  value: string
  onChange: (code: string) => void
}

/** An input for the authenticator's six digits or a recovery code. `readOneTimeCode` checks whether it is complete. */
export function OneTimeCodeField({ value, onChange, label, ...rest }: OneTimeCodeFieldProps) {
  const [isRecovery, setRecovery] = useState(false)

  function change(toRecovery: boolean) {
    setRecovery(toRecovery)
    onChange('')
  }

  return (
    <div>
      {isRecovery ? (
        <RecoveryCodeField {...rest} value={value} onChange={onChange} autoFocus />
      ) : (
        <DigitsField {...rest} label={label ?? t('6-digit code')} value={value} onChange={onChange} />
      )}
      <TextButton onClick={() => change(!isRecovery)}>
        {t(isRecovery ? 'Use the authenticator code' : 'Use a recovery code')}
      </TextButton>
    </div>
  )
}
