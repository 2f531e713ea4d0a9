import { useQuery } from '@tanstack/react-query'
import type { ComponentProps } from 'react'
import { t } from '#pwa/i18n/t.ts'
import { configQuery } from '#pwa/lib/queries.ts'
import type { FieldText } from './Field.tsx'
import { submitOnEnter } from './submitOnEnter.ts'
import { SupportLink } from './SupportLink.tsx'
import { TextField } from './TextField.tsx'

/** Room for the code, its dash and typed spaces. */
const MAX_LENGTH = 20

interface RecoveryCodeFieldProps extends Partial<FieldText>, Omit<ComponentProps<'input'>, 'value' | 'onChange'> {
  value: string
  onChange: (code: string) => void
}

/** An input for one of the ten recovery codes. */
export function RecoveryCodeField({ value, onChange, ...rest }: RecoveryCodeFieldProps) {
  const { data: config } = useQuery(configQuery)
  return (
    <TextField
      hint={
        <>
          {t('One of the ten codes you saved. Each works once.')}
          {config && (
            <span className="block">
              {t('None left? Contact us:')} <SupportLink />
            </span>
          )}
        </>
      }
      autoComplete="off"
      autoCapitalize="characters"
      autoCorrect="off"
      spellCheck={false}
      maxLength={MAX_LENGTH}
      placeholder="ABCDE-FGHJK"
      className="exact text-20! tracking-[0.1em]! uppercase"
      onKeyDown={submitOnEnter}
      {...rest}
      label={t('Recovery code')}
      value={value}
      onChange={(event) => onChange(event.target.value)}
    />
  )
}
