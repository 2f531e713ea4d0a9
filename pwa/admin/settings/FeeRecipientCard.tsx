import { t } from '#pwa/i18n/t.ts'
import { SettingCard } from './SettingCard.tsx'
import { TextSettingForm } from './TextSettingForm.tsx'
import { useSetting } from './useSetting.ts'

/** The address that receives the fees once a day. */
export function FeeRecipientCard() {
  const setting = useSetting('fee_recipient_address', (value) =>
    value ? t('Fees are sent to {address}.', { address: value }) : t('Fees stay in the payout wallet.'),
  )
  return (
    <SettingCard {...setting} title={t('Fee recipient address')} proposed={{ key: 'fee_recipient_address', show }}>
      {(value) => (
        <TextSettingForm
          settingKey="fee_recipient_address"
          value={value}
          save={setting.save}
          label={t('Wallet address')}
          hint={t(
            value
              ? 'Collected fees are sent there once a day. If empty, they stay in the payout wallet.'
              : 'None set. Fees stay in the payout wallet.',
          )}
          problem={{ title: t('Invalid Address'), message: t('Please enter a valid Ethereum wallet address.') }}
          input={{ placeholder: '0x…', autoCapitalize: 'none', maxLength: 64, className: 'exact text-14!' }}
          question={{
            title: t('Change who receives the fees?'),
            confirmLabel: t('Change the recipient'),
            show,
            consequence: (next) =>
              next
                ? t('From the next daily transfer on, all collected fees are sent to this address. Transfers cannot be reversed.')
                : t('From the next daily transfer on, collected fees stay in the payout wallet.'),
          }}
        />
      )}
    </SettingCard>
  )
}

const show = (address: string): string => address || t('Payout wallet')
