import { t } from '#pwa/i18n/t.ts'
import { SettingCard } from './SettingCard.tsx'
import { TextSettingForm } from './TextSettingForm.tsx'
import { useSetting } from './useSetting.ts'

/** The price of a node. */
export function NodePriceCard() {
  const setting = useSetting('node_price_usdt', (value) => t('A node costs {price} USDT.', { price: value }))
  return (
    <SettingCard {...setting} title={t('Node price')} proposed={{ key: 'node_price_usdt', show }}>
      {(value) => (
        <TextSettingForm
          settingKey="node_price_usdt"
          value={value}
          save={setting.save}
          label={t('Price of one node (USDT)')}
          hint={t('Currently {price} USDT. Purchases already reserved keep their price.', { price: value })}
          problem={{ title: t('Invalid Price'), message: t('The node price must be a USDT amount above 0.') }}
          input={{ type: 'number', min: '0.1', step: '0.1', inputMode: 'decimal', className: 'figures' }}
          question={{
            title: t('Change the node price?'),
            confirmLabel: t('Change the price'),
            show,
            consequence: () =>
              t('Every purchase from now on costs this, for all buyers. Purchases already reserved keep their price.'),
          }}
        />
      )}
    </SettingCard>
  )
}

const show = (price: string): string => `${price} USDT`
