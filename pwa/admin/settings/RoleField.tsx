import { type AdminRole, adminRoles } from '#shared/adminRoles.ts'
import { t, translate } from '#pwa/i18n/t.ts'
import { SelectField } from '#pwa/ui/SelectField.tsx'
import { roleNames, roleTexts } from '../roleNames.ts'

/** What an administrator is there for, with what that allows. */
export const RoleField = ({ value, onChange }: { value: AdminRole; onChange: (role: AdminRole) => void }) => (
  <SelectField
    label={t('Role')}
    name="role"
    hint={translate(roleTexts[value])}
    value={value}
    onChange={(event) => onChange(event.target.value as AdminRole)}
  >
    {adminRoles.map((role) => (
      <option key={role} value={role}>
        {translate(roleNames[role])}
      </option>
    ))}
  </SelectField>
)
