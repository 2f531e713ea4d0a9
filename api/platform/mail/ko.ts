/** The Korean texts of mails, keyed by the English ones. */
export const ko = {
  // Around each
  'Questions? {address}': '문의: {address}',
  Time: '시각',
  'IP address': 'IP 주소',
  '1 node': '노드 1개',
  '{count} nodes': '노드 {count}개',
  "If this wasn't you, contact us immediately.": '본인이 하신 것이 아니라면 즉시 저희에게 연락해 주세요.',
  "If this wasn't you, change your password and contact us immediately.":
    '본인이 하신 것이 아니라면 비밀번호를 변경하고 즉시 저희에게 연락해 주세요.',

  // Signing up, logging in, passwords
  'Your verification code': '이메일 인증 코드',
  'This is your code to sign up:': '회원가입을 위한 인증 코드입니다:',
  "It expires in 10 minutes and works once. Didn't request it? Ignore this email.":
    '이 코드는 10분 동안 한 번만 사용하실 수 있습니다. 직접 요청하지 않으셨다면 이 이메일을 무시하세요.',
  'Your code to set a new password': '비밀번호 재설정 코드',
  'This is your code to set a new password:': '새 비밀번호를 설정하기 위한 코드입니다:',
  "It expires in 10 minutes and works once. We will never ask you for it. Didn't request it? Ignore this email.":
    '이 코드는 10분 동안 한 번만 사용하실 수 있습니다. 저희는 이 코드를 절대 묻지 않습니다. 직접 요청하지 않으셨다면 이 이메일을 무시하세요.',
  'A new password was set for your account': '계정에 새 비밀번호가 설정되었습니다',
  'A new password was set with a code emailed to this address. You have been logged out everywhere. Withdrawals are on hold for the next 24 hours.':
    '이 주소로 보내 드린 코드로 새 비밀번호가 설정되었습니다. 모든 기기에서 로그아웃되었습니다. 앞으로 24시간 동안 출금이 보류됩니다.',
  'Your password was changed': '비밀번호가 변경되었습니다',
  'Your account password was changed. You have been logged out everywhere else.':
    '계정의 비밀번호가 변경되었습니다. 다른 모든 기기에서 로그아웃되었습니다.',
  "If this wasn't you, set a new password with “Forgot password?” on the login page and contact us immediately.":
    '본인이 하신 것이 아니라면 로그인 페이지의 ‘비밀번호를 잊으셨나요?’에서 새 비밀번호를 설정하고 즉시 저희에게 연락해 주세요.',
  'Your password was reset': '비밀번호가 재설정되었습니다',
  'Support has set a temporary password for your account and will send it to you separately. You have been logged out everywhere. Please change it after you log in.':
    '고객 지원에서 계정에 임시 비밀번호를 설정했으며, 임시 비밀번호는 따로 알려 드립니다. 모든 기기에서 로그아웃되었습니다. 로그인하신 후 비밀번호를 변경해 주세요.',
  'Withdrawals are on hold for the next 24 hours.': '앞으로 24시간 동안 출금이 보류됩니다.',
  "If you didn't request this, contact us immediately.": '직접 요청하신 것이 아니라면 즉시 저희에게 연락해 주세요.',
  'New login to your account': '계정에 새로운 로그인이 있었습니다',
  'Someone logged in to your account with your password from a new browser.':
    '지금까지 사용된 적이 없는 브라우저에서 회원님의 비밀번호로 계정에 로그인했습니다.',
  "If this was you, you don't need to do anything. If not, change your password immediately. That logs out all other devices.":
    '본인이시라면 아무것도 하지 않으셔도 됩니다. 본인이 아니라면 즉시 비밀번호를 변경해 주세요. 비밀번호를 변경하시면 다른 모든 기기에서 로그아웃됩니다.',
  Device: '기기',
  'Someone logged in to your account with one of your passkeys from a new browser.':
    '지금까지 사용된 적이 없는 브라우저에서 회원님의 패스키로 계정에 로그인했습니다.',
  "If this was you, you don't need to do anything. If not, change your password immediately. That removes all passkeys and logs out all other devices.":
    '본인이시라면 아무것도 하지 않으셔도 됩니다. 본인이 아니라면 즉시 비밀번호를 변경해 주세요. 비밀번호를 변경하시면 모든 패스키가 삭제되고 다른 모든 기기에서 로그아웃됩니다.',

  // Passkeys
  Passkey: '패스키',
  'A passkey was added to your account': '계정에 패스키가 추가되었습니다',
  'This passkey can log in to your account from now on. Purchases and withdrawals need the code of your authenticator as before.':
    '이제 이 패스키로 계정에 로그인할 수 있습니다. 구매와 출금에는 지금까지와 같이 인증 앱의 코드가 필요합니다.',
  "If this wasn't you, change your password immediately. That removes all passkeys and logs out all other devices.":
    '본인이 하신 것이 아니라면 즉시 비밀번호를 변경해 주세요. 비밀번호를 변경하시면 모든 패스키가 삭제되고 다른 모든 기기에서 로그아웃됩니다.',
  'A passkey was removed from your account': '계정에서 패스키가 삭제되었습니다',
  'This passkey can no longer log in to your account. You have been logged out everywhere else.':
    '이 패스키로는 더 이상 계정에 로그인할 수 없습니다. 다른 모든 기기에서 로그아웃되었습니다.',
  'Your passkeys were removed': '패스키가 모두 삭제되었습니다',
  'The operator has removed all passkeys from your account. You have been logged out everywhere. Your password works as before.':
    '운영자가 계정의 모든 패스키를 삭제했습니다. 모든 기기에서 로그아웃되었습니다. 비밀번호는 지금까지와 같이 사용하실 수 있습니다.',
  'Your passkeys were removed. You can add them again in Security Settings.':
    '패스키가 모두 삭제되었습니다. 보안 설정에서 다시 추가하실 수 있습니다.',
  'A passkey was disabled': '패스키가 사용 중지되었습니다',
  'One of your passkeys was disabled, because a copy of it was used. You have been logged out everywhere.':
    '복제된 패스키가 사용되어 회원님의 패스키 하나가 사용 중지되었습니다. 모든 기기에서 로그아웃되었습니다.',
  "Log in with your password, remove this passkey and add a new one. If you don't know how it was copied, contact us.":
    '비밀번호로 로그인하신 후 이 패스키를 삭제하고 새 패스키를 추가해 주세요. 어떻게 복제되었는지 모르시면 저희에게 연락해 주세요.',

  // Freezing the account
  "This wasn't me: freeze my account": '본인이 아닙니다: 계정 동결하기',
  'The link works once, for 7 days. It stops withdrawals and changes of your account at once. Nodes, payments and rewards go on.':
    '링크는 7일 동안 한 번만 사용하실 수 있습니다. 출금과 계정 변경이 즉시 중지되며 노드, 결제, 보상은 계속됩니다.',
  'Your account is frozen': '계정이 동결되었습니다',
  'Your account stays frozen': '계정이 계속 동결됩니다',
  'Our support has frozen it, because somebody else may have access to it.':
    '다른 사람이 이 계정에 접근할 수 있어 고객 지원에서 동결했습니다.',
  'The planned thaw is cancelled.': '예정되어 있던 동결 해제가 취소되었습니다.',
  'Nobody can withdraw or change the password, authenticator or wallet of your account, and you have been logged out everywhere. Your nodes, payments and rewards go on.':
    '누구도 출금하거나 계정의 비밀번호, 인증 앱, 지갑을 변경할 수 없으며 모든 기기에서 로그아웃되었습니다. 노드, 결제, 보상은 계속됩니다.',
  'Withdrawals that were not signed yet are on hold.': '아직 서명되지 않은 출금은 보류되었습니다.',
  'Withdrawals that were signed already can no longer be stopped. They are paid to the wallet they were requested for.':
    '이미 서명된 출금은 더 이상 중지할 수 없으며 신청된 지갑으로 지급됩니다.',
  'To use it again, log in and start the thaw in Security Settings with your password and a code of your authenticator. It takes 24 hours. If you lack one of them, contact us.':
    '다시 사용하시려면 로그인하신 후 보안 설정에서 비밀번호와 인증 앱 코드로 동결 해제를 시작해 주세요. 해제까지 24시간이 걸립니다. 둘 중 하나가 없으시면 저희에게 연락해 주세요.',
  'On hold': '보류됨',
  'Signed already': '이미 서명됨',
  'Your account will be thawed': '계정 동결이 해제될 예정입니다',
  'The thaw was started with your password and authenticator. Your account is thawed on {time}.':
    '비밀번호와 인증 앱으로 동결 해제가 시작되었습니다. {time}에 동결이 해제됩니다.',
  'Withdrawals stay on hold for 24 hours after that.': '그 후 24시간 동안 출금이 보류됩니다.',
  "If this wasn't you, freeze your account again before then and contact us immediately.":
    '본인이 하신 것이 아니라면 그전에 계정을 다시 동결하고 즉시 저희에게 연락해 주세요.',
  'Your account was thawed': '계정 동결이 해제되었습니다',
  'Our support has thawed your account. You can use it again.':
    '고객 지원에서 계정 동결을 해제했습니다. 이제 다시 사용하실 수 있습니다.',
  "If you didn't request this, freeze your account again and contact us immediately.":
    '직접 요청하신 것이 아니라면 계정을 다시 동결하고 즉시 저희에게 연락해 주세요.',

  // Authenticator and recovery codes
  'Your authenticator is enabled': '인증 앱 사용이 시작되었습니다',
  'The authenticator app has been enabled for your account. Purchases and withdrawals now require its code.':
    '계정에서 인증 앱을 사용하기 시작했습니다. 이제 구매와 출금에는 인증 앱의 코드가 필요합니다.',
  'Your authenticator is disabled': '인증 앱 사용이 중지되었습니다',
  "The authenticator app has been disabled for your account. You can't buy or withdraw until you enable one again.":
    '계정의 인증 앱 사용이 중지되었습니다. 인증 앱을 다시 설정하실 때까지 구매와 출금을 하실 수 없습니다.',
  'Your authenticator will be removed': '인증 앱이 해제될 예정입니다',
  'Our support was asked to remove the authenticator app from your account. It is removed on {time}.':
    '고객 지원팀이 회원님 계정의 인증 앱 해제를 요청받았습니다. {time}에 해제됩니다.',
  'If you still have it, use a code of it or a recovery code anywhere on our site, and nothing is removed.':
    '인증 앱을 아직 가지고 계시면 사이트 어디에서든 인증 코드나 복구 코드를 한 번 사용해 주세요. 그러면 해제되지 않습니다.',
  "If you didn't request this, freeze your account and contact us immediately.":
    '요청하신 적이 없다면 계정을 동결하고 즉시 문의해 주세요.',
  'Your authenticator was reset': '인증 앱이 초기화되었습니다',
  'The operator has removed the authenticator app from your account. You have been logged out everywhere. Set up a new one in Security Settings before you buy or withdraw.':
    '서비스 운영자가 계정의 인증 앱을 해제했습니다. 모든 기기에서 로그아웃되었습니다. 구매하거나 출금하시기 전에 보안 설정에서 인증 앱을 새로 설정해 주세요.',
  "If you didn't request this, change your password and contact us immediately.":
    '직접 요청하신 것이 아니라면 비밀번호를 변경하고 즉시 저희에게 연락해 주세요.',
  'Your recovery codes were replaced': '복구 코드가 새로 발급되었습니다',
  'New recovery codes were generated for your account. Your old codes no longer work.':
    '계정에 새 복구 코드가 발급되었습니다. 이전 코드는 모두 더 이상 사용할 수 없습니다.',
  'A recovery code was used': '복구 코드가 사용되었습니다',
  "One of your recovery codes was used instead of an authenticator code. It won't work again.":
    '인증 코드 대신 계정의 복구 코드 하나가 사용되었습니다. 이 코드는 다시 사용할 수 없습니다.',
  "If this wasn't you, change your password, generate new recovery codes in Security Settings and contact us immediately.":
    '본인이 하신 것이 아니라면 비밀번호를 변경하고, 보안 설정에서 새 복구 코드를 발급받은 다음 즉시 저희에게 연락해 주세요.',
  'Codes left': '남은 코드',
  'Your recovery codes no longer work': '복구 코드를 더 이상 사용할 수 없습니다',
  'We have replaced the key that protects them. Your authenticator keeps working. Please generate new recovery codes in Security Settings.':
    '복구 코드를 보호하는 키를 교체했습니다. 인증 앱은 계속 사용하실 수 있습니다. 보안 설정에서 새 복구 코드를 발급받아 주세요.',

  // Wallets
  'A wallet address was removed from your account': '계정에 등록된 지갑 주소가 삭제되었습니다',
  'Another account proved with a signature that it owns this wallet. It was registered to your account without a signature, so it has been removed.':
    '다른 계정에서 서명으로 이 지갑의 소유자임을 증명했습니다. 회원님의 계정에는 서명 없이 등록되어 있었으므로 삭제되었습니다.',
  'Connect a wallet and sign its message to register one again.': '다시 등록하시려면 지갑을 연결하고 메시지에 서명해 주세요.',
  'A wallet address was registered for your account': '계정에 지갑 주소가 등록되었습니다',
  'The wallet address of your account was changed': '계정의 지갑 주소가 변경되었습니다',
  'The wallet address of your account was removed': '계정의 지갑 주소가 삭제되었습니다',
  'From now on, you pay for purchases from this wallet, and withdrawals go to it.':
    '이제부터 이 지갑으로 구매를 결제하시며, 출금도 이 지갑으로 지급됩니다.',
  'You need a wallet to buy and withdraw. Connect one to register it.':
    '구매와 출금에는 지갑이 필요합니다. 지갑을 연결하여 등록해 주세요.',
  Wallet: '지갑',
  'Previous wallet': '이전 지갑',

  // Purchases and bonuses
  '1 node is yours: your purchase is confirmed': '구매가 확인되어 노드 1개가 배정되었습니다',
  '{count} nodes are yours: your purchase is confirmed': '구매가 확인되어 노드 {count}개가 배정되었습니다',
  'Your payment is confirmed and 1 node is yours.': '결제가 확인되어 노드 1개가 배정되었습니다.',
  'Your payment is confirmed and {count} nodes are yours.': '결제가 확인되어 노드 {count}개가 배정되었습니다.',
  'Your purchase of {nodes} is confirmed.': '{nodes} 구매가 확인되었습니다.',
  "We have not confirmed a payment for it yet: {amount} USDT is still owed. If you have already sent it, please don't pay again: it counts once it is confirmed.":
    '이 구매의 결제가 아직 확인되지 않아 {amount} USDT가 미납 상태입니다. 이미 보내셨다면 다시 결제하지 마세요. 확인되면 이 구매의 결제로 처리됩니다.',
  '{paid} of {amount} USDT was paid, and nothing more is due.':
    '{amount} USDT 중 {paid} USDT가 결제되었으며 더 내실 금액은 없습니다.',
  'It earns from {time}. XCR is paid daily at 09:00 UTC.': '{time}부터 보상을 받으며, XCR은 매일 09:00 UTC에 지급됩니다.',
  'They earn from {time}. XCR is paid daily at 09:00 UTC.': '{time}부터 보상을 받으며, XCR은 매일 09:00 UTC에 지급됩니다.',
  'Your nodes are on hold: their payment has vanished': '결제 거래가 사라져 노드가 보류되었습니다',
  'BNB Smart Chain has replaced the block with their payment. The nodes stay yours, but earn nothing until the payment is back or our team restores them.':
    '노드의 결제 거래가 담긴 블록이 BNB Smart Chain에서 교체되었습니다. 노드는 그대로 회원님의 소유이지만, 결제 거래가 다시 기록되거나 담당자가 복구할 때까지 보상을 받지 않습니다.',
  "It is usually back within minutes. Please don't pay again; contact us if they are still on hold tomorrow.":
    '보통 몇 분 안에 다시 기록됩니다. 다시 결제하지 마시고, 내일도 보류 상태이면 문의해 주세요.',
  'Your nodes stay on hold': '노드가 계속 보류됩니다',
  'Their payment has not come back to BNB Smart Chain, and our team has closed it. The nodes earn nothing.':
    '노드의 결제 거래가 BNB Smart Chain에 다시 기록되지 않아 담당자가 종료했습니다. 노드는 보상을 받지 않습니다.',
  "If it is mined after all, they earn again, and the rewards of the days that they missed are paid too. Please don't pay again; contact us if you think this is wrong.":
    '결제 거래가 나중에라도 기록되면 노드가 다시 보상을 받으며 그동안 받지 못한 날의 보상도 지급됩니다. 다시 결제하지 마시고, 잘못된 내용이라고 생각되시면 저희에게 연락해 주세요.',
  'Your nodes earn again': '노드가 다시 보상을 받습니다',
  'They are no longer on hold. The rewards of the days that they missed are paid too.':
    '보류가 해제되었습니다. 그동안 받지 못한 날의 보상도 지급됩니다.',
  'Our team has restored them, but a payment for them is still missing from BNB Smart Chain. Until 30 days after the purchase, a transfer of the same amount from the same wallet pays for them and buys no others.':
    '담당자가 복구했지만 결제 거래는 아직 BNB Smart Chain에 없습니다. 구매 후 30일까지 같은 지갑에서 같은 금액을 보내시면 이 노드의 결제로 처리되며 다른 노드는 배정되지 않습니다.',
  'Your purchase of {nodes} was cancelled': '{nodes} 구매가 취소되었습니다',
  'Your purchase of {nodes} was rejected': '{nodes} 구매가 거절되었습니다',
  'Your purchase of {nodes} was closed': '{nodes} 구매가 종료되었습니다',
  'Your purchase was closed': '구매가 종료되었습니다',
  'No payment of {amount} USDT for it has arrived in time, so no nodes are reserved for it any more.':
    '기한 내에 {amount} USDT 결제가 확인되지 않아 이 구매에 예약된 노드가 더 이상 없습니다.',
  "Please don't pay for it now: start a new purchase. If you have sent the payment already, it is not lost: our team reviews it when it arrives.":
    '이 구매에 대해 지금 결제하지 마시고 새로 구매해 주세요. 이미 보내셨다면 결제 금액은 안전합니다. 도착하면 담당자가 검토합니다.',
  'Your purchase of {nodes} for {amount} USDT was cancelled by our support.':
    '{nodes}, 총 {amount} USDT의 구매를 고객 지원에서 취소했습니다.',
  'Your purchase of {nodes} for {amount} USDT was rejected by our support.':
    '{nodes}, 총 {amount} USDT의 구매를 고객 지원에서 거절했습니다.',
  'Your payment has arrived. We will refund it or get in touch with you.':
    '결제하신 금액은 입금되었습니다. 환불해 드리거나 따로 연락드리겠습니다.',
  'No payment for it has arrived. If you have sent one, please contact us.':
    '이 구매에 대한 입금은 확인되지 않았습니다. 이미 보내셨다면 저희에게 연락해 주세요.',
  'A payment that arrived for it was sent back or closed before. If you have sent another one, please contact us.':
    '이 구매에 대한 입금은 앞서 환불되었거나 종료되었습니다. 다른 입금을 보내셨다면 저희에게 연락해 주세요.',
  'The payment that arrived for it came from a wallet that another account has proven to be its own. If you have sent it, please contact us.':
    '이 구매에 대한 입금은 다른 계정이 소유를 증명한 지갑에서 왔습니다. 직접 보내셨다면 저희에게 연락해 주세요.',
  'The payment that was reported for it came from another wallet. If you have sent it, please contact us.':
    '이 구매에 대해 알려 주신 입금은 다른 지갑에서 왔습니다. 직접 보내셨다면 저희에게 연락해 주세요.',
  'Your payment of {amount} USDT was found': '결제하신 {amount} USDT가 확인되었습니다',
  'It is on the chain and waits for confirmations. Your nodes follow within minutes, without any action from you.':
    '체인에 기록되었고 블록 확인을 기다리고 있습니다. 몇 분 안에 노드가 배정되며 따로 하실 일은 없습니다.',
  'It is on the chain and waits for confirmations. You will hear from us within minutes.':
    '체인에 기록되었고 블록 확인을 기다리고 있습니다. 몇 분 안에 결과를 알려 드립니다.',
  'Your payment of {amount} USDT is confirmed': '결제하신 {amount} USDT의 확인이 완료되었습니다',
  'A payment of {amount} USDT for your purchase is confirmed': '회원님의 구매에 대한 {amount} USDT 입금의 확인이 완료되었습니다',
  'It pays for your purchase of {nodes}, which was confirmed before.': '앞서 확인된 {nodes} 구매에 대한 결제로 처리되었습니다.',
  'Your payment of {amount} USDT waits for our team': '결제하신 {amount} USDT를 담당자가 확인하고 있습니다',
  "Our team will review it within five business days, and you will hear from us. It is safe; please don't pay again.":
    '담당자가 5영업일 이내에 확인한 후 알려 드립니다. 결제하신 금액은 안전하니 다시 결제하지 마세요.',
  'It is less than your purchase costs.': '구매 금액보다 적습니다.',
  'It is less than your purchase costs. Send exactly the missing {amount} USDT from the same wallet by {time}, and your purchase is confirmed automatically, as long as enough nodes are left.':
    '구매 금액보다 적습니다. 같은 지갑에서 부족한 {amount} USDT를 {time}까지 정확한 금액으로 보내시면, 남은 노드가 충분한 경우 구매가 자동으로 확인됩니다.',
  'It is less than your purchase costs. Send exactly the missing {amount} USDT from the same wallet by {time}, before you start another purchase, and yours is paid.':
    '구매 금액보다 적습니다. 다른 구매를 시작하시기 전에 같은 지갑에서 부족한 {amount} USDT를 {time}까지 정확한 금액으로 보내시면 이 구매의 결제가 완료됩니다.',
  'Otherwise our team will review it within five business days, and you will hear from us. Your payment is safe.':
    '보내지 않으시면 담당자가 5영업일 이내에 확인한 후 알려 드립니다. 결제하신 금액은 안전합니다.',
  'What has arrived for your purchase is more than it costs.': '이 구매에 대해 입금된 금액이 구매 금액보다 많습니다.',
  'It arrived after the time for its purchase was over.': '구매 시간이 끝난 후에 입금되었습니다.',
  'It was reported for a purchase of another account.': '다른 계정에서 자신의 구매에 대한 결제라고 알려 왔습니다.',
  'The transaction you reported was sent from a wallet other than the one of your purchase.':
    '알려 주신 거래는 구매에 사용하신 지갑이 아닌 다른 지갑에서 보낸 것입니다.',
  'Too few nodes were left when it arrived.': '입금되었을 때 남은 노드가 부족했습니다.',
  "It doesn't match a purchase of yours.": '해당하는 구매가 없습니다.',
  'Our database was restored from a backup after it arrived. Our team first checks whether it was sent back already.':
    '입금된 후 데이터베이스가 백업에서 복원되었습니다. 이미 환불되었는지 담당자가 먼저 확인합니다.',
  '{amount} USDT was sent back to you': '{amount} USDT가 환불되었습니다',
  'Your payment of {paid} USDT could not be used for a purchase. {amount} USDT was sent back to the wallet it came from.':
    '결제하신 {paid} USDT는 구매에 사용할 수 없었습니다. 보내신 지갑으로 {amount} USDT를 환불했습니다.',
  'A payment for your purchase was sent back': '회원님의 구매에 대한 입금이 환불되었습니다',
  'A payment of {paid} USDT for your purchase could not be used. {amount} USDT was sent back to the wallet it came from.':
    '회원님의 구매에 대한 {paid} USDT 입금은 사용할 수 없었습니다. 보낸 지갑으로 {amount} USDT를 환불했습니다.',
  'If you sent it from an exchange, ask the exchange to credit it to you.':
    '거래소에서 보내셨다면 거래소에 입금 처리를 요청해 주세요.',
  'Your payment of {amount} USDT was not used': '결제하신 {amount} USDT가 사용되지 않았습니다',
  'A payment for your purchase was not used': '회원님의 구매에 대한 입금이 사용되지 않았습니다',
  'Our team has reviewed and closed it: it bought no nodes, and no refund of it is recorded.':
    '담당자가 확인한 후 종료했습니다. 배정된 노드는 없으며 기록된 환불도 없습니다.',
  'It has vanished from BNB Smart Chain, and our team has closed it: it bought no nodes.':
    'BNB Smart Chain에서 사라져 담당자가 종료했습니다. 배정된 노드는 없습니다.',
  'Your payment of {amount} USDT was used for another account': '결제하신 {amount} USDT가 다른 계정에 사용되었습니다',
  'It pays for a purchase of another account that has proven the same wallet, or for which our team has accepted it.':
    '같은 지갑의 소유를 증명했거나 담당자가 이 결제를 인정한 다른 계정의 구매에 대한 결제로 처리되었습니다.',
  'It pays for another purchase, so yours is not paid by it.':
    '다른 구매에 대한 결제로 처리되어 회원님의 구매는 결제되지 않았습니다.',
  '1 bonus node is yours': '보너스 노드 1개가 지급되었습니다',
  '{count} bonus nodes are yours': '보너스 노드 {count}개가 지급되었습니다',
  'Thank you for your purchases: 1 bonus node is yours.': '구매해 주셔서 감사합니다. 보너스 노드 1개를 드립니다.',
  'Thank you for your purchases: {count} bonus nodes are yours.': '구매해 주셔서 감사합니다. 보너스 노드 {count}개를 드립니다.',
  Nodes: '노드',
  // Payments and our bookkeeping of them.
  Paid: '지급액',
  'Amount paid': '결제 금액',
  'Still owed': '미납 금액',
  Transaction: '거래',
  Purchase: '구매 번호',
  Bonus: '보너스 번호',
  Reason: '사유',
  Payment: '결제 거래',
  Refund: '환불 거래',

  // Rewards
  'Your nodes earned {amount}': '노드 보상 안내: {amount}',
  'What your nodes earned on {day}, 09:00 UTC:': '{day} 09:00 UTC에 지급된 노드 보상입니다:',
  'See your full history: {address}': '전체 내역은 다음 페이지에서 확인하실 수 있습니다: {address}',
  'You signed up for this email. You can turn it off on the same page.':
    '신청하신 분께 보내 드리는 메일입니다. 같은 페이지에서 수신을 중지하실 수 있습니다.',
  Date: '날짜',
  Calculation: '계산',
  '{count} node × {rate} = {amount}': '노드 {count}개 × {rate} = {amount}',
  '{count} nodes × {rate} = {amount}': '노드 {count}개 × {rate} = {amount}',
  'Balance now': '현재 잔액',

  // Withdrawals
  'Your daily withdrawal limit is {limit} XCR': '일일 출금 한도는 {limit} XCR입니다',
  'From now on, at most {limit} XCR can be withdrawn from your account within 24 hours.':
    '이제부터 24시간 동안 계정에서 {limit} XCR까지만 출금할 수 있습니다.',
  'The raise of the limit that was planned is cancelled.': '예정되어 있던 한도 상향은 취소되었습니다.',
  'Your daily withdrawal limit will be removed': '일일 출금 한도가 해제될 예정입니다',
  'Your daily withdrawal limit will be raised to {limit} XCR': '일일 출금 한도가 {limit} XCR로 상향될 예정입니다',
  'This takes effect on {time}. Until then, the limit stays at {limit} XCR.':
    '{time}에 적용됩니다. 그전까지 한도는 {limit} XCR입니다.',
  "If this wasn't you, cancel it in Security Settings before then, change your password and contact us immediately.":
    '본인이 하신 것이 아니라면 그전에 보안 설정에서 취소하고 비밀번호를 변경한 다음 즉시 저희에게 연락해 주세요.',
  'Withdrawal of {amount} XCR requested': '{amount} XCR 출금이 신청되었습니다',
  'Your withdrawal was requested. Our team will review it before payout.':
    '출금이 신청되었습니다. 담당자가 확인한 후 지급합니다.',
  'Your withdrawal was requested and will be paid to your wallet.': '출금이 신청되었으며 등록된 지갑으로 지급됩니다.',
  'Your withdrawal is on hold because your account was frozen, or its wallet, password or authenticator was changed. It is paid after that, without any action from you.':
    '계정이 동결되었거나 계정의 지갑, 비밀번호 또는 인증 앱이 변경되어 출금이 보류되었습니다. 보류가 끝나면 별도의 조치 없이 지급됩니다.',
  'Your withdrawal is on hold because your account was frozen, or its wallet, password or authenticator was changed. Our team will review it after that.':
    '계정이 동결되었거나 계정의 지갑, 비밀번호 또는 인증 앱이 변경되어 출금이 보류되었습니다. 보류가 끝나면 담당자가 확인한 후 지급합니다.',
  'You can cancel it on the history page until it is paid.': '지급되기 전까지 거래 내역 페이지에서 취소하실 수 있습니다.',
  'On hold until': '보류 종료',
  'Withdrawal cancelled: {amount} XCR returned': '출금이 취소되어 {amount} XCR이 반환되었습니다',
  'You cancelled your withdrawal. The full amount, {amount} XCR, is back in your account. No fee was charged.':
    '출금을 취소하셨습니다. 전액인 {amount} XCR이 계정으로 반환되었으며 수수료는 부과되지 않았습니다.',
  '{amount} XCR was paid to your wallet': '{amount} XCR이 지갑으로 지급되었습니다',
  'Your withdrawal has been paid.': '출금이 완료되었습니다.',
  'Your withdrawal was not paid: {amount} XCR returned': '출금하지 못하여 {amount} XCR이 반환되었습니다',
  'Your withdrawal could not be paid. The full amount, {amount} XCR, is back in your account. No fee was charged.':
    '출금을 지급하지 못했습니다. 전액인 {amount} XCR이 계정으로 반환되었으며 수수료는 부과되지 않았습니다.',
  'Your account still owes {amount} XCR': '계정에 {amount} XCR의 미정산 금액이 있습니다',
  'A withdrawal paid to your wallet exceeded your balance. Your daily rewards pay off the rest. You can withdraw again after that.':
    '지갑으로 지급된 출금이 계정 잔액을 초과했습니다. 부족한 금액은 매일 지급되는 보상에서 자동으로 정산되며, 정산이 끝나면 다시 출금하실 수 있습니다.',
  'If you think this is wrong, please contact us.': '잘못된 내용이라고 생각되시면 저희에게 연락해 주세요.',
  Amount: '신청 수량',
  Withdrawn: '출금 수량',
  Fee: '수수료',
  'You receive': '실수령 수량',
  To: '받는 주소',
  'Look it up': '거래 조회',
  Withdrawal: '출금 번호',

  // News
  'Node sales are open': '노드 판매가 시작되었습니다',
  'You can buy nodes from now on, while supplies last.':
    '지금부터 노드를 구매하실 수 있습니다. 수량이 소진되면 판매가 종료됩니다.',
  'Message from {brandName}': '{brandName}에서 보낸 메시지',

  // Push messages: without amounts, for lock screens
  'Your purchase is confirmed': '구매가 확인되었습니다',
  'Your purchase was cancelled': '구매가 취소되었습니다',
  'Your purchase was rejected': '구매가 거절되었습니다',
  'Your payment was found': '결제가 확인되었습니다',
  'Your payment is confirmed': '결제 확인이 완료되었습니다',
  'Your payment waits for our team': '담당자가 결제를 확인하고 있습니다',
  'Your payment was used for another account': '결제가 다른 계정에 사용되었습니다',
  'Your payment was not used': '결제가 사용되지 않았습니다',
  'Your payment was sent back': '결제 금액이 환불되었습니다',
  'You received bonus nodes': '보너스 노드가 지급되었습니다',
  'Your withdrawal was requested': '출금이 신청되었습니다',
  'Your withdrawal was cancelled': '출금이 취소되었습니다',
  'Your withdrawal was sent': '출금이 지급되었습니다',
  'Your withdrawal was not paid': '출금이 지급되지 않았습니다',
  'Your daily reward was paid': '오늘의 보상이 지급되었습니다',
  'There is a message from our team': '운영팀에서 보낸 메시지가 있습니다',
  'There is news about your nodes': '노드에 관한 새 소식이 있습니다',
  'There is news about your payments': '결제에 관한 새 소식이 있습니다',
  'There is news about your withdrawals': '출금에 관한 새 소식이 있습니다',
  'There is news about the security of your account': '계정 보안에 관한 새 소식이 있습니다',

  // The public register
  'Your account is open': '계정이 개설되었습니다',
  'Your account is open. What you buy, earn and withdraw is recorded in our public register, where you can verify it.':
    '계정이 개설되었습니다. 구매, 보상, 출금은 모두 공개 장부에 기록되며 직접 확인하실 수 있습니다.',
  'Your proof key was replaced': '증명 키가 교체되었습니다',
  'Your account has a new proof key. It opens what the public register says about you from now on. Keep your old key for what was published before.':
    '계정에 새 증명 키가 만들어졌습니다. 앞으로 공개 장부에 기록되는 내용은 새 키로 확인하실 수 있습니다. 이전에 공개된 내용을 확인하려면 기존 키를 보관해 주세요.',
  'Keep this receipt. It is signed: with it, anyone can verify that the public register contains what it promises.':
    '이 영수증을 보관해 주세요. 서명된 영수증이므로 약속된 내용이 공개 장부에 있는지 누구나 확인할 수 있습니다.',
}
