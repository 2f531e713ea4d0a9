import type { Texts } from '../Texts.ts'

/** What the server and shared/ say to an administrator; {name} stands for whatever the sentence carries there. */
export const adminServer: Texts = {
  // The way in
  'Invalid username or password.': '사용자 이름 또는 비밀번호가 올바르지 않습니다.',
  'Your login has expired. Please log in again.': '로그인이 만료되었습니다. 다시 로그인해 주십시오.',
  'This request came through a proxy, and TRUSTED_PROXIES says that there is none. The administrator area stays closed until it names their number.':
    '프록시를 거친 요청이지만 TRUSTED_PROXIES에는 프록시가 없다고 설정되어 있습니다. 프록시 수를 설정할 때까지 관리자 영역은 닫혀 있습니다.',
  'The administrator area may not be used from your IP address ({address}).':
    '현재 IP 주소({address})에서는 관리자 영역을 사용할 수 없습니다.',

  // Settings
  'Another administrator has this username.': '다른 관리자가 사용 중인 사용자 이름입니다.',
  'The current password is not right.': '현재 비밀번호가 올바르지 않습니다.',
  'Please enter the current password.': '현재 비밀번호를 입력해 주십시오.',
  'Please enter a new username or a new password.': '새 사용자 이름이나 새 비밀번호를 입력해 주십시오.',
  'At most {count} IP addresses can be allowed.': 'IP 주소는 최대 {count}개까지 허용할 수 있습니다.',
  'Please choose on or off: "true" or "false".': '켜기 또는 끄기를 선택해 주십시오("true" 또는 "false").',
  'The sales start must be a date and time in UTC, in steps of 15 minutes, or empty.':
    '판매 시작은 15분 단위의 UTC 날짜와 시각이거나 비어 있어야 합니다.',
  'The fee must be an XCR amount of 0 or more.': '수수료는 0 이상의 XCR 수량이어야 합니다.',
  'The fee recipient must be a wallet address (0x + 40 hex characters), or empty.':
    '수수료 수령 주소는 지갑 주소(0x와 16진수 40자)이거나 비어 있어야 합니다.',
  'The node price must be a USDT amount above 0.': '노드 가격은 0보다 큰 USDT 금액이어야 합니다.',
  'The daily reward must be an XCR amount of 0 or more.': '일일 보상은 0 이상의 XCR 수량이어야 합니다.',
  'The effective time must not lie in the past: rewards that are paid keep their rate.':
    '적용 시각은 과거일 수 없습니다. 이미 지급된 보상의 비율은 바뀌지 않습니다.',
  'Vesting has not been started.': '베스팅이 시작되지 않았습니다.',
  'Vesting has already been started.': '베스팅이 이미 시작되었습니다.',
  'Not a whole number.': '정수가 아닙니다.',
  'There is no such user.': '해당 사용자가 없습니다.',
  'enter a valid user ID and quantity': '올바른 사용자 ID와 수량을 입력해 주십시오',

  // Purchases and deposits
  'Please enter a reason.': '사유를 입력해 주십시오.',
  'Please enter a note.': '메모를 입력해 주십시오.',
  'Please enter a note on why.': '이유를 메모에 입력해 주십시오.',
  'Name a purchase, or an account and a quantity.': '구매 건을 지정하거나, 계정과 수량을 지정해 주십시오.',
  'There is no such deposit.': '해당 입금 내역이 없습니다.',
  'This deposit is not final yet: it is decided by itself.': '아직 확정되지 않은 입금입니다. 확정되면 자동으로 처리됩니다.',
  'This deposit is {state}: that is no longer possible.': '이 입금의 상태는 ‘{state}’이며, 더 이상 변경할 수 없습니다.',
  'This transaction has refunded another deposit.': '이미 다른 입금의 환불에 사용된 거래입니다.',
  'This transaction failed.': '실패한 거래입니다.',
  'This transaction is not final yet. Please try again in a moment.':
    '아직 확정되지 않은 거래입니다. 잠시 후 다시 시도해 주십시오.',
  'This transaction is older than the deposit.': '입금보다 오래된 거래입니다.',
  'This transaction transfers no USDT to {address}, from where the deposit came.':
    '이 거래는 입금을 보낸 주소({address})로 USDT를 전송하지 않았습니다.',
  'This transaction transfers more than the {amount} USDT of the deposit.':
    '이 거래의 전송 금액이 입금액 {amount} USDT보다 많습니다.',
  'This transaction transfers {paid} USDT, and the purchase is {amount} USDT.':
    '이 거래의 전송 금액은 {paid} USDT이고, 구매 금액은 {amount} USDT입니다.',
  'This transaction transfers no USDT.': 'USDT를 전송하지 않은 거래입니다.',
  'This transaction transfers USDT to another address than the deposit address.':
    '입금 주소가 아닌 다른 주소로 USDT를 전송한 거래입니다.',
  'This transaction has been used already.': '이미 사용된 거래입니다.',

  // Withdrawals
  'A transaction that pays this withdrawal is signed: only that one may pay it.':
    '이 출금을 지급하는 거래가 이미 서명되었습니다. 그 거래로만 지급할 수 있습니다.',
  'Its transaction can never be mined: its nonce was used by another one. It can only be rejected.':
    '다른 거래가 같은 논스를 사용하여 이 거래는 블록에 포함될 수 없습니다. 거절만 가능합니다.',
  'This transaction pays another withdrawal.': '다른 출금을 지급한 거래입니다.',
  'This withdrawal was rejected already: it is refunded once its nonce is used up.':
    '이미 거절된 출금입니다. 논스가 사용되면 환불됩니다.',
  'Payouts are stopped, and this withdrawal may have been paid: `npm run admin -- reconcile-payouts` finds out. Reject it after that.':
    '지급이 중지되어 있으며 이 출금은 이미 지급되었을 수 있습니다. `npm run admin -- reconcile-payouts`로 확인한 뒤에 거절해 주십시오.',
  'This transaction is older than the withdrawal.': '출금 요청보다 오래된 거래입니다.',
  'This transaction does not transfer exactly {amount} XCR to {address}.':
    '이 거래는 정확히 {amount} XCR을 {address} 주소로 전송하지 않았습니다.',
  'This transaction is not on the reward chain.': '보상 체인에서 이 거래를 찾을 수 없습니다.',
}
