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
  'Until there is a second one, everything takes effect at once, and nothing is proposed.':
    '두 번째 소유자가 생길 때까지 모든 작업이 제안 없이 바로 적용됩니다.',
  "Couldn't load the proposals": '제안을 불러오지 못했습니다',
  'Nothing was proposed yet.': '아직 제안이 없습니다.',

  // One proposal
  'Change the node price': '노드 가격 변경',
  'Change the daily reward': '일일 보상 변경',
  'Change the withdrawal fee': '출금 수수료 변경',
  'Change the fee recipient': '수수료 수령 주소 변경',
  'Raise the payout cap per hour': '시간당 지급 한도 상향',
  'Raise the payout cap per day': '하루 지급 한도 상향',
  'Change the role of an administrator': '관리자 역할 변경',
  'Remove an administrator': '관리자 삭제',
  'Allow administrators from every address': '모든 주소에서 관리자 접속 허용',
  'Grant bonus nodes': '보너스 노드 지급',
  'Grant due bonus nodes': '미지급 보너스 노드 지급',
  'Approve a purchase without a payment': '결제 없는 구매 승인',
  'Confirm a purchase despite the chain': '체인과 다른 구매 확인',
  'Approve a withdrawal above the limit': '한도를 넘는 출금 승인',
  'Mark a withdrawal above the limit as paid': '한도를 넘는 출금을 지급 완료로 표시',
  'Waits for approval': '승인 대기 중',
  'Approved and done': '승인되어 적용됨',
  'Proposal rejected': '제안이 거부되었습니다',
  'Proposal withdrawn': '제안이 철회되었습니다',
  'Not decided in time': '기한 안에 결정되지 않음',
  'Overtaken by a change': '다른 변경으로 무효가 됨',
  'Reason: {reason}': '사유: {reason}',
  'Proposed by you, {time}': '본인이 제안, {time}',
  'Proposed by {name}, {time}': '{name} 님이 제안, {time}',
  'Can be approved until {time}': '승인 기한: {time}',
  'Decided by {name}, {time}': '{name} 님이 결정, {time}',

  // Decisions
  'Approve proposal': '제안 승인',
  'Reject proposal': '제안 거부',
  'Withdraw proposal': '제안 철회',
  '{name} has proposed this. It takes effect at once when you approve it.': '{name} 님의 제안입니다. 승인하시면 바로 적용됩니다.',
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
