import { SettingCard } from './SettingCard.tsx'
import { TextSettingForm } from './TextSettingForm.tsx'
import { useSetting } from './useSetting.ts'

/** What a node costs. */
export function NodePriceCard() {
  const setting = useSetting('node_price_usdt', (value) => `A node costs ${value} USDT.`)
  return (
    <SettingCard {...setting} title="Node price">
      {(value) => (
        <TextSettingForm
          settingKey="node_price_usdt"
          value={value}
          save={setting.save}
          label="Price of one node (USDT)"
          hint={`At present ${value} USDT. Purchases that are already reserved keep their price.`}
          problem={{ title: 'Invalid Price', message: 'The node price must be a USDT amount above 0.' }}
          input={{ type: 'number', min: '0.1', step: '0.1', inputMode: 'decimal', className: 'figures' }}
        />
      )}
    </SettingCard>
  )
}
