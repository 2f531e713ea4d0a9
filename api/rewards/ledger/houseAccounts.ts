/** The accounts that are no person's, made by the migration; that of the debts, by the first debt. */
export const houseAccounts = {
  rewards: '00000000-0000-7000-8000-000000000001',
  payouts: '00000000-0000-7000-8000-000000000002',
  fees: '00000000-0000-7000-8000-000000000003',
  debts: '00000000-0000-7000-8000-000000000004',
} as const
