import type { Texts } from '../Texts.ts'

/** What the back office asks before a setting changes, and what the books say of the payout wallet. */
export const adminChanges: Texts = {
  'Now:': '현재:',
  'New:': '변경 후:',
  'This is already the value. Nothing changes.': '이미 이 값으로 설정되어 있어 바뀌는 것이 없습니다.',
  'Change the node price?': '노드 가격을 변경할까요?',
  'Change the price': '가격 변경',
  'Every purchase from now on costs this, for all buyers. Purchases already reserved keep their price.':
    '지금부터 모든 구매자의 새 구매에 이 가격이 적용됩니다. 이미 예약된 구매의 가격은 바뀌지 않습니다.',
  'Change the withdrawal fee?': '출금 수수료를 변경할까요?',
  'Change the fee': '수수료 변경',
  'Every withdrawal requested from now on costs this fee, for all users. Withdrawals already requested keep theirs.':
    '지금부터 모든 사용자의 새 출금 신청에 이 수수료가 적용됩니다. 이미 신청된 출금의 수수료는 바뀌지 않습니다.',
  'Change who receives the fees?': '수수료를 받는 주소를 변경할까요?',
  'Change the recipient': '받는 주소 변경',
  'Payout wallet': '지급 지갑',
  'From the next daily transfer on, all collected fees are sent to this address. Transfers cannot be reversed.':
    '다음 일일 송금부터 모인 수수료가 모두 이 주소로 전송됩니다. 송금은 되돌릴 수 없습니다.',
  'From the next daily transfer on, collected fees stay in the payout wallet.':
    '다음 일일 송금부터 모인 수수료가 지급 지갑에 남습니다.',
  'Change the sales start?': '판매 시작 일시를 변경할까요?',
  'Change the start': '시작 일시 변경',
  'Change the cap per hour?': '시간당 한도를 변경할까요?',
  'Change the cap per day?': '하루 한도를 변경할까요?',
  'Change the cap': '한도 변경',
  'That is {factor} times the present value.': '현재 값의 {factor}배입니다.',
  'The present value is {factor} times that.': '현재 값이 새 값의 {factor}배입니다.',
  'From now on, this cap holds no payout back. Those that wait for it are signed in their order.':
    '지금부터 이 한도로 인해 보류되는 지급은 없습니다. 한도 때문에 대기 중인 지급은 순서대로 서명됩니다.',
  'From now on, no payout is signed for anybody until the cap is raised. Nothing is lost.':
    '지금부터 한도를 올릴 때까지 모든 사용자의 지급이 중지됩니다. 손실되는 것은 없습니다.',
  'From now on, payouts of all users beyond this cap wait in their order. Nothing is lost.':
    '지금부터 이 한도를 넘는 지급은 사용자와 관계없이 신청 순서대로 대기합니다. 손실되는 것은 없습니다.',
  'A comma cannot be read here. Please write it with a decimal point and without commas: 3.5 or 5000.':
    '쉼표는 사용할 수 없습니다. 소수점은 마침표로, 쉼표 없이 입력해 주세요. 예: 3.5 또는 5000.',
  'Please enter at most {limit} XCR.': '{limit} XCR 이하로 입력해 주세요.',
  'Take back': '취소',
  'Take back the rate of {rate}, planned for {time}': '{time}에 예정된 보상 {rate} 취소',
  'Take back the planned rate?': '예정된 보상을 취소할까요?',
  'The daily reward does not change on {time}. Every active node goes on earning what it earned before.':
    '{time}에 일일 보상이 바뀌지 않습니다. 모든 활성 노드는 기존 보상을 계속 받습니다.',
  'Planned, changes nothing': '예정됨, 변경 없음',
  '{rate} XCR, from {time}': '{rate} XCR, {time}부터',
  'Change the daily reward?': '일일 보상을 변경할까요?',
  'Change the reward': '보상 변경',
  'Every active node of every user earns this from the payout on {time}. Rewards already paid stay as they are.':
    '{time} 지급부터 모든 사용자의 활성 노드가 이 보상을 받습니다. 이미 지급된 보상은 바뀌지 않습니다.',
  'Started now': '지금 시작',
  "The start date and the maturity date are cleared for all nodes, at once. This can't be undone.":
    '모든 노드의 시작일과 만기일이 즉시 지워집니다. 되돌릴 수 없습니다.',

  'Balance on the chain': '체인 잔액',
  'not read in this month': '이번 달에 조회한 기록 없음',
  'First balance read, {wallet}': '첫 조회 잔액, {wallet}',
  'Last balance read, {wallet}': '마지막 조회 잔액, {wallet}',
  '{time}, block {block}': '{time}, 블록 {block}',
  'not read': '조회한 기록 없음',
}
