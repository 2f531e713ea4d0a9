import { t } from '#pwa/i18n/t.ts'
import { SettingCard } from './SettingCard.tsx'
import { TextSettingForm } from './TextSettingForm.tsx'
import { useSetting } from './useSetting.ts'

/** The fee of each withdrawal. */
export function WithdrawalFeeCard() {
  const setting = useSetting('withdrawal_fee_amount', (value) => t('A withdrawal costs {fee} XCR.', { fee: value }))
  return (
    <SettingCard {...setting} title={t('Withdrawal fee')} proposed={{ key: 'withdrawal_fee_amount', show }}>
      {(value) => (
        <TextSettingForm
          settingKey="withdrawal_fee_amount"
          value={value}
          save={setting.save}
          label={t('Fixed fee (XCR)')}
          hint={t('Currently {fee} XCR per withdrawal. Withdrawals already requested keep their fee.', {
            fee: value,
          })}
          problem={{ title: t('Invalid Fee'), message: t('The fee must be an XCR amount of 0 or more.') }}
          input={{ type: 'number', min: '0', step: 'any', inputMode: 'decimal', className: 'figures' }}
          question={{
            title: t('Change the withdrawal fee?'),
            confirmLabel: t('Change the fee'),
            show,
            consequence: () =>
              t(
                'Every withdrawal requested from now on costs this fee, for all users. Withdrawals already requested keep theirs.',
              ),
          }}
        />
      )}
    </SettingCard>
  )
}

const show = (fee: string): string => `${fee} XCR`
