import { SettingCard } from './SettingCard.tsx'
import { TextSettingForm } from './TextSettingForm.tsx'
import { useSetting } from './useSetting.ts'

/** What is kept of each withdrawal. */
export function WithdrawalFeeCard() {
  const setting = useSetting('withdrawal_fee_amount', (value) => `A withdrawal costs ${value} XCR.`)
  return (
    <SettingCard {...setting} title="Withdrawal fee">
      {(value) => (
        <TextSettingForm
          settingKey="withdrawal_fee_amount"
          value={value}
          save={setting.save}
          label="Fixed fee (XCR)"
          hint={`At present ${value} XCR of each withdrawal. Withdrawals that are already requested keep their fee.`}
          problem={{ title: 'Invalid Fee', message: 'The fee must be an XCR amount of 0 or more.' }}
          input={{ type: 'number', min: '0', step: 'any', inputMode: 'decimal', className: 'figures' }}
        />
      )}
    </SettingCard>
  )
}
