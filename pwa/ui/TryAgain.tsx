import { t } from '#pwa/i18n/t.ts'
import { Button } from './Button.tsx'

/** A retry button beside a load error. */
export const TryAgain = ({ isTrying, onPress }: { isTrying: boolean; onPress: () => void }) => (
  <Button variant="secondary" onClick={onPress} isPending={isTrying} pendingLabel={t('Trying...')}>
    {t('Try again')}
  </Button>
)
