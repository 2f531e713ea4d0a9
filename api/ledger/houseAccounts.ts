/**
 * The accounts that are no person's, made by the migration. Their ids sort before every user's, so that whoever locks accounts in the
 * order of their ids locks these first.
 */
export const houseAccounts = {
  rewards: '00000000-0000-7000-8000-000000000001',
  payouts: '00000000-0000-7000-8000-000000000002',
  fees: '00000000-0000-7000-8000-000000000003',
} as const
