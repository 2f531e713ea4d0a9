import type { Texts } from '../Texts.ts'

/** Texts of the server and shared/ for administrators; {name} stands for any value. */
export const adminServer: Texts = {
  'The number of due bonus nodes is {due} now. Please check the quantity.':
    '현재 미지급 보너스 노드는 {due}개입니다. 수량을 확인해 주세요.',

  // What two persons decide
  'Invite an administrator': '관리자 초대',
  'Reset vesting': '베스팅 초기화',
  'Change the node price (USDT)': '노드 가격 변경 (USDT)',
  'Change the daily reward (XCR)': '일일 보상 변경 (XCR)',
  'Change the withdrawal fee (XCR)': '출금 수수료 변경 (XCR)',
  'Change the fee recipient': '수수료 수령 주소 변경',
  'Raise the payout cap per hour (XCR)': '시간당 지급 한도 상향 (XCR)',
  'Raise the payout cap per day (XCR)': '하루 지급 한도 상향 (XCR)',
  'Change the role of an administrator': '관리자 역할 변경',
  'Remove an administrator': '관리자 삭제',
  'Allow administrators from another address': '다른 주소에서 관리자 접속 허용',
  'Remove the authenticator of an account': '계정의 인증 앱 해제',
  'Grant bonus nodes': '보너스 노드 지급',
  'Grant due bonus nodes': '미지급 보너스 노드 지급',
  'Assign a payment below the price or to another account': '금액이 부족하거나 다른 계정으로 보내는 결제 배정',
  'Approve a purchase that its wallet has not paid in full': '등록된 지갑에서 전액이 결제되지 않은 구매 승인',
  'Confirm a purchase with a transaction': '거래로 구매 확인',
  'Confirm a purchase despite an objection': '예외로 구매 확인',
  'Approve a withdrawal above the limit': '한도를 넘는 출금 승인',
  'Mark a withdrawal above the limit as paid': '한도를 넘는 출금을 지급 완료로 표시',
  'Allow administrators from every address': '모든 주소에서 관리자 접속 허용',

  // The way in
  'Invalid username or password.': '사용자 이름 또는 비밀번호가 올바르지 않습니다.',
  'Your login has expired. Please log in again.': '로그인이 만료되었습니다. 다시 로그인해 주세요.',
  'This request came through a proxy, but TRUSTED_PROXIES says there is none. The administrator area stays closed until it is set to the number of proxies.':
    '프록시를 거친 요청이지만 TRUSTED_PROXIES에는 프록시가 없다고 설정되어 있습니다. 프록시 수를 설정할 때까지 관리자 영역은 닫혀 있습니다.',
  'Your IP address ({address}) is not allowed in the administrator area.':
    '현재 IP 주소({address})에서는 관리자 영역을 사용할 수 없습니다.',

  'Your role does not allow this. An owner can give you another one.':
    '회원님의 역할로는 이 작업을 할 수 없습니다. 소유자가 역할을 변경할 수 있습니다.',
  'This invitation has expired, was used or was withdrawn. Ask for a new one.':
    '초대가 만료되었거나 이미 사용되었거나 취소되었습니다. 새 초대를 요청해 주세요.',
  'Please enter a username.': '사용자 이름을 입력해 주세요.',
  'Please enter a month as YYYY-MM.': '월을 YYYY-MM 형식으로 입력해 주세요.',

  'Another administrator has changed this meanwhile. Please look at the present value before you save yours.':
    '그사이 다른 관리자가 변경했습니다. 저장하기 전에 현재 값을 확인해 주세요.',

  // Proposals
  'Proposed. Another administrator has to approve it within 24 hours.':
    '제안했습니다. 24시간 안에 다른 관리자가 승인해야 합니다.',
  'This account has no authenticator.': '이 계정에는 인증 앱이 없습니다.',
  'No removal of the authenticator is planned.': '예약된 인증 앱 해제가 없습니다.',
  'The authenticator will be removed in 24 hours. The user is notified.':
    '24시간 후 인증 앱이 해제됩니다. 사용자에게 알렸습니다.',
  'The authenticator is removed. The user is notified.': '인증 앱을 해제했습니다. 사용자에게 알렸습니다.',
  'The authenticator stays.': '인증 앱이 유지됩니다.',
  'There is no such proposal.': '해당 제안이 없습니다.',
  'This proposal is no longer open. Please look at the list again.': '이 제안은 이미 종료되었습니다. 목록을 다시 확인해 주세요.',
  'Another administrator has to decide on your proposal.': '회원님의 제안은 다른 관리자가 결정해야 합니다.',
  'This is not the proposal that you were shown. Please look at it again.':
    '확인하신 제안과 다릅니다. 제안을 다시 확인해 주세요.',
  'Its proposer may no longer propose this. Please reject it.': '제안자에게 더 이상 권한이 없습니다. 제안을 거부해 주세요.',
  'What it would change has changed meanwhile. Please propose it again.':
    '변경하려던 값이 그사이 바뀌었습니다. 다시 제안해 주세요.',
  'At most {count} of your proposals can be open. Please withdraw some, or wait until they are decided.':
    '결정되지 않은 제안은 한 사람당 최대 {count}건입니다. 일부를 철회하거나 결정을 기다려 주세요.',
  'What it would have changed has changed meanwhile.': '변경하려던 값이 그사이 바뀌었습니다.',
  'The proposal is approved.': '제안이 승인되었습니다.',
  'The proposal is rejected.': '제안이 거부되었습니다.',
  'The proposal is withdrawn.': '제안이 철회되었습니다.',

  // Settings
  'An administrator has this e-mail address already.': '이미 이 이메일 주소를 쓰는 관리자가 있습니다.',
  'There is no such open invitation.': '대기 중인 초대가 없습니다.',
  'There is no such administrator.': '해당 관리자가 없습니다.',
  'Somebody must stay an owner. Make somebody else an owner first.':
    '소유자가 한 명 이상 있어야 합니다. 먼저 다른 관리자를 소유자로 지정해 주세요.',
  'This username is already taken.': '다른 관리자가 사용 중인 사용자 이름입니다.',
  'This username was used before. Please choose another one.': '예전에 사용된 사용자 이름입니다. 다른 이름을 선택해 주세요.',
  'The current password is incorrect.': '현재 비밀번호가 올바르지 않습니다.',
  'Please enter the current password.': '현재 비밀번호를 입력해 주세요.',
  'Please enter a new username or a new password.': '새 사용자 이름이나 새 비밀번호를 입력해 주세요.',
  'At most {count} IP addresses can be allowed.': 'IP 주소는 최대 {count}개까지 허용할 수 있습니다.',
  'Please choose on or off: "true" or "false".': '켜기 또는 끄기를 선택해 주세요("true" 또는 "false").',
  'The sales start must be a date and time in UTC, in steps of 15 minutes, or empty.':
    '판매 시작은 15분 단위의 UTC 날짜와 시각이거나 비어 있어야 합니다.',
  'The fee must be an XCR amount of 0 or more.': '수수료는 0 이상의 XCR 수량이어야 합니다.',
  'The fee recipient must be a wallet address (0x + 40 hex characters), or empty.':
    '수수료 수령 주소는 지갑 주소(0x와 16진수 40자)이거나 비어 있어야 합니다.',
  'The fee recipient must not be the contract of XCR, which keeps what it is sent.':
    '수수료 수령 주소는 받은 토큰을 돌려주지 않는 XCR 컨트랙트일 수 없습니다.',
  'The fee recipient must not be a payout wallet, which would only pay itself.':
    '수수료 수령 주소는 지급 지갑일 수 없습니다. 자기 자신에게 지급하게 됩니다.',
  'The node price must be a USDT amount above 0.': '노드 가격은 0보다 큰 USDT 금액이어야 합니다.',
  'The daily reward must be an XCR amount of 0 or more.': '일일 보상은 0 이상의 XCR 수량이어야 합니다.',
  'The effective time must not be in the past. Rewards already paid keep their rate.':
    '적용 시각은 과거일 수 없습니다. 이미 지급된 보상의 비율은 바뀌지 않습니다.',
  'Vesting has not been started.': '베스팅이 시작되지 않았습니다.',
  'Vesting has already been started.': '베스팅이 이미 시작되었습니다.',
  'Not a whole number.': '정수가 아닙니다.',
  'There is no such user.': '해당 사용자가 없습니다.',
  'enter a valid user ID and quantity': '올바른 사용자 ID와 수량을 입력해 주세요',

  // Purchases and deposits
  'Please enter something to find.': '검색어를 입력해 주세요.',
  'Please enter a reason.': '사유를 입력해 주세요.',
  'Please enter a note.': '메모를 입력해 주세요.',
  'Please enter a note explaining why.': '이유를 메모에 입력해 주세요.',
  'Specify a purchase, or an account and a quantity.': '구매 건을 지정하거나, 계정과 수량을 지정해 주세요.',
  'Only deposits from one sender can be processed together.': '한 주소에서 보낸 입금만 함께 처리할 수 있습니다.',
  'This payment is for an open purchase, which the rest of the money would complete. Cancel or reject the purchase first.':
    '이 결제는 아직 진행 중인 구매의 결제이며, 나머지 금액이 들어오면 구매가 완료됩니다. 먼저 구매를 취소하거나 거절하세요.',
  'There is no such deposit.': '해당 입금 내역이 없습니다.',
  'This deposit is not final yet. It will be processed automatically.':
    '아직 확정되지 않은 입금입니다. 확정되면 자동으로 처리됩니다.',
  'The account of this withdrawal is frozen. It can be approved once the account is thawed, or rejected now.':
    '이 출금의 계정이 동결되어 있습니다. 동결이 해제된 후 승인하거나 지금 거절할 수 있습니다.',
  'This withdrawal is on hold because the account was changed. Please enter a reason to approve it now.':
    '계정이 변경되어 보류된 출금입니다. 지금 승인하시려면 사유를 입력해 주세요.',
  'This payment paid for no nodes. If its transaction is mined again, it returns to its former state by itself.':
    '이 입금으로 지급된 노드가 없습니다. 거래가 다시 채굴되면 이전 상태로 자동으로 돌아갑니다.',
  'This deposit is {state} and can no longer be changed.': '이 입금의 상태는 ‘{state}’이며, 더 이상 변경할 수 없습니다.',
  'This payment has changed since you were shown it. Nothing was decided. Please look at the list again.':
    '화면에 표시된 이후 이 결제의 상태가 바뀌었습니다. 결정된 내용은 없습니다. 목록을 다시 확인해 주세요.',
  'This transaction already refunded another deposit.': '이미 다른 입금의 환불에 사용된 거래입니다.',
  'This transaction failed.': '실패한 거래입니다.',
  'This transaction is not final yet. Please try again in a moment.':
    '아직 확정되지 않은 거래입니다. 잠시 후 다시 시도해 주세요.',
  'This transaction is older than the deposit.': '입금보다 오래된 거래입니다.',
  'This transaction transfers no USDT to {address}, the sender of the deposit.':
    '이 거래는 입금을 보낸 주소({address})로 USDT를 전송하지 않았습니다.',
  'This transaction transfers more than the {amount} USDT of the deposit.':
    '이 거래의 전송 금액이 입금액 {amount} USDT보다 많습니다.',
  'This transaction returns {refund} of {amount} USDT. Please enter the reason for the difference.':
    '이 거래는 {amount} USDT 중 {refund} USDT만 돌려주었습니다. 금액이 적은 이유를 입력해 주세요.',
  'This transaction transfers {paid} USDT, but the purchase costs {amount} USDT.':
    '이 거래의 전송 금액은 {paid} USDT이고, 구매 금액은 {amount} USDT입니다.',
  'Another account has proven that the wallet of this payment is its own: {account}. The account of the purchase has not.':
    '다른 계정({account})이 이 결제를 보낸 지갑의 소유를 증명했습니다. 구매한 계정은 증명하지 않았습니다.',
  'Another account was the last to prove that the wallet of this payment is its own: {account}.':
    '이 결제를 보낸 지갑의 소유를 마지막으로 증명한 것은 다른 계정({account})입니다.',
  'This payment is recorded as one of another account: {account}.': '이 결제는 다른 계정({account})의 결제로 기록되어 있습니다.',
  'This payment was reported for a purchase of another account: {account}.':
    '이 결제는 다른 계정({account})의 구매에 대한 결제로 신고되었습니다.',
  'The payment was sent from {wallet}, another wallet than that of the purchase.':
    '구매에 등록된 지갑이 아닌 {wallet}에서 보낸 결제입니다.',
  'The purchase costs {price} USDT. At the price in force when it was opened, {due} USDT is due.':
    '구매 금액은 {price} USDT이지만, 구매를 시작한 시점의 가격으로는 {due} USDT를 내야 합니다.',
  'Final payments of {received} USDT count for this, but {due} USDT is due.':
    '확정된 결제 금액은 {received} USDT이고, 내야 할 금액은 {due} USDT입니다.',
  'Final payments of {received} USDT count for this, but only {due} USDT is due. The rest buys nothing.':
    '확정된 결제 금액은 {received} USDT이지만, 내야 할 금액은 {due} USDT뿐입니다. 나머지 금액으로는 노드가 배정되지 않습니다.',
  'The database was restored after this payment. Look up whether it was refunded before.':
    '이 결제 후 데이터베이스가 복원되었습니다. 이미 환불되었는지 먼저 확인해 주세요.',
  'This transaction transfers no USDT.': 'USDT를 전송하지 않은 거래입니다.',
  'This transaction transfers USDT to an address other than the deposit address.':
    '입금 주소가 아닌 다른 주소로 USDT를 전송한 거래입니다.',
  'The database was restored after a payment for this purchase. Look up whether it was refunded, then mark it as refunded or assign it.':
    '이 구매에 대한 결제 후 데이터베이스가 복원되었습니다. 환불되었는지 확인한 뒤 환불로 표시하거나 배정해 주세요.',
  'This transaction has already been used.': '이미 사용된 거래입니다.',
  'The endpoints {hosts} contradict each other about this transaction. It cannot be verified now. Please try again.':
    '엔드포인트 {hosts}에서 이 거래에 대한 응답이 서로 다릅니다. 지금은 거래를 검증할 수 없습니다. 다시 시도해 주세요.',
  'Only one endpoint answers ({host}). The transaction cannot be verified now. Please try again.':
    '엔드포인트 중 하나({host})만 응답합니다. 지금은 거래를 검증할 수 없습니다. 다시 시도해 주세요.',
  'Only one endpoint knows this transaction ({host}). It cannot be verified now. Please try again.':
    '엔드포인트 중 하나({host})에서만 이 거래를 찾을 수 있습니다. 지금은 거래를 검증할 수 없습니다. 다시 시도해 주세요.',
  'The payment chain does not show this deposit as recorded. Please try again in a moment.':
    '결제 체인에서 이 입금을 읽은 내용과 같게 확인할 수 없습니다. 잠시 후 다시 시도해 주세요.',

  // Withdrawals
  'A transaction for this withdrawal is already signed. Only that transaction may pay it.':
    '이 출금을 지급하는 거래가 이미 서명되었습니다. 그 거래로만 지급할 수 있습니다.',
  'Its transaction can never be mined because another one used its nonce. It can only be rejected.':
    '다른 거래가 같은 논스를 사용하여 이 거래는 블록에 포함될 수 없습니다. 거절만 가능합니다.',
  'This transaction pays another withdrawal.': '다른 출금을 지급한 거래입니다.',
  'This withdrawal was already rejected. It will be refunded once its nonce is used.':
    '이미 거절된 출금입니다. 논스가 사용되면 환불됩니다.',
  'Payouts are stopped, and this withdrawal may have been paid. Run `npm run admin -- reconcile-payouts` to check before you reject it.':
    '지급이 중지되어 있으며 이 출금은 이미 지급되었을 수 있습니다. `npm run admin -- reconcile-payouts`로 확인한 뒤에 거절해 주세요.',
  'This transaction is older than the withdrawal.': '출금 요청보다 오래된 거래입니다.',
  'This transaction does not transfer exactly {amount} XCR to {address}.':
    '이 거래는 정확히 {amount} XCR을 {address} 주소로 전송하지 않았습니다.',
  'This transaction is not on the reward chain.': '보상 체인에서 이 거래를 찾을 수 없습니다.',

  // Actions
  'The allowed IP addresses are saved.': '허용할 IP 주소를 저장했습니다.',
  'All IP restrictions are removed.': '모든 IP 제한을 해제했습니다.',
  'Vesting has started.': '베스팅을 시작했습니다.',
  'Vesting is reset.': '베스팅을 초기화했습니다.',
  'The credentials are changed.': '계정 정보를 변경했습니다.',
  'The deposit is assigned, and its nodes are allocated.': '입금을 배정하고 노드를 지급했습니다.',
  'The deposit is marked as refunded.': '입금을 환불 처리했습니다.',
  'The deposit is ignored.': '입금을 무시했습니다.',
  'Withdrawals are on hold for 24 hours.': '24시간 동안 출금이 보류됩니다.',
  'No withdrawal is on its way.': '지급 중인 출금은 없습니다.',
  'Withdrawals that are signed already and will be paid: {count}.': '이미 서명되어 지급되는 출금: {count}건.',
  'The nodes earn again.': '노드의 보상을 재개했습니다.',
  '{nodes} granted to {email}.': '{email} 계정에 {nodes}를 지급했습니다.',
  '{nodes} granted.': '{nodes}를 지급했습니다.',
  '1 bonus node is': '보너스 노드 1개',
  '{count} bonus nodes are': '보너스 노드 {count}개',
  'Nothing is due anymore.': '더 이상 지급할 보너스가 없습니다.',
  'The purchase is confirmed.': '구매를 확인했습니다.',
  'The withdrawal is approved.': '출금을 승인했습니다.',
  'The withdrawal is rejected and refunded.': '출금을 거절하고 환불했습니다.',
  'The withdrawal is rejected. It will be refunded once its nonce is used on the chain.':
    '출금을 거절했습니다. 체인에서 논스가 소진되면 환불됩니다.',
  'The withdrawal is marked as paid.': '출금을 지급 처리했습니다.',

  // The audit log
  'The note is saved.': '메모를 저장했습니다.',

  // The health of the installation
  '1 second': '1초',
  '{count} days': '{count}일',
  'Ledger audit': '장부 감사',
  'not run yet': '아직 실행되지 않음',
  'A worker runs it once a day. Check that a worker is running.': '워커가 매일 실행합니다. 워커가 실행 중인지 확인해 주세요.',
  '{count} differences, {when}: {text}': '차이 {count}건, {when}: {text}',
  'Money may be at risk. Run `npm run audit` to see all differences, and contact the operator.':
    '자금과 관련된 문제일 수 있습니다. `npm run audit`로 모두 확인하고 서비스 운영 담당자에게 연락해 주세요.',
  'some parts could not be checked, {when}: {text}': '일부를 확인하지 못함, {when}: {text}',
  'Check the endpoints of both chains, then run `npm run audit`.':
    '두 체인의 엔드포인트를 확인한 뒤 `npm run audit`를 실행해 주세요.',
  'everything agreed, {when}; with old blocks and archived rows {since}':
    '모두 일치, {when} (오래된 블록과 보관된 기록까지 확인한 것은 {since})',
  'everything agreed, {when}; old blocks and archived rows were not read':
    '모두 일치, {when} (오래된 블록과 보관된 기록은 확인하지 않음)',
  'Unmatched deposits': '미확인 입금',
  '{count}: {amount} USDT in total, oldest waiting {age}': '{count}건, 합계 {amount} USDT, 가장 오래된 것은 {age} 경과',
  'Open Purchases and resolve them under Review. Buyers are promised a decision within five business days.':
    '구매 탭의 검토 목록에서 처리해 주세요. 구매자에게는 최대 5영업일이 걸린다고 안내되어 있습니다.',
  'Withdrawals in review': '검토 중인 출금',
  '{count}: {amount} XCR in total, oldest waiting {age}': '{count}건, 합계 {amount} XCR, 가장 오래된 것은 {age} 경과',
  'Open Withdrawals and approve or reject them. Nothing is paid until then.':
    '출금 탭에서 승인하거나 거절해 주세요. 그때까지는 지급되지 않습니다.',
  'Deposit watcher': '입금 감시',
  'nothing read yet': '아직 읽은 블록이 없음',
  'read up to block {block} of {head}, which is {age} old': '{head} 중 {block}번 블록까지 읽음, {age} 전 블록',
  'Check that a watcher is running and that its endpoints answer. Until then, no payment is found and nothing expires.':
    '감시 프로세스가 실행 중이고 엔드포인트가 응답하는지 확인해 주세요. 그동안은 결제가 확인되지 않고 예약도 만료되지 않습니다.',
  'Payment verification': '결제 신뢰 기준',
  'payments are accepted from a single endpoint ({host})': '엔드포인트 하나({host})의 응답만으로 결제를 인정함',
  'payments are accepted when two of {count} hosts agree; {answering} answer':
    '호스트 {count}개 중 2개의 응답이 일치하면 결제를 인정함, 응답 {answering}개',
  'Payments wait until two hosts answer, and none can be confirmed manually. Check the payment chain endpoints.':
    '두 호스트가 응답할 때까지 결제 확인이 대기하며 수동 확인도 할 수 없습니다. 결제 체인의 엔드포인트를 확인해 주세요.',
  'Payment chain, {endpoint}': '결제 체인, {endpoint}',
  'Reward chain, {endpoint}': '보상 체인, {endpoint}',
  'endpoint {number} ({host})': '엔드포인트 {number} ({host})',
  'does not answer within {count} seconds': '{count}초 안에 응답하지 않음',
  'does not answer': '응답하지 않음',
  'has no block': '블록 없음',
  'No endpoint of this chain answers. Until one does, nothing is read from it or sent to it. Contact the provider or configure another endpoint.':
    '이 체인의 엔드포인트가 모두 응답하지 않습니다. 하나라도 응답할 때까지 이 체인에서 읽거나 보내지 않습니다. 제공업체에 문의하거나 다른 엔드포인트를 설정해 주세요.',
  'Contact its provider or configure another endpoint. The other endpoints are used in the meantime.':
    '제공 업체에 문의하거나 설정에서 다른 주소로 바꾸어 주세요. 그동안은 다른 엔드포인트를 사용합니다.',
  'block {number}, {age} old, {behind} behind the best, {ahead} ahead of the watcher':
    '{number}번 블록, {age} 전, 최신보다 {behind}블록 뒤, 감시보다 {ahead}블록 앞',
  'block {number}, {age} old, {behind} behind the best': '{number}번 블록, {age} 전, 최신보다 {behind}블록 뒤',
  'block {number}, {age} old, {ahead} ahead of the watcher': '{number}번 블록, {age} 전, 감시보다 {ahead}블록 앞',
  'block {number}, {age} old': '{number}번 블록, {age} 전',
  'It is behind. Contact its provider or configure another endpoint.':
    '더 최신 블록을 알지 못합니다. 제공 업체에 문의하거나 설정에서 다른 주소로 바꾸어 주세요.',
  Payouts: '지급',
  '{count} to be paid, {amount} XCR': '지급 예정 {count}건, {amount} XCR',
  'stopped: {reason}': '중지됨: {reason}',
  'No payouts are sent. Find out where else the key is used, then run `npm run admin -- reconcile-payouts`.':
    '지급이 이루어지지 않고 있습니다. 키를 누가 함께 사용하는지 확인한 뒤 `npm run admin -- reconcile-payouts`를 실행해 주세요.',
  'Payout caps': '지급 한도',
  'none: any amount can be paid within an hour': '없음: 한 시간에 지급할 수 있는 수량에 제한이 없습니다',
  '{signed} of {limit} XCR in the last hour': '최근 1시간 {limit} XCR 중 {signed} XCR',
  '{signed} of {limit} XCR in the last day': '최근 24시간 {limit} XCR 중 {signed} XCR',
  'Payout cap per hour': '시간당 지급 한도',
  'Payout cap per day': '하루 지급 한도',
  '{cap}, set in the panel': '{cap}(관리자 패널에서 설정)',
  'Set PAYOUT_CAP_HOUR and PAYOUT_CAP_DAY, or caps in the settings.':
    'PAYOUT_CAP_HOUR와 PAYOUT_CAP_DAY 또는 설정의 지급 한도를 지정해 주세요.',
  'The environment allows at most {cap} XCR.': '환경 설정에서 허용하는 최대 한도는 {cap} XCR입니다.',
  'The incident is on the status page.': '서비스 상태 페이지에 장애가 표시됩니다.',
  'The status page shows the new text.': '서비스 상태 페이지에 새 내용이 표시됩니다.',
  'The status page says that it is resolved.': '서비스 상태 페이지에 해결됨으로 표시됩니다.',
  'The incident was already resolved.': '이미 해결된 장애입니다.',
  'Incident not found.': '장애를 찾을 수 없습니다.',
  'Please fill in title and text in English. Korean is optional.': '영어 제목과 내용을 입력해 주세요. 한국어는 선택 사항입니다.',
  'The message is being sent to all users.': '모든 사용자에게 메시지를 보내고 있습니다.',
  'Please fill in title and text in both languages.': '두 언어의 제목과 내용을 모두 입력해 주세요.',
  'Invisible characters are not allowed.': '보이지 않는 문자는 사용할 수 없습니다.',
  'Links, domains, email and wallet addresses are not allowed. Write a space after each full stop.':
    '링크, 도메인, 이메일 주소, 지갑 주소는 사용할 수 없습니다. 마침표 뒤에는 띄어쓰기를 해 주세요.',
  'A cap of 0 stops all payouts. Raise it in the settings or the environment once they may go on.':
    '한도가 0이면 모든 지급이 중지됩니다. 지급을 재개해도 되면 설정이나 환경 변수에서 한도를 올려 주세요.',
  'Withdrawals wait in their order. Find out who withdraws and why, then wait, or raise the caps in the settings or the environment.':
    '출금이 신청 순서대로 대기하고 있습니다. 누가 왜 출금하는지 확인한 다음 기다리거나 설정 또는 환경 변수의 지급 한도를 올려 주세요.',
  'Payout wallet, XCR': '지급 지갑, XCR',
  'Payout wallet, XP for fees': '지급 지갑, 수수료용 XP',
  'no reward chain endpoint answers': '보상 체인의 엔드포인트가 모두 응답하지 않음',
  'Check the reward chain endpoints.': '보상 체인의 엔드포인트를 확인해 주세요.',
  '{amount} XCR; {due} XCR is requested': '{amount} XCR, 그중 출금 요청 {due} XCR',
  'Send XCR to {address}. Withdrawals wait until there is enough.':
    '{address} 주소로 XCR을 보내 주세요. 잔액이 충분해질 때까지 출금이 대기합니다.',
  'Send XP to {address}. Withdrawals cannot be sent without it.':
    '{address} 주소로 XP를 보내 주세요. XP가 없으면 출금을 전송할 수 없습니다.',
  'Leader: {role}': '리더: {role}',
  'active, term {term}': '있음, {term}번째 임기',
  'no leader': '없음',
  'No process is reading the payment chain. Check that a watcher is running: `node api/main.ts watcher`.':
    '결제 체인을 읽는 프로세스가 없습니다. 감시 프로세스(`node api/main.ts watcher`)가 실행 중인지 확인해 주세요.',
  'No process is sending payouts. Check that a worker is running: `node api/main.ts worker`.':
    '지급하는 프로세스가 없습니다. 워커(`node api/main.ts worker`)가 실행 중인지 확인해 주세요.',
  'more than {count} changes waiting to reach open pages': '열린 페이지에 알릴 변경 사항 {count}건 초과',
  '{count} changes waiting to reach open pages': '열린 페이지에 알릴 변경 사항 {count}건',
  'Open pages do not show changes until they are reloaded. Check that a worker is running.':
    '열린 페이지는 새로고침해야 변경 사항을 볼 수 있습니다. 워커가 실행 중인지 확인해 주세요.',
  'Daily rewards': '일일 보상',
  '{paid}, {day} overdue by {age}': '{paid}, {day} 지급 지연 {age}',
  'paid up to {day}': '{day}까지 지급 완료',
  'nothing paid yet': '아직 지급 내역 없음',
  'Check that a worker is running, that its clock is right and that the chains answer, and search its log for pay-rewards. Missed days are paid automatically afterwards.':
    '워커가 실행 중인지, 로그에 pay-rewards 관련 내용이 있는지, 시계가 맞고 체인이 응답하는지 확인해 주세요. 다시 작동하면 밀린 날짜의 보상이 바로 지급됩니다.',
  'Public register': '공개 장부',
  'nothing published yet': '아직 게시된 내용 없음',
  'published up to {day}, {count} entries': '{day}까지 게시됨, 항목 {count}개',
  'Nothing is published. Restore the newest backup, then run `npm run admin -- resume-register`.':
    '게시가 중지되었습니다. 최신 백업을 복원한 뒤 `npm run admin -- resume-register`를 실행해 주세요.',
  '{published}; equation {name} is false': '{published}, {name} 등식이 성립하지 않음',
  'No day is published until it is true. The log of the worker says what differs. Purchases, rewards and payouts go on.':
    '등식이 성립할 때까지 새 날짜가 게시되지 않습니다. 차이는 워커의 로그에 있습니다. 구매, 보상, 지급은 계속됩니다.',
  '{published}; {day} is unpublished for {age}': '{published}, {day} 게시 지연 {age}',
  'Check that a worker is running and that the chains answer, and search its log for the register.':
    '워커가 실행 중이고 체인이 응답하는지 확인하고, 로그에서 장부(register) 관련 내용을 찾아 주세요.',
  'Register anchor': '장부 앵커',
  'not anchored yet': '아직 앵커 없음',
  'anchored {age} ago': '{age} 전에 앵커됨',
  'not anchored: {reason}': '앵커되지 않음: {reason}',
  'The register goes on without new anchors until this is resolved. A day without an anchor for 36 hours fails the check for good.':
    '해결될 때까지 새 앵커 없이 게시가 계속됩니다. 36시간 안에 앵커되지 않은 날은 검증에 영구적으로 실패합니다.',
  Mail: '메일',
  'all sent': '모두 발송됨',
  '{count} not sent, oldest waiting {age}: {reason}': '{count}건 미발송, 가장 오래된 것은 {age} 경과: {reason}',
  '{count} not sent, oldest waiting {age}': '{count}건 미발송, 가장 오래된 것은 {age} 경과',
  'Check that the mail server in SMTP_URL accepts mail. Nothing is lost. Each mail is retried until it is sent.':
    'SMTP_URL의 메일 서버가 메일을 받는지 확인해 주세요. 메일은 발송될 때까지 다시 시도하므로 유실되지 않습니다.',
  'Push messages': '푸시 알림',
  'Check that workers reach the hosts of PUSH_HOSTS on port 443. Messages are in the inbox and are no longer pushed after a day.':
    '워커가 PUSH_HOSTS의 호스트에 443 포트로 연결할 수 있는지 확인해 주세요. 알림은 알림함에 남아 있으며, 하루가 지나면 더 이상 푸시하지 않습니다.',
  'Queue {name}': '대기열 {name}',
  '{count} waiting, oldest waiting {age}, {retried} retried, {failed} failed permanently today':
    '대기 {count}건, 가장 오래된 것은 {age} 경과, 재시도 {retried}건, 오늘 포기 {failed}건',
  '{count} waiting, {retried} retried, {failed} failed permanently today':
    '대기 {count}건, 재시도 {retried}건, 오늘 포기 {failed}건',
  'Check that a worker is running, and read its log. Scheduled tasks do the work of jobs that failed permanently.':
    '워커가 실행 중인지, 로그에 어떤 내용이 있는지 확인해 주세요. 포기한 작업은 정기 작업이 대신 처리합니다.',
  'Task {name}': '정기 작업 {name}',
  '{last}, failed {age} ago: {reason}': '{last}, {age} 전 실패: {reason}',
  'never completed': '실행된 적 없음',
  'completed {age} ago': '{age} 전 완료',
  'no reason given': '사유 없음',
  "It is retried automatically. See the worker's log for details.":
    '계속 다시 시도합니다. 자세한 내용은 워커의 로그에서 확인해 주세요.',
  'Check that a worker is running: `node api/main.ts worker`.': '워커(`node api/main.ts worker`)가 실행 중인지 확인해 주세요.',
  '{age} ago': '{age} 전',

  // Passkeys
  'Please use a passkey or enter the code of your authenticator.': '패스키를 사용하거나 인증 앱의 코드를 입력해 주세요.',
  'Please use one of your passkeys.': '패스키 중 하나를 사용해 주세요.',
  'Please confirm this with a code of your authenticator or with a passkey.': '인증 앱의 코드나 패스키로 확인해 주세요.',
  'Please confirm this with one of your passkeys.': '패스키 중 하나로 확인해 주세요.',
  'Codes are switched off, so two passkeys must remain. Please add another one or set up codes first.':
    '코드가 비활성화되어 있으므로 패스키가 두 개 남아 있어야 합니다. 먼저 패스키를 하나 더 추가하거나 코드를 설정해 주세요.',
  'Codes can be switched off once there are two passkeys. Please add another one, or remove the one you have.':
    '패스키가 두 개 있어야 코드를 비활성화할 수 있습니다. 패스키를 하나 더 추가하시거나 지금 있는 패스키를 삭제해 주세요.',
}
