import type { Texts } from '../Texts.ts'

/** What one administrator proposes and another approves. */
export const adminProposals: Texts = {
  Proposals: '제안',
  proposals: '제안',
  '{count} proposal to approve': '승인할 제안 {count}건',
  '{count} proposals to approve': '승인할 제안 {count}건',
  'What moves much or gives power takes effect when a second person approves it within 24 hours.':
    '큰 금액을 옮기거나 권한을 주는 작업은 24시간 안에 다른 사람이 승인해야 적용됩니다.',
  'There is one owner': '소유자가 한 명입니다',
  'Until there is a second one, everything takes effect at once, except the removal of a lost authenticator: support proposes it, and if the owner removes it alone, that takes 24 hours. What would need a second person asks for your code or passkey, if your login does.':
    '두 번째 소유자가 생길 때까지 모든 작업이 바로 적용됩니다. 분실된 인증 앱의 해제만 예외로, 고객 지원은 이를 제안하고 소유자가 혼자 해제하면 24시간이 걸립니다. 두 사람이 필요한 작업은 로그인에 코드나 패스키를 사용하는 경우 이를 다시 요청합니다.',
  '{count} payment': '결제 {count}건',
  '{count} payments': '결제 {count}건',
  "Couldn't load the proposals": '제안을 불러오지 못했습니다',
  'Nothing was proposed yet.': '아직 제안이 없습니다.',

  // One proposal
  'Waits for approval': '승인 대기 중',
  'Approved and done': '승인되어 적용됨',
  'Proposal rejected': '제안이 거부되었습니다',
  'Proposal withdrawn': '제안이 철회되었습니다',
  'Not decided in time': '기한 안에 결정되지 않음',
  'Overtaken by a change': '다른 변경으로 무효가 됨',
  'Proposed by you, {time}': '본인이 제안, {time}',
  'Proposed by {name}, {time}': '{name} 님이 제안, {time}',
  'Can be approved until {time}': '승인 기한: {time}',
  'Your role cannot approve it.': '이 역할로는 승인할 수 없습니다.',
  'Decided by {name}, {time}': '{name} 님이 결정, {time}',

  'Nothing has changed yet': '아직 바뀐 것이 없습니다',
  'Proposed by you, not done yet': '본인이 제안했으며 아직 적용되지 않았습니다',
  'Proposed by {name}, not done yet': '{name} 님이 제안했으며 아직 적용되지 않았습니다',
  'Nothing changes until another administrator approves it.': '다른 관리자가 승인할 때까지 아무것도 바뀌지 않습니다.',
  'You only propose this. It takes effect when another administrator approves it within 24 hours.':
    '제안만 합니다. 다른 관리자가 24시간 안에 승인해야 적용됩니다.',
  'It may need a second person. If it does, you only propose it, and it takes effect when another administrator approves it within 24 hours.':
    '두 번째 사람이 필요할 수 있습니다. 그런 경우 제안만 되며, 다른 관리자가 24시간 안에 승인해야 적용됩니다.',
  'See the proposal': '제안 보기',
  "Confirm that it's you": '본인 확인',
  'Nobody else has to approve this. It takes effect as soon as you confirm it.':
    '다른 사람의 승인이 필요하지 않습니다. 확인하시면 바로 적용됩니다.',
  Confirm: '확인',

  // Decisions
  'fee {fee} XCR': '수수료 {fee} XCR',
  'of {amount} USDT due': '낼 금액 {amount} USDT',
  '{amount} USDT received': '입금액 {amount} USDT',
  'wallet {address}': '지갑 {address}',
  '{count} account': '계정 {count}개',
  '{count} accounts': '계정 {count}개',
  'to {address}': '받는 주소 {address}',
  'Approve proposal': '제안 승인',
  'Reject proposal': '제안 거부',
  'Withdraw proposal': '제안 철회',
  '{name} has proposed this. It is done as soon as you approve it.': '{name} 님의 제안입니다. 승인하시면 바로 처리됩니다.',
  'Proposal approved': '제안을 승인했습니다',
  'Not approved': '승인하지 못했습니다',
  'Not rejected': '거부하지 못했습니다',
  'Not withdrawn': '철회하지 못했습니다',
  'Reject this proposal?': '이 제안을 거부할까요?',
  '{title}. {name} reads your reason.': '{title}. {name} 님이 사유를 보게 됩니다.',
  'Keep it open': '그대로 두기',
  'Withdraw this proposal?': '이 제안을 철회할까요?',
  '{title}. Nothing happens, and it can be proposed again.': '{title}. 아무것도 바뀌지 않으며 다시 제안할 수 있습니다.',
}
