import type { Texts } from '../Texts.ts'

/** Texts of the server and shared/ for users; {name} stands for any value. */
export const server: Texts = {
  // Kinds and states
  'Node Purchase': '노드 구매',
  'Bonus Nodes': '보너스 노드',
  'XCR Withdrawal': 'XCR 출금',
  'XCR Distribution': 'XCR 지급',
  Completed: '완료',
  Pending: '대기 중',
  Processing: '처리 중',
  'Under Review': '검토 중',
  Failed: '실패',
  'Withdrawal Failed': '출금 실패',
  reserved: '예약됨',
  pending: '대기 중',
  confirmed: '확인됨',
  cancelled: '취소됨',
  failed: '실패',
  processing: '처리 중',
  completed: '완료',
  manual_review: '검토 중',
  '{count} seconds': '{count}초',
  '{count} minutes': '{count}분',
  '{count} hours': '{count}시간',

  'Unknown device': '알 수 없는 기기',

  // Any call
  'Something went wrong on our side. Nothing was lost. Please try again.':
    '저희 쪽에서 문제가 발생했습니다. 손실된 것은 없으니 다시 시도해 주세요.',
  "We can't respond right now. Nothing was lost. Please try again.":
    '지금은 응답해 드릴 수 없습니다. 손실된 것은 없으니 다시 시도해 주세요.',
  "We can't tell whether this was done. Nothing was lost. Please check before you try again.":
    '처리되었는지 확인할 수 없습니다. 손실된 것은 없으니 먼저 확인하신 후 다시 시도해 주세요.',
  'Not found.': '요청하신 내용을 찾을 수 없습니다.',
  'The request is not valid.': '올바르지 않은 요청입니다.',
  'The request is too large.': '요청의 크기가 너무 큽니다.',
  'Send application/json.': '요청 형식은 application/json이어야 합니다.',
  'Method not allowed.': '지원하지 않는 요청 방식입니다.',
  'This request came from another site.': '다른 사이트에서 보낸 요청입니다.',
  'The Idempotency-Key is not valid.': '올바르지 않은 Idempotency-Key입니다.',
  'This Idempotency-Key was used for another request.': '이미 다른 요청에 사용된 Idempotency-Key입니다.',
  'The same request is still being processed. Please try again in a moment.':
    '같은 요청을 아직 처리하고 있습니다. 잠시 후 다시 시도해 주세요.',
  'The text contains characters that cannot be stored.': '저장할 수 없는 문자가 포함되어 있습니다.',
  'Too many attempts. Please try again in {wait}.': '시도 횟수가 너무 많습니다. {wait} 후에 다시 시도해 주세요.',
  'Too many pages are open.': '열려 있는 페이지가 너무 많습니다.',
  'Not a valid amount.': '올바른 금액이 아닙니다.',
  'Please enter a valid Ethereum wallet address.': '올바른 이더리움 지갑 주소를 입력해 주세요.',
  'Not a valid transaction hash format, 0x + 64 characters.': '올바른 거래 해시 형식이 아닙니다(0x와 64자).',

  // Logging in, signing up, password
  'The captcha comes from another place.': '다른 곳에서 받은 CAPTCHA입니다.',
  'The verification service could not be reached. Please try again in a moment.':
    '인증 서비스에 연결할 수 없습니다. 잠시 후 다시 시도해 주세요.',
  "Your account is frozen, so this isn't possible now. You can thaw it in Security Settings.":
    '계정이 동결되어 지금은 하실 수 없습니다. 보안 설정에서 동결을 해제하실 수 있습니다.',
  'This account is not frozen.': '동결된 계정이 아닙니다.',
  'This account has no authenticator. Please contact us, and we will thaw it after a check.':
    '인증 앱이 없는 계정입니다. 문의해 주시면 확인 후 동결을 해제해 드립니다.',
  'This link is not complete or not ours.': '링크가 완전하지 않거나 저희가 보낸 링크가 아닙니다.',
  'This link has expired. It worked for 7 days.': '만료된 링크입니다. 링크는 7일 동안 사용하실 수 있습니다.',
  'This link was used before. It works once.': '이미 사용된 링크입니다. 링크는 한 번만 사용하실 수 있습니다.',
  'Please complete the verification first.': '먼저 보안 확인을 완료해 주세요.',
  'CAPTCHA verification failed. Please try again.': 'CAPTCHA 확인에 실패했습니다. 다시 시도해 주세요.',
  'Invalid email or password.': '이메일 또는 비밀번호가 올바르지 않습니다.',
  'Please enter a valid email': '올바른 이메일 주소를 입력해 주세요',
  'Please enter a 6-digit code': '6자리 코드를 입력해 주세요',
  'Please enter password': '비밀번호를 입력해 주세요',
  'Please enter a password.': '비밀번호를 입력해 주세요.',
  'Please enter your current password.': '현재 비밀번호를 입력해 주세요.',
  'The current password is incorrect.': '현재 비밀번호가 올바르지 않습니다.',
  'This code is no longer valid. Please request a new one.': '더 이상 사용할 수 없는 코드입니다. 새 코드를 요청해 주세요.',
  'The verification code is incorrect. Please check your email and try again.':
    '인증 코드가 올바르지 않습니다. 이메일을 확인하고 다시 시도해 주세요.',
  'Please verify your email first. If you have just signed up, log in.':
    '먼저 이메일을 인증해 주세요. 방금 가입하셨다면 로그인해 주세요.',
  'Please also enter the code from your authenticator app.': '인증 앱의 코드도 입력해 주세요.',
  'This email is already registered. Please log in.': '이미 가입된 이메일입니다. 로그인해 주세요.',
  'Please wait {count} seconds before you request another code.': '{count}초 후에 새 코드를 요청해 주세요.',
  'Many people are logging in right now. Please try again in a moment.':
    '현재 로그인하는 분이 많습니다. 잠시 후 다시 시도해 주세요.',
  'Password must be at least 8 characters': '비밀번호는 8자 이상이어야 합니다',
  'Password must be at least 8 characters long.': '비밀번호는 8자 이상이어야 합니다.',
  'Password must be at most 256 characters': '비밀번호는 256자 이하여야 합니다',
  'Password must contain uppercase, lowercase, numbers, and special characters':
    '비밀번호에는 대문자, 소문자, 숫자, 특수문자가 모두 포함되어야 합니다',
  'New password must be at least 8 characters long.': '새 비밀번호는 8자 이상이어야 합니다.',
  'Password must contain at least one uppercase letter.': '비밀번호에는 대문자가 하나 이상 포함되어야 합니다.',
  'Password must contain at least one lowercase letter.': '비밀번호에는 소문자가 하나 이상 포함되어야 합니다.',
  'Password must contain at least one number.': '비밀번호에는 숫자가 하나 이상 포함되어야 합니다.',
  'Password must contain at least one special character (!@#$%^&*(),.?":{}|<>).':
    '비밀번호에는 특수문자(!@#$%^&*(),.?":{}|<>)가 하나 이상 포함되어야 합니다.',
  'Please ensure both passwords are identical.': '두 비밀번호가 같은지 확인해 주세요.',
  'The password is too long.': '비밀번호가 너무 깁니다.',

  // First set-up
  'Please enter a username.': '사용자 이름을 입력해 주세요.',
  'The username is too long.': '사용자 이름이 너무 깁니다.',
  'Please enter at least one allowed IP address.': '허용할 IP 주소를 하나 이상 입력해 주세요.',
  'Please enter at most 50 IP addresses.': 'IP 주소는 최대 50개까지 입력해 주세요.',
  'The list contains an IP address twice.': '목록에 같은 IP 주소가 두 번 있습니다.',
  '"{text}" is not an IP address.': '"{text}"은(는) IP 주소가 아닙니다.',
  'Setup has already been completed.': '초기 설정이 이미 완료되었습니다.',
  'Please open the setup link printed in the server log.': '서버 로그에 표시된 설정 링크를 열어 주세요.',

  // Authenticator
  'Please enter the 6-digit verification code.': '6자리 인증 코드를 입력해 주세요.',
  'Invalid OTP code. Please try again.': 'OTP 코드가 올바르지 않습니다. 다시 시도해 주세요.',
  'Invalid verification code. Please try again.': '인증 코드가 올바르지 않습니다. 다시 시도해 주세요.',
  'The authenticator is already enabled. Disable it first to set up another one.':
    '인증 앱이 이미 사용 중입니다. 다른 인증 앱을 설정하시려면 먼저 해제해 주세요.',
  'This setup is no longer valid. Please start again and scan the new QR code.':
    '이 설정은 더 이상 유효하지 않습니다. 처음부터 다시 시작하여 새 QR 코드를 스캔해 주세요.',
  'Please verify your authenticator code first.': '먼저 인증 코드를 확인해 주세요.',
  'This code has already been used. Please wait for the next one.': '이미 사용한 코드입니다. 다음 코드를 기다려 주세요.',
  'Too many wrong codes. Please try again in {wait}.': '잘못된 코드를 너무 많이 입력하셨습니다. {wait} 후에 다시 시도해 주세요.',
  'The authenticator is not enabled for this account.': '이 계정은 인증 앱을 사용하고 있지 않습니다.',

  // Purchases
  'Sales are stopped at the moment.': '현재 판매가 중지되어 있습니다.',
  'Sales have not started yet.': '아직 판매가 시작되지 않았습니다.',
  'Please enter a quantity.': '수량을 입력해 주세요.',
  'Insufficient remaining node quantity.': '남은 노드 수량이 부족합니다.',
  'You need {amount} USDT to complete this purchase.': '구매를 완료하시려면 {amount} USDT가 필요합니다.',
  'Including your unpaid purchases, you need {needed} USDT. Your wallet has {available} USDT, so {missing} USDT is missing.':
    '아직 결제하지 않은 구매까지 합하면 {needed} USDT가 필요합니다. 지갑에는 {available} USDT가 있어 {missing} USDT가 부족합니다.',
  "Your USDT balance can't be checked right now. Until it can, you can reserve at most {count} unpaid nodes. Please try again.":
    '지금은 USDT 잔액을 확인할 수 없습니다. 확인될 때까지 미결제 노드는 최대 {count}개까지 예약할 수 있습니다. 다시 시도해 주세요.',
  'Your wallet has not been confirmed by a signature. Until it is, you can reserve at most {count} unpaid nodes. Please connect it again and sign.':
    '지갑이 서명으로 확인되지 않았습니다. 확인될 때까지 미결제 노드는 최대 {count}개까지 예약할 수 있습니다. 지갑을 다시 연결하고 서명해 주세요.',
  'Please connect your wallet from the top right corner.': '오른쪽 위에서 지갑을 연결해 주세요.',
  'You must set up Google Authenticator before making a purchase.': '구매하시려면 먼저 Google Authenticator를 설정해 주세요.',
  'The price has changed. Please check the new total.': '가격이 변경되었습니다. 새 합계 금액을 확인해 주세요.',
  'The amount does not equal quantity times price.': '금액이 수량과 가격의 곱과 일치하지 않습니다.',
  'A payment for your reservation is being confirmed. Please wait.':
    '예약에 대한 결제를 발견하여 체인에서 확인하고 있습니다. 잠시 기다려 주세요.',
  'This transaction has already paid for another purchase.': '이미 다른 구매의 결제에 사용된 거래입니다.',
  'This transaction was sent from another wallet.': '다른 지갑에서 보낸 거래입니다.',
  'There are no notifications here.': '이 사이트에서는 기기 알림을 사용할 수 없습니다.',
  "Notifications aren't available in this browser.": '이 브라우저에서는 기기 알림을 사용할 수 없습니다.',
  'Too many of your devices get notifications. Log out of one you no longer use.':
    '알림을 받는 기기가 너무 많습니다. 더 이상 사용하지 않는 기기에서 로그아웃해 주세요.',
  'Too many of your reservations were not paid in full. Please try again in {wait}.':
    '전액 결제되지 않은 예약이 너무 많습니다. {wait} 후에 다시 시도해 주세요.',
  'Your account is being changed. Please try again in a moment.': '계정을 변경하고 있습니다. 잠시 후 다시 시도해 주세요.',
  'There is no such purchase.': '해당 구매 내역이 없습니다.',
  'This purchase is {status} and can no longer be changed.': '이 구매의 상태는 ‘{status}’이며, 더 이상 변경할 수 없습니다.',
  'A payment for this purchase is being processed. Please check again in a moment.':
    '이 구매에 대한 결제를 처리하고 있습니다. 잠시 후 다시 확인해 주세요.',
  "The transaction can't be looked up right now. Please try again.": '지금은 거래를 조회할 수 없습니다. 다시 시도해 주세요.',
  'This transaction is not on the chain. It may not be mined yet.':
    '체인에서 이 거래를 찾을 수 없습니다. 아직 블록에 포함되지 않았을 수 있습니다.',

  // Wallet
  'This wallet address is already registered to another account.': '이미 다른 계정에 등록된 지갑 주소입니다.',
  'This wallet address is already registered to another account. Sign a message in your wallet to prove that it is yours.':
    '이미 다른 계정에 등록된 지갑 주소입니다. 본인의 지갑임을 확인할 수 있도록 지갑의 메시지에 서명해 주세요.',
  "This wallet address is used by another account's purchase. It becomes available 24 hours after that purchase ends.":
    '다른 계정의 구매에 사용 중인 지갑 주소입니다. 해당 구매가 끝나고 24시간이 지나면 사용할 수 있습니다.',
  'A proof needs both a message and its signature.': '지갑 확인에는 메시지와 서명이 모두 필요합니다.',
  'The signed message does not belong to this account and wallet. Please connect the wallet again.':
    '서명된 메시지가 이 계정 및 지갑과 일치하지 않습니다. 지갑을 다시 연결해 주세요.',
  'The signed message has expired. Please connect the wallet again.':
    '서명된 메시지의 유효 시간이 지났습니다. 지갑을 다시 연결해 주세요.',
  'The signature was not made by this wallet. Please connect the wallet again.':
    '이 지갑으로 만든 서명이 아닙니다. 지갑을 다시 연결해 주세요.',
  "The signature can't be checked right now. Please try again.": '지금은 서명을 확인할 수 없습니다. 다시 시도해 주세요.',

  // Withdrawals
  'Insufficient XCR balance.': 'XCR 잔액이 부족합니다.',
  'Please enter an amount such as 3500.25.': '3500.25와 같은 형식으로 수량을 입력해 주세요.',
  'Please enter an amount of XCR with at most 8 decimals.': '소수점 아래 8자리까지의 XCR 수량을 입력해 주세요.',
  'Please enter at most 8 decimals.': '소수점 아래 8자리까지만 입력해 주세요.',
  'Insufficient XCR balance available for withdrawal.': '출금할 수 있는 XCR 잔액이 부족합니다.',
  'Please register your wallet address first for withdrawal.': '출금하시려면 먼저 지갑 주소를 등록해 주세요.',
  'You must set up Google Authenticator before making withdrawals.': '출금하시려면 먼저 Google Authenticator를 설정해 주세요.',
  'Please enter the amount of XCR to withdraw.': '출금할 XCR 수량을 입력해 주세요.',
  'The minimum withdrawal amount is 3000 XCR.': '최소 출금 수량은 3000 XCR입니다.',
  'There is no public register here.': '이 사이트에는 공개 장부가 없습니다.',
  'This day is not in the register.': '이 날짜는 장부에 없습니다.',
  'Withdrawal amount must be greater than fee ({fee} XCR).': '출금 수량은 수수료({fee} XCR)보다 커야 합니다.',
  'The signed message does not belong to this withdrawal. Please sign again.':
    '서명된 메시지가 이 출금과 일치하지 않습니다. 다시 서명해 주세요.',
  'The signed message has expired. Please sign again.': '서명된 메시지의 유효 시간이 지났습니다. 다시 서명해 주세요.',
  'The signature was not made by your registered wallet. Please sign again.':
    '등록된 지갑으로 만든 서명이 아닙니다. 다시 서명해 주세요.',
  'This signed message has already been used for a withdrawal. Please sign again.':
    '이미 출금에 사용된 서명입니다. 다시 서명해 주세요.',
  'Your daily limit is {limit} XCR, and {left} XCR of it is left right now.':
    '일일 한도는 {limit} XCR이며, 지금은 {left} XCR이 남아 있습니다.',
  'The withdrawal fee is now {fee} XCR. Please sign again.': '출금 수수료가 {fee} XCR로 변경되었습니다. 다시 서명해 주세요.',
  'A payment to your wallet exceeded your balance, and you still owe {amount} XCR. Your daily rewards pay this off. You can withdraw again after that.':
    '지갑으로 지급된 금액이 잔액을 초과하여 {amount} XCR이 아직 정산되지 않았습니다. 매일 지급되는 보상에서 자동으로 정산되며, 정산이 끝나면 다시 출금하실 수 있습니다.',
  'The message was signed for a different wallet than the registered one. Please check your wallet and sign again.':
    '등록된 지갑이 아닌 다른 지갑으로 서명된 메시지입니다. 지갑을 확인하고 다시 서명해 주세요.',
  'Payouts are being checked, so nothing can be cancelled right now. Please try again later.':
    '지급 내역을 확인하는 중이어서 지금은 취소하실 수 없습니다. 나중에 다시 시도해 주세요.',
  "We can't check right now whether it was paid. Please try again.": '지금은 지급 여부를 확인할 수 없습니다. 다시 시도해 주세요.',
  'There is no such withdrawal.': '해당 출금 내역이 없습니다.',
  'This withdrawal is {status} and can no longer be changed.': '이 출금의 상태는 ‘{status}’이며, 더 이상 변경할 수 없습니다.',
  'Many files are being prepared right now. Please try again in a moment.':
    '현재 많은 파일을 준비하고 있습니다. 잠시 후 다시 시도해 주세요.',

  // Passkeys
  'This took too long or was used before. Nothing was changed. Please try again.':
    '시간이 초과되었거나 이미 사용되었습니다. 변경된 내용은 없습니다. 다시 시도해 주세요.',
  'This passkey could not be verified. Please try again, or use another one.':
    '이 패스키를 확인하지 못했습니다. 다시 시도하시거나 다른 패스키를 사용해 주세요.',
  'This passkey does not belong to an account here. It may have been removed.':
    '이 패스키와 연결된 계정이 없습니다. 삭제된 패스키일 수 있습니다.',
  'This passkey was disabled, because a copy of it was used. Please log in another way and remove it.':
    '복제본이 사용되어 이 패스키가 사용 중지되었습니다. 다른 방법으로 로그인하신 후 삭제해 주세요.',
  'This passkey was added before.': '이미 추가된 패스키입니다.',
  'An account has at most {count} passkeys. Please remove one first.':
    '계정 하나에 패스키를 최대 {count}개까지 추가하실 수 있습니다. 먼저 하나를 삭제해 주세요.',
  'There is no such passkey. It may have been removed already.': '해당 패스키가 없습니다. 이미 삭제되었을 수 있습니다.',
  'Please confirm this with your password.': '비밀번호로 확인해 주세요.',
  'Your authenticator is newer than your login. Please enter your password as well.':
    '인증 앱이 이번 로그인 이후에 설정되었습니다. 비밀번호도 입력해 주세요.',
  'The password is incorrect.': '비밀번호가 올바르지 않습니다.',
  'The passkey is removed.': '패스키를 삭제했습니다.',
  'Unknown field: {field}. This call takes {fields}.': '알 수 없는 필드입니다: {field}. 이 호출에 쓸 수 있는 필드: {fields}.',
}
