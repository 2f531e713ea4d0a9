import { AccountSchema } from './Account.ts'
import { AdminInvitationSchema } from './AdminInvitation.ts'
import { AdministratorSchema } from './Administrator.ts'
import { AnnouncementSchema } from './Announcement.ts'
import { ArchivedMonthSchema } from './ArchivedMonth.ts'
import { AuditEntrySchema } from './AuditEntry.ts'
import { AuditRunSchema } from './AuditRun.ts'
import { CaptchaMarkSchema } from './CaptchaMark.ts'
import { CarriedSumSchema } from './CarriedSum.ts'
import { BlockToRereadSchema } from './BlockToReread.ts'
import { ChainBlockSchema } from './ChainBlock.ts'
import { ChainProgressSchema } from './ChainProgress.ts'
import { ChangeEventSchema } from './ChangeEvent.ts'
import { DailyTotalSchema } from './DailyTotal.ts'
import { DebtSchema } from './Debt.ts'
import { DepositSchema } from './Deposit.ts'
import { DepositAddressSchema } from './DepositAddress.ts'
import { DepositDecisionSchema } from './DepositDecision.ts'
import { ArchivedDistributionSchema, DistributionSchema } from './Distribution.ts'
import { EmailCodeSchema } from './EmailCode.ts'
import { EventStreamSchema } from '#api/platform/tables/EventStream.ts'
import { FreezeTokenSchema } from './FreezeToken.ts'
import { HalfLoginSchema } from './HalfLogin.ts'
import { IdempotencyKeySchema } from '#api/platform/tables/IdempotencyKey.ts'
import { InboxMessageSchema } from './InboxMessage.ts'
import { IncidentSchema } from './Incident.ts'
import { InstallationSchema } from '#api/platform/tables/Installation.ts'
import { KnownDeviceSchema } from './KnownDevice.ts'
import { LeadershipSchema } from '#api/platform/tables/Leadership.ts'
import { ArchivedLedgerEntrySchema, LedgerEntrySchema } from './LedgerEntry.ts'
import { MessageChoiceSchema } from './MessageChoice.ts'
import { NodeSchema } from './Node.ts'
import { NodeCountSchema } from './NodeCount.ts'
import { OtpSetupSchema } from './OtpSetup.ts'
import { OutgoingMailSchema } from '#api/platform/tables/OutgoingMail.ts'
import { OutgoingPushSchema } from './OutgoingPush.ts'
import { PasskeySchema } from './Passkey.ts'
import { PasskeyChallengeSchema } from './PasskeyChallenge.ts'
import { PayoutSchema } from './Payout.ts'
import { PayoutAttemptSchema } from './PayoutAttempt.ts'
import { PayoutWalletSchema } from './PayoutWallet.ts'
import { PayoutWalletReadingSchema } from './PayoutWalletReading.ts'
import { ProofKeySchema } from './ProofKey.ts'
import { ProposalSchema } from './Proposal.ts'
import { PurchaseSchema } from './Purchase.ts'
import { PushSubscriptionSchema } from './PushSubscription.ts'
import { RateLimitSchema } from '#api/platform/tables/RateLimit.ts'
import { RecoveryCodeSchema } from './RecoveryCode.ts'
import { RegisterBalanceSchema } from './RegisterBalance.ts'
import { RegisterAnchorSchema } from './RegisterAnchor.ts'
import { RegisterAnchoringSchema } from './RegisterAnchoring.ts'
import { RegisterCheckpointSchema } from './RegisterCheckpoint.ts'
import { RegisterDaySchema } from './RegisterDay.ts'
import { RegisterEntrySchema } from './RegisterEntry.ts'
import { RegisterGroupSchema } from './RegisterGroup.ts'
import { RegisterReceiptSchema } from './RegisterReceipt.ts'
import { RegisterStateSchema } from './RegisterState.ts'
import { ReviewedWalletSchema } from './ReviewedWallet.ts'
import { RewardCorrectionSchema } from './RewardCorrection.ts'
import { RewardRunSchema } from './RewardRun.ts'
import { RewardSkipSchema } from './RewardSkip.ts'
import { SettingChangeSchema } from './SettingChange.ts'
import { StepUpMarkSchema } from './StepUpMark.ts'
import { StreamLeaseSchema } from '#api/platform/tables/StreamLease.ts'
import { SupplySchema } from './Supply.ts'
import { SweepRunSchema } from '#api/platform/tables/SweepRun.ts'
import { UserSchema } from './User.ts'
import { UserNoteSchema } from './UserNote.ts'
import { VerifiedEmailSchema } from './VerifiedEmail.ts'
import { WalletBalanceSchema } from './WalletBalance.ts'
import { WalletRegistrationSchema } from './WalletRegistration.ts'
import { WebSessionSchema } from '#api/platform/tables/WebSession.ts'
import { WithdrawalSchema } from './Withdrawal.ts'

/** All entities, for the ORM and for the query types (`tables.ts`). */
export const entities = [
  AccountSchema,
  AdminInvitationSchema,
  AdministratorSchema,
  AnnouncementSchema,
  ArchivedDistributionSchema,
  ArchivedLedgerEntrySchema,
  ArchivedMonthSchema,
  AuditEntrySchema,
  AuditRunSchema,
  CaptchaMarkSchema,
  CarriedSumSchema,
  BlockToRereadSchema,
  ChainBlockSchema,
  ChainProgressSchema,
  ChangeEventSchema,
  DailyTotalSchema,
  DebtSchema,
  DepositSchema,
  DepositAddressSchema,
  DepositDecisionSchema,
  DistributionSchema,
  EmailCodeSchema,
  EventStreamSchema,
  FreezeTokenSchema,
  HalfLoginSchema,
  IdempotencyKeySchema,
  InboxMessageSchema,
  IncidentSchema,
  InstallationSchema,
  KnownDeviceSchema,
  LeadershipSchema,
  LedgerEntrySchema,
  MessageChoiceSchema,
  NodeSchema,
  NodeCountSchema,
  OtpSetupSchema,
  OutgoingMailSchema,
  OutgoingPushSchema,
  PasskeySchema,
  PasskeyChallengeSchema,
  PayoutSchema,
  PayoutAttemptSchema,
  PayoutWalletSchema,
  PayoutWalletReadingSchema,
  ProofKeySchema,
  ProposalSchema,
  PurchaseSchema,
  PushSubscriptionSchema,
  RateLimitSchema,
  RecoveryCodeSchema,
  RegisterBalanceSchema,
  RegisterAnchorSchema,
  RegisterAnchoringSchema,
  RegisterCheckpointSchema,
  RegisterDaySchema,
  RegisterEntrySchema,
  RegisterGroupSchema,
  RegisterReceiptSchema,
  RegisterStateSchema,
  ReviewedWalletSchema,
  RewardCorrectionSchema,
  RewardRunSchema,
  RewardSkipSchema,
  SettingChangeSchema,
  StepUpMarkSchema,
  StreamLeaseSchema,
  SupplySchema,
  SweepRunSchema,
  UserSchema,
  UserNoteSchema,
  VerifiedEmailSchema,
  WalletBalanceSchema,
  WalletRegistrationSchema,
  WebSessionSchema,
  WithdrawalSchema,
]
