import type { Texts } from '../Texts.ts'

/** The dashboard, its FAQ, the server’s notice. */
export const dashboard: Texts = {
  'Purchase Additional Nodes': '노드 추가 구매',
  'One more comes free with every {count} you buy.': '{count}개를 구매하실 때마다 1개를 무료로 드립니다.',
  'Buy nodes': '노드 구매',
  'See the purchase page': '구매 페이지 보기',
  'Node sale': '노드 판매',
  'Sold out': '매진',
  'All nodes are sold.': '모든 노드가 판매되었습니다.',
  'Sales are paused': '판매 일시 중지',
  "You can't buy nodes right now. Nodes you already own keep earning.":
    '지금은 구매하실 수 없습니다. 이미 구매하신 노드에는 계속 보상이 지급됩니다.',
  'Sales Started!': '판매가 시작되었습니다!',
  'Node sales are available.': '지금 노드를 구매하실 수 있습니다.',

  'Own a node.': '노드를 보유하고',
  'Earn XCR every day.': '매일 XCR을 받으세요.',
  '{price} USDT per node. Each earns {reward} XCR a day, paid at 09:00 UTC.':
    '노드 1개에 {price} USDT. 노드마다 하루 {reward} XCR이 09:00 UTC에 지급됩니다.',
  'Latest sales': '최근 판매된 노드',
  'Nº {first} – {last}': '{first}번 – {last}번',
  'Already sold': '판매됨',
  Available: '구매 가능',
  'Browse the nodes': '노드 차례로 보기',
  'Previous node': '이전 노드',
  'Next node': '다음 노드',
  'Tap a dot to see its number and date.': '점을 누르면 노드 번호와 날짜가 표시됩니다.',
  'Node {number}': '노드 {number}번',
  Bonus: '보너스',
  'Reserved for a buyer': '구매자에게 예약됨',
  "Couldn't load the date": '날짜를 불러오지 못했습니다',
  'Total Available Nodes': '전체 노드 수량',
  'Limited Edition': '한정판',
  'Node Sales Status': '노드 판매 현황',
  'Total Sold': '총 판매량',
  Remaining: '남은 수량',

  'Owned Nodes': '보유 노드',
  'Verified today: {what}': '오늘 확인됨: {what}',
  'Verified on {date}: {what}': '{date} 확인됨: {what}',
  'Check your nodes in the public register': '공개 장부에서 내 노드 확인하기',
  '{count} node, {amount} XCR': '노드 {count}개, {amount} XCR',
  '{count} nodes, {amount} XCR': '노드 {count}개, {amount} XCR',
  ACTIVE: '활성',
  '{count} earning now': '{count}개가 보상을 받는 중',
  'XCR Balance': 'XCR 잔액',
  '{amount} earned in total': '누적 보상 {amount}',
  'Total Investment': '총 투자금',
  '{amount} USDT paid': '{amount} USDT 결제',
  'First reward: {date}': '첫 보상: {date}',
  'Four steps to your first reward': '첫 보상까지 네 단계',
  'You pay from this wallet and receive your XCR in it.': '이 지갑으로 결제하고 XCR도 이 지갑으로 받습니다.',
  'Set up your authenticator': '인증 앱 설정',
  'Every purchase and withdrawal requires its code.': '구매와 출금 때마다 인증 코드가 필요합니다.',
  'Buy your first node': '첫 노드 구매',
  'Pay with USDT on BNB Smart Chain. Your nodes arrive within minutes.':
    'BNB Smart Chain의 USDT로 결제하면 몇 분 안에 노드가 도착합니다.',
  'You have sent a payment. Its state is at the top of the page.': '결제를 보내셨습니다. 진행 상태는 페이지 위쪽에서 확인하세요.',
  'Get your first reward': '첫 보상 받기',
  'Nodes earn from 24 hours after payment. Rewards are paid daily at 09:00 UTC.':
    '노드는 결제 24시간 후부터 보상을 받습니다. 보상은 매일 09:00 UTC에 지급됩니다.',
  'Daily XCR Income': '일일 XCR 보상',
  'Next reward in {hours}h {minutes}m': '다음 보상까지 {hours}시간 {minutes}분',
  "Couldn't load your income": '보상 정보를 불러오지 못했습니다',
  'Your nodes keep earning. Rewards are paid by the server.': '보상은 서버에서 지급하므로 노드는 변함없이 보상을 받고 있습니다.',
  'XCR / day': 'XCR / 일',
  '{count} active × {amount} XCR per node': '활성 노드 {count}개 × {amount} XCR',
  '{count} pending nodes (active tomorrow)': '대기 중인 노드 {count}개 (내일 활성화)',
  'Your nodes': '내 노드',
  'Tap a dot or browse your nodes.': '점을 누르거나 내 노드를 차례로 살펴보세요.',
  Yours: '내 노드',
  'Yours, bonus': '내 노드, 보너스',
  Others: '다른 노드',
  'Yours will light up here': '구매하신 노드가 여기에 표시됩니다',

  'You pay': '결제',
  'The 24 hours start when your payment is first seen.': '결제가 처음 확인된 때부터 하루를 셉니다.',
  '24 hours pass': '24시간 경과',
  'No reward is paid at 09:00 UTC before they end.': '24시간이 지나기 전의 09:00 UTC에는 지급되지 않습니다.',
  'Then every day': '이후 매일',
  'Your first reward comes at the next 09:00 UTC.': '그다음 09:00 UTC에 첫 보상이 지급됩니다.',
  'Pause the video': '영상 일시 정지',
  'Play the video': '영상 재생',

  // FAQ
  'Frequently asked questions': '자주 묻는 질문',
  'What is an XCR node?': 'XCR 노드란 무엇인가요?',
  'One of {total} limited-edition places in the XCR network. Each active node earns a daily XCR reward. Bonus nodes count within the {total}: there will never be more.':
    'XCR 네트워크에 {total}개만 있는 한정 수량의 자리입니다. 활성 노드는 매일 XCR 보상을 받습니다. 보너스 노드도 {total}개에 포함되며, 그 이상 발행되지 않습니다.',
  'When do I start earning?': '보상은 언제부터 받나요?',
  'Rewards are paid daily at 09:00 UTC, starting 24 hours after payment. Nodes are assigned within about 10 minutes, and a confirmation e-mail is sent.':
    '보상은 결제 24시간 후부터 매일 09:00 UTC에 지급됩니다. 노드는 약 10분 이내에 배정되며 확인 이메일을 보내 드립니다.',
  'When can I withdraw?': '출금은 언제 할 수 있나요?',
  'Any time your balance is at least 3,000 XCR, to the wallet registered with your account. An authenticator code is required for all XCR withdrawals.':
    '잔액이 3,000 XCR 이상이면 언제든지 계정에 등록된 지갑으로 출금하실 수 있습니다. 모든 XCR 출금에는 인증 코드가 필요합니다.',
  'How do I pay?': '결제는 어떻게 하나요?',
  'With BEP20 USDT on BNB Smart Chain, from your registered wallet, to one fixed deposit address. Payment is confirmed and then admin-approved.':
    'BNB Smart Chain의 BEP20 USDT를 등록된 지갑에서 고정된 입금 주소로 보내 주시면 됩니다. 결제는 체인에서 확인된 후 관리자가 승인합니다.',
  'If your browser translates pages automatically, switch back to English before buying.':
    '브라우저가 페이지를 자동으로 번역한다면 구매하시기 전에 번역 기능을 꺼 주세요.',
  'Is there a purchase limit?': '구매 수량에 제한이 있나요?',
  'There is no per-person purchase limit. Sales are first come, first served.':
    '1인당 구매 제한은 없습니다. 판매는 선착순입니다.',
  'What is the 10+1 bonus?': '10+1 보너스란 무엇인가요?',
  'One free node for every {count} bought. Bonus nodes do not count toward the next bonus. The administrator sends them weekly.':
    '{count}개를 구매하실 때마다 노드 1개를 무료로 드립니다. 보너스 노드는 다음 보너스 계산에 포함되지 않습니다. 관리자가 매주 지급합니다.',
  Bought: '구매 수량',
  Total: '합계',
  'How do I set up OTP?': 'OTP는 어떻게 설정하나요?',
  'Install an authenticator app, such as Google Authenticator, on your phone.':
    '휴대폰에 Google Authenticator와 같은 인증 앱을 설치합니다.',
  'Log in and open Security Settings from the menu at the top right.': '로그인한 후 오른쪽 위 메뉴에서 보안 설정을 엽니다.',
  'Press Setup OTP, then Enable OTP Authentication.': '‘OTP 설정’을 누르고 이어서 ‘OTP 인증 사용’을 누릅니다.',
  'Scan the QR code with the app, or type the manual entry key into it.':
    '앱으로 QR 코드를 스캔하거나 직접 입력용 키를 앱에 입력합니다.',
  'Enter the 6-digit code shown in the app and press Verify & Enable.':
    '앱에 표시된 6자리 코드를 입력하고 ‘확인 후 사용’을 누릅니다.',
  'An authenticator code is required for all node purchases and all XCR withdrawals.':
    '모든 노드 구매와 XCR 출금에는 인증 코드가 필요합니다.',
  'Which coins do I need for fees?': '수수료에는 어떤 코인이 필요한가요?',
  'A purchase needs USDT plus about 0.00001 BNB for fees. Sending XCR needs at least 1 XP for fees.':
    '구매하시려면 USDT와 수수료로 약 0.00001 BNB가 필요합니다. XCR을 보내시려면 수수료로 최소 1 XP가 필요합니다.',
  'How do I reach support?': '고객 지원은 어떻게 이용하나요?',
  'By email at {address}. If you have paid, include the transaction ID.':
    '이메일 {address} 앞으로 문의해 주세요. 결제하셨다면 거래 ID를 함께 보내 주세요.',
  'By email. If you have paid, include the transaction ID.': '이메일로 문의해 주세요. 결제하셨다면 거래 ID를 함께 보내 주세요.',

  // The server’s notice
  'Server Notice': '서버 안내',
  'Due to high traffic, a purchase may fail right now.': '접속량이 많아 지금은 구매에 실패할 수 있습니다.',
  'If USDT was sent but nodes were not allocated, please send the transaction ID to support: {address}.':
    'USDT를 보냈는데 노드가 배정되지 않았다면 거래 ID를 고객 지원으로 보내 주세요: {address}.',
  'If USDT was sent but nodes were not allocated, please send the transaction ID to support.':
    'USDT를 보냈는데 노드가 배정되지 않았다면 거래 ID를 고객 지원으로 보내 주세요.',
  'The refund is verified and processed within 5 business days.': '환불은 확인을 거쳐 영업일 기준 5일 이내에 처리됩니다.',
  'If a purchase does not go through, please try again later.': '구매가 완료되지 않으면 나중에 다시 시도해 주세요.',
}
