/** The accounts that belong to no user. The migration creates them, except `debts`, which the first debt creates. */
export const houseAccounts = {
  rewards: '00000000-0000-7000-8000-000000000001',
  payouts: '00000000-0000-7000-8000-000000000002',
  fees: '00000000-0000-7000-8000-000000000003',
  debts: '00000000-0000-7000-8000-000000000004',
} as const
