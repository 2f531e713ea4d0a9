import { Account } from './Account.ts'
import { Administrator } from './Administrator.ts'
import { AuditEntry } from './AuditEntry.ts'
import { AuditRun } from './AuditRun.ts'
import { CaptchaMark } from './CaptchaMark.ts'
import { ChainBlock } from './ChainBlock.ts'
import { ChainProgress } from './ChainProgress.ts'
import { ChangeEvent } from './ChangeEvent.ts'
import { DailyTotal } from './DailyTotal.ts'
import { Debt } from './Debt.ts'
import { Deposit } from './Deposit.ts'
import { DepositAddress } from './DepositAddress.ts'
import { Distribution } from './Distribution.ts'
import { EmailCode } from './EmailCode.ts'
import { EventStream } from '#api/platform/tables/EventStream.ts'
import { HalfLogin } from './HalfLogin.ts'
import { IdempotencyKey } from '#api/platform/tables/IdempotencyKey.ts'
import { Installation } from './Installation.ts'
import { KnownDevice } from './KnownDevice.ts'
import { Leadership } from '#api/platform/tables/Leadership.ts'
import { LedgerEntry } from './LedgerEntry.ts'
import { Node } from './Node.ts'
import { NodeCount } from './NodeCount.ts'
import { OtpSetup } from './OtpSetup.ts'
import { OutgoingMail } from '#api/platform/tables/OutgoingMail.ts'
import { Payout } from './Payout.ts'
import { PayoutAttempt } from './PayoutAttempt.ts'
import { PayoutWallet } from './PayoutWallet.ts'
import { Purchase } from './Purchase.ts'
import { RateLimit } from '#api/platform/tables/RateLimit.ts'
import { RecoveryCode } from './RecoveryCode.ts'
import { RewardCorrection } from './RewardCorrection.ts'
import { RewardRun } from './RewardRun.ts'
import { RewardSkip } from './RewardSkip.ts'
import { SettingChange } from './SettingChange.ts'
import { StepUpMark } from './StepUpMark.ts'
import { StreamLease } from '#api/platform/tables/StreamLease.ts'
import { Supply } from './Supply.ts'
import { SweepRun } from '#api/platform/tables/SweepRun.ts'
import { User } from './User.ts'
import { VerifiedEmail } from './VerifiedEmail.ts'
import { WalletRegistration } from './WalletRegistration.ts'
import { WebSession } from '#api/platform/tables/WebSession.ts'
import { Withdrawal } from './Withdrawal.ts'

/** Every entity, for the ORM. */
export const entities = [
  Account,
  Administrator,
  AuditEntry,
  AuditRun,
  CaptchaMark,
  ChainBlock,
  ChainProgress,
  ChangeEvent,
  DailyTotal,
  Debt,
  Deposit,
  DepositAddress,
  Distribution,
  EmailCode,
  EventStream,
  HalfLogin,
  IdempotencyKey,
  Installation,
  KnownDevice,
  Leadership,
  LedgerEntry,
  Node,
  NodeCount,
  OtpSetup,
  OutgoingMail,
  Payout,
  PayoutAttempt,
  PayoutWallet,
  Purchase,
  RateLimit,
  RecoveryCode,
  RewardCorrection,
  RewardRun,
  RewardSkip,
  SettingChange,
  StepUpMark,
  StreamLease,
  Supply,
  SweepRun,
  User,
  VerifiedEmail,
  WalletRegistration,
  WebSession,
  Withdrawal,
]
