import type { Texts } from '../Texts.ts'

/** The history, withdrawals, wallets. */
export const withdrawal: Texts = {
  'Transaction History': '거래 내역',
  'The {limit} newest entries, newest first. Times are UTC.':
    '최근 내역 {limit}건을 최신순으로 보여 드립니다. 시각은 UTC 기준입니다.',
  'Log in to see your transactions.': '거래 내역을 보시려면 로그인해 주십시오.',
  'Loading your history': '내역을 불러오는 중',
  'Your history could not be read': '내역을 불러오지 못했습니다',
  'The server did not answer.': '서버가 응답하지 않았습니다.',
  'Nothing of it is lost: it is kept on the server and on the chain.':
    '손실된 내용은 없으며, 서버와 체인에 안전하게 보관되어 있습니다.',
  'No transaction history available.': '거래 내역이 없습니다.',
  'Current XCR Balance': '현재 XCR 잔액',
  Withdrawable: '출금 가능',
  'Total XCR Earned': '누적 XCR 보상',
  'Since your first node': '첫 노드 구매 이후',
  'Total Withdrawal History': '총 출금 내역',
  '{count} completed withdrawal': '출금 완료 {count}건',
  '{count} completed withdrawals': '출금 완료 {count}건',
  'Mail me a daily summary': '매일 이메일로 요약 받기',
  'Not Changed': '변경하지 못했습니다',
  'Download statement': '명세서 다운로드',
  'Transaction ID': '거래 ID',
  Type: '종류',
  'Amount/{wbr}Quantity': '금액/{wbr}수량',
  Status: '상태',
  'Transaction Date': '거래 일시',
  'Tx Hash': '거래 해시',
  '{count} node': '노드 {count}개',
  'in the block explorer': '블록 탐색기에서 보기',
  'transaction hash': '거래 해시',
  'Failed to copy transaction hash.': '거래 해시를 복사하지 못했습니다.',

  Withdraw: '출금',
  'XCR Withdrawal': 'XCR 출금',
  'Current balance': '현재 잔액',
  Amount: '금액',
  'The whole balance': '전체 잔액',
  Max: '최대',
  'The minimum is {amount} XCR.': '최소 출금 수량은 {amount} XCR입니다.',
  Summary: '요약',
  'Fixed fee': '고정 수수료',
  'Actual amount after fee': '수수료 제외 실수령량',
  'Request Withdrawal': '출금 신청',
  'Sign with MetaMask': 'MetaMask로 서명',
  'Send Again': '다시 보내기',
  'Processing...': '처리 중...',
  'Not confirmed yet': '아직 확인되지 않았습니다',
  'Your withdrawal of {amount} is signed, and it is not certain whether it was received. Send it again: the same request is made only once.':
    '{amount} 출금에 서명하셨으나 접수되었는지 확실하지 않습니다. 다시 보내 주십시오. 같은 신청은 한 번만 처리됩니다.',
  'The fee has changed': '수수료가 변경되었습니다',
  'It is {fee} now. Nothing was withdrawn: check the summary, then sign again.':
    '현재 수수료는 {fee}입니다. 출금된 것은 없으니 요약을 확인하고 다시 서명해 주십시오.',
  'No answer from the wallet yet': '아직 지갑의 응답이 없습니다',
  'Open it yourself: the message to sign waits there.': '지갑을 직접 열어 주십시오. 서명할 메시지가 기다리고 있습니다.',
  'Authenticator missing': '인증 앱이 설정되지 않았습니다',
  'Set up': '설정',
  'OTP Verification': 'OTP 인증',
  'Enter the code of your authenticator app to withdraw XCR.': 'XCR을 출금하시려면 인증 앱의 코드를 입력해 주십시오.',
  'OTP Verification Complete': 'OTP 인증이 완료되었습니다',
  'Now click "Sign with MetaMask" to sign your withdrawal and send it.':
    '이제 "MetaMask로 서명"을 눌러 출금에 서명하고 신청해 주십시오.',
  'OTP Authentication Required': 'OTP 인증이 필요합니다',
  'Invalid Amount': '수량을 확인해 주십시오',
  'Setup Required': '설정이 필요합니다',
  'Network and token setup required in MetaMask for withdrawal.': '출금하시려면 MetaMask에 네트워크와 토큰을 설정해야 합니다.',
  'Withdrawal Request Completed': '출금 신청이 완료되었습니다',
  '{amount} XCR will be sent to {address}.': '{address} 주소로 {amount} XCR이 전송됩니다.',
  'Withdrawal Failed': '출금하지 못했습니다',
  'Nothing was withdrawn. Please try again.': '출금된 것은 없습니다. 다시 시도해 주십시오.',
  'The server could not answer. Send it again: it is made only once.':
    '서버가 응답하지 못했습니다. 다시 보내 주십시오. 신청은 한 번만 처리됩니다.',
  'The server did not answer. Send it again: it is made only once.':
    '서버가 응답하지 않았습니다. 다시 보내 주십시오. 신청은 한 번만 처리됩니다.',
  'Signature Cancelled': '서명이 취소되었습니다',
  'Nothing was withdrawn. Sign when you are ready.': '출금된 것은 없습니다. 준비되시면 서명해 주십시오.',
  'Signature Failed': '서명하지 못했습니다',
  'A request is open in your wallet already. Answer it first.': '지갑에 이미 열려 있는 요청이 있습니다. 먼저 처리해 주십시오.',
  'Your wallet did not sign. Nothing was withdrawn: please try again.':
    '지갑에서 서명하지 않았습니다. 출금된 것은 없으니 다시 시도해 주십시오.',
  'Check Your History': '내역을 확인해 주십시오',
  'The answer to your withdrawal was lost. If it was received, your history lists it.':
    '출금 신청의 응답을 받지 못했습니다. 접수되었다면 내역에 표시됩니다.',

  'Withdrawal address': '출금 주소',
  'withdrawal address': '출금 주소',
  'Please enter wallet address.': '지갑 주소를 입력해 주십시오.',
  'Use the connected wallet {address}': '연결된 지갑 {address} 사용',
  'Your own wallet: it signs every withdrawal, and XCR goes to it alone.':
    '본인의 지갑입니다. 모든 출금에 서명하며, XCR은 이 지갑으로만 전송됩니다.',
  Save: '저장',
  'Wallet Address Registration Completed': '지갑 주소가 등록되었습니다',
  'Wallet Address Registration Failed': '지갑 주소를 등록하지 못했습니다',
  'Wallet Address Required': '지갑 주소가 필요합니다',
  'Registered Wallet Required': '등록된 지갑이 필요합니다',
  'Choose the account {address} in your wallet: only its signature is accepted.':
    '지갑에서 {address} 계정을 선택해 주십시오. 이 계정의 서명만 인정됩니다.',
  'No wallet connected': '연결된 지갑이 없습니다',
  'Connect Wallet': '지갑 연결',
  'Your wallet signs the withdrawal. Signing costs nothing.': '출금에는 지갑의 서명이 필요합니다. 서명에는 비용이 들지 않습니다.',
  'Another wallet is connected': '다른 지갑이 연결되어 있습니다',
  'Connected is {connected}, registered {registered}. Choose the registered account in your wallet: only its signature is accepted.':
    '연결된 지갑은 {connected}, 등록된 지갑은 {registered}입니다. 지갑에서 등록된 계정을 선택해 주십시오. 이 계정의 서명만 인정됩니다.',
  'MetaMask Not Connected': 'MetaMask가 연결되지 않았습니다',
  'Please connect your MetaMask wallet first.': '먼저 MetaMask 지갑을 연결해 주십시오.',
  'MetaMask Required': 'MetaMask가 필요합니다',
  'Install this browser wallet, then load the page again.': '이 브라우저 지갑을 설치한 후 페이지를 다시 불러와 주십시오.',

  'Wallet set-up guide': '지갑 설정 안내',
  'Add the network and the token to see your XCR in the wallet. Sending it on takes at least 1 {symbol} for fees.':
    '지갑에서 XCR을 보시려면 네트워크와 토큰을 추가해 주십시오. 다른 곳으로 보내시려면 수수료로 1 {symbol} 이상이 필요합니다.',
  'Network name': '네트워크 이름',
  'Chain id': '체인 ID',
  'RPC address': 'RPC 주소',
  'Currency symbol': '통화 기호',
  'Token address': '토큰 주소',
  'Token symbol': '토큰 기호',
  'Token decimals': '토큰 소수 자릿수',
  'Add Network': '네트워크 추가',
  'Add Token': '토큰 추가',
  'Wallet Request Waiting': '지갑에 대기 중인 요청이 있습니다',
  'Your wallet has a request open already. Answer it, then try again.':
    '지갑에 이미 열려 있는 요청이 있습니다. 처리하신 후 다시 시도해 주십시오.',
  'Add it in your wallet yourself, with the values above.': '위의 값을 사용하여 지갑에 직접 추가해 주십시오.',
  '{name} was not added.': '추가되지 않음: {name}',
  'Network Added': '네트워크가 추가되었습니다',
  'Your wallet is on {network}.': '지갑의 현재 네트워크: {network}',
  'Network Addition Cancelled': '네트워크 추가가 취소되었습니다',
  'Network Addition Failed': '네트워크를 추가하지 못했습니다',
  'Token Added': '토큰이 추가되었습니다',
  'Your wallet shows {symbol} on {network}.': '이제 지갑의 {network} 네트워크에 {symbol} 잔액이 표시됩니다.',
  'Token Addition Cancelled': '토큰 추가가 취소되었습니다',
  'Token Addition Failed': '토큰을 추가하지 못했습니다',

  // Wallet
  Connecting: '연결 중',
  'Wallet {address}': '지갑 {address}',
  'Sales Disabled': '판매 중지',
  'Sales are stopped, so wallet connection is impossible.': '판매가 중지되어 지갑을 연결할 수 없습니다.',
  'Your wallet': '내 지갑',
  'Confirm your wallet': '지갑 확인',
  'Sign in your wallet that it is yours. This costs nothing.':
    '본인의 지갑임을 확인하기 위해 지갑에서 서명해 주십시오. 비용은 들지 않습니다.',
  'Nodes are paid from it with USDT on BNB Smart Chain.': '이 지갑에서 BNB Smart Chain의 USDT로 노드를 결제합니다.',
  'Waiting for your signature.': '서명을 기다리고 있습니다.',
  'Continue without signing': '서명 없이 계속',
  'Confirm the connection in your wallet.': '지갑에서 연결을 승인해 주십시오.',
  'Choose again': '다시 선택',
  'Nothing to see? Open your wallet yourself: the question waits there.':
    '아무것도 보이지 않습니까? 지갑을 직접 열어 주십시오. 지갑에 요청이 대기 중입니다.',
  'wallet address': '지갑 주소',
  'Wallet in the block explorer': '블록 탐색기에서 지갑 보기',
  'Registered for your account. Nodes are paid from this wallet only.':
    '계정에 등록된 지갑입니다. 노드는 이 지갑에서만 결제하실 수 있습니다.',
  'Not the wallet of your account': '계정에 등록된 지갑이 아닙니다',
  'Your account is registered with {address}.': '계정에 등록된 지갑: {address}.',
  'Your account has no wallet yet.': '계정에 등록된 지갑이 아직 없습니다.',
  'Connected in this browser. It is saved to your account when you log in.':
    '이 브라우저에 연결되었습니다. 로그인하시면 계정에 저장됩니다.',
  'No wallet was found in this browser. Install one as an extension, MetaMask for instance, then load this page again. Or go on where your wallet is:':
    '이 브라우저에서 지갑을 찾지 못했습니다. MetaMask와 같은 확장 프로그램을 설치한 다음 이 페이지를 다시 불러와 주십시오. 또는 지갑이 있는 기기에서 계속하실 수 있습니다.',
  'More wallets': '다른 지갑 더 보기',
  'By WalletConnect, which is fetched now': 'WalletConnect를 불러와 연결합니다',
  'Another wallet app': '다른 지갑 앱',
  'On another device': '다른 기기에서',
  'Scan this with your phone, or open the address in the browser of your wallet. Log in there and connect.':
    '휴대폰으로 스캔하거나 지갑의 브라우저에서 주소를 열어 주십시오. 그곳에서 로그인하고 지갑을 연결해 주십시오.',
  'On a phone your wallet is an app. Open this page in its browser, log in there, and connect.':
    '휴대폰의 지갑은 앱입니다. 지갑 앱의 브라우저에서 이 페이지를 열고 로그인한 다음 연결해 주십시오.',
  'Opening {name}': '{name} 여는 중',
  'Continue in the browser of {name}. Nothing happens? It is not installed: open this address in a wallet you have.':
    '{name} 앱의 브라우저에서 계속해 주십시오. 아무 반응이 없다면 설치되어 있지 않은 것이니, 사용하시는 지갑에서 이 주소를 열어 주십시오.',
  'Another wallet? Copy the address of this page and open it in the wallet’s own browser:':
    '다른 지갑을 사용하십니까? 이 페이지의 주소를 복사하여 지갑의 브라우저에서 열어 주십시오.',
  'Wallet, then Discover': '지갑, 이어서 디스커버(Discover)',
  Discover: '디스커버(Discover)',
  Browser: '브라우저(Browser)',
  "QR code of this page's address": '이 페이지 주소의 QR 코드',
  'MetaMask is required: install this browser wallet, then load the page again.':
    'MetaMask가 필요합니다. 이 브라우저 지갑을 설치한 다음 페이지를 다시 불러와 주십시오.',
  'The wallet part of the page did not load. Please try again.':
    '페이지의 지갑 기능을 불러오지 못했습니다. 다시 시도해 주십시오.',
  'There is a pending connection request. Open your wallet and answer it.':
    '대기 중인 연결 요청이 있습니다. 지갑을 열어 응답해 주십시오.',
  'Your wallet has not answered. Open it, then connect again.':
    '지갑이 응답하지 않았습니다. 지갑을 연 다음 다시 연결해 주십시오.',
  'Failed to connect the wallet.': '지갑을 연결하지 못했습니다.',
  'This wallet is not there any more.': '이 지갑을 더 이상 찾을 수 없습니다.',
  'Browser wallet': '브라우저 지갑',
  '{address} is saved without a signature. Connect again and sign to have payments recognised even without a request.':
    '{address} 주소가 서명 없이 저장되었습니다. 다시 연결하여 서명하시면 구매 요청이 없어도 결제가 인정됩니다.',
}
