import type { Texts } from '../Texts.ts'

/** Buying nodes and following a payment. */
export const purchase: Texts = {
  'Node Purchase': '노드 구매',
  'The sale so far': '현재 판매 상황',
  'Start of the sale': '판매 시작',
  Sold: '판매 수량',
  'Sales rate': '판매율',
  '{rate} sold': '{rate} 판매됨',
  'Purchases are not set up yet': '아직 구매를 이용할 수 없습니다',
  "No deposit address is configured, so you can't pay yet.": '입금 주소가 설정되지 않아 결제할 수 없습니다.',
  "Log in to buy. We'll keep your quantity.": '로그인하고 구매하세요. 선택하신 수량은 그대로 유지됩니다.',
  "Log in now to be ready when sales open. We'll keep your quantity.":
    '로그인해 두시면 판매가 열릴 때 바로 구매하실 수 있습니다. 선택하신 수량은 그대로 유지됩니다.',
  'Continue with {nodes}': '{nodes} 구매 계속하기',
  'Pay {amount} USDT': '{amount} USDT 결제',
  '{pay} to purchase {count} node': '{pay}, 노드 {count}개 구매',
  '{pay} to purchase {count} nodes': '{pay}, 노드 {count}개 구매',
  'Enter the code from your authenticator app to purchase {nodes} for {amount} USDT.':
    '{nodes}를 {amount} USDT에 구매하시려면 인증 앱의 코드를 입력하세요.',
  "Couldn't load your payments": '결제 내역을 불러오지 못했습니다',
  'You can buy nodes once we know that you have no open payment.': '진행 중인 결제가 없는지 확인되면 구매하실 수 있습니다.',
  'Buy more': '더 구매하기',
  'A new quantity replaces the {nodes} reserved for you. To get both, pay for those first.':
    '수량을 새로 선택하시면 예약된 {nodes}를 대신합니다. 둘 다 구매하시려면 예약된 노드를 먼저 결제하세요.',
  'You have a payment in progress. This is another purchase.': '진행 중인 결제가 있습니다. 아래 버튼은 별도의 새 구매입니다.',
  'How many nodes?': '노드를 몇 개 구매하시겠어요?',
  'Preset quantities': '수량 선택',
  'Remove one node': '노드 1개 줄이기',
  'Add one node': '노드 1개 늘리기',
  Quantity: '수량',
  'Only {count} left.': '{count}개만 남았습니다.',
  'From 1 to {count}. No limit per person.': '1개부터 {count}개까지. 1인당 구매 제한은 없습니다.',
  'From 1 to {count}. At most {limit} unpaid at once until you connect your wallet again and sign.':
    '1개부터 {count}개까지. 지갑을 다시 연결해 서명하기 전에는 미결제 노드를 한 번에 {limit}개까지만 보유할 수 있습니다.',
  Receipt: '결제 내역',
  'Unit price': '단가',
  '{count} <unit>node</unit>': '{count}<unit>개</unit>',
  '{count} <unit>nodes</unit>': '{count}<unit>개</unit>',
  '+{count} free node, added within a week': '무료 노드 +{count}개, 1주일 이내 지급',
  '+{count} free nodes, added within a week': '무료 노드 +{count}개, 1주일 이내 지급',
  'Buy {count} more, get 1 free': '{count}개 더 구매하면 1개 무료',
  'The network fee is extra: about 0.00001 BNB from your wallet.':
    '네트워크 수수료는 별도이며, 지갑에서 약 0.00001 BNB가 사용됩니다.',
  'Node benefits': '노드 혜택',
  'Daily XCR income': '일일 XCR 보상',
  'Every day at 09:00 UTC': '매일 09:00 UTC',
  'Vesting period': '베스팅 기간',
  '5 years': '5년',
  Governance: '거버넌스',
  'Enabled for every node': '모든 노드에 지원',
  'Payment instructions': '결제 안내',
  'BEP20 USDT only, on BNB Smart Chain.': 'BNB Smart Chain의 BEP20 USDT로만 결제하실 수 있습니다.',
  'Transfer only from your registered wallet.': '등록된 지갑에서만 전송해 주세요.',
  'Purchase only in units of the node price, {price} USDT.': '노드 가격인 {price} USDT 단위로만 구매하실 수 있습니다.',
  'Nodes are distributed within 30 minutes after confirmation. Chain confirmation usually takes 5–30 minutes.':
    '노드는 확인 후 30분 이내에 지급됩니다. 체인 확인에는 보통 5–30분이 걸립니다.',
  'Investment risk': '투자 위험',
  "Nodes and XCR are risky. They can lose all their value, and blockchain payments can't be reversed. Pay only what you can afford to lose.":
    '노드와 XCR에는 위험이 따릅니다. 가치를 모두 잃을 수 있으며 블록체인 결제는 되돌릴 수 없습니다. 잃어도 감당할 수 있는 금액만 결제하세요.',
  'In plain words': '쉽게 말하면',
  'One node costs {price} USDT and earns {rate} XCR a day at the present rate. The rate can change.':
    '노드 1개는 {price} USDT이며, 현재 비율로 하루 {rate} XCR을 받습니다. 비율은 바뀔 수 있습니다.',
  'One node takes {days} days to earn {minimum} XCR, the minimum withdrawal. More nodes get there sooner.':
    '노드 1개로 최소 출금액 {minimum} XCR을 모으려면 {days}일이 걸립니다. 노드가 많을수록 빨라집니다.',
  'Each withdrawal costs a fee of {fee} XCR.': '출금할 때마다 수수료 {fee} XCR이 듭니다.',
  'Vesting is a 5-year period that the administrator starts for all nodes. It does not lock your XCR.':
    '베스팅은 관리자가 모든 노드에 대해 시작하는 5년의 기간입니다. XCR이 잠기지는 않습니다.',
  'Governance is enabled for nodes. There is nothing to vote on here today.':
    '노드는 거버넌스를 지원합니다. 지금 이 사이트에는 투표할 안건이 없습니다.',
  'In practice, both are automatic. Your nodes usually arrive within minutes of payment.':
    '실제로는 모두 자동으로 처리되며, 보통 결제 후 몇 분 안에 노드가 도착합니다.',
  '{time} your time': '현지 시간 {time}',

  // Before buying
  'Before you pay': '결제 전 확인',
  'being checked': '확인 중',
  done: '완료',
  missing: '필요함',
  Account: '계정',
  Wallet: '지갑',
  "You'll pay from this wallet.": '이 지갑에서 결제합니다.',
  Connect: '연결',
  'Connected {address}, registered {registered}.': '연결된 지갑 {address}, 등록된 지갑 {registered}.',
  'Connected, not registered yet.': '연결되었지만 아직 등록되지 않았습니다.',
  'Register this wallet': '이 지갑 등록',
  Authenticator: '인증 앱',
  "We'll ask for a code when you pay.": '결제하실 때 코드를 입력합니다.',
  'Every purchase requires a code.': '구매하실 때마다 코드가 필요합니다.',
  Sale: '판매',
  'Sales are stopped at the moment.': '현재 판매가 중지되어 있습니다.',
  "You can't buy nodes right now. Nodes you have paid for are safe.":
    '지금은 구매할 수 없습니다. 이미 결제하신 내역은 안전합니다.',
  'You can still pay for the nodes reserved for you, until their time is over. More cannot be reserved.':
    '예약하신 노드는 예약 시간이 끝날 때까지 결제하실 수 있습니다. 추가 예약은 할 수 없습니다.',
  'All other nodes are sold. You can still pay for the nodes reserved for you, until their time is over.':
    '다른 노드는 모두 판매되었습니다. 예약하신 노드는 예약 시간이 끝날 때까지 결제하실 수 있습니다.',
  'Starts {time}.': '시작: {time}.',
  'Open for the nodes reserved for you.': '예약하신 노드는 결제하실 수 있습니다.',
  'Sold out.': '매진되었습니다.',
  'Open. First come, first served.': '판매 중입니다. 선착순으로 판매합니다.',

  // Reasons why a purchase cannot go on
  'Purchase Unavailable': '구매할 수 없습니다',
  'Insufficient remaining node quantity.': '남은 노드 수량이 부족합니다.',
  'Purchase Failed': '구매하지 못했습니다',
  'Node purchase failed.': '노드 구매에 실패했습니다.',
  'Insufficient USDT Balance': 'USDT 잔액 부족',
  'You need {amount} USDT to complete this purchase.': '구매를 완료하시려면 {amount} USDT가 필요합니다.',
  'Nodes Released': '예약이 해제되었습니다',
  'Nothing was paid, and your nodes are no longer reserved.': '결제된 금액은 없으며, 더 이상 예약된 노드가 없습니다.',
  "If your wallet sent the payment anyway, don't buy again. We'll find it.":
    '그래도 지갑에서 결제가 전송되었다면 다시 구매하지 마세요. 결제는 자동으로 확인됩니다.',
  'Not Released': '예약을 해제하지 못했습니다',
  'Wallet Connection Required': '지갑 연결이 필요합니다',
  'Please connect your wallet from the top right corner.': '오른쪽 위에서 지갑을 연결해 주세요.',
  'Only payments from {address} are recognized. Connect it, or register this wallet first.':
    '{address} 지갑에서 보낸 결제만 인정됩니다. 그 지갑을 연결하시거나, 먼저 이 지갑을 등록해 주세요.',
  'Register the connected wallet first. Only payments from a registered wallet are recognized.':
    '먼저 연결된 지갑을 등록해 주세요. 등록된 지갑에서 보낸 결제만 인정됩니다.',
  'You must set up Google Authenticator before making a purchase.': '구매하시려면 먼저 Google Authenticator를 설정해 주세요.',

  // Paying
  Pay: '결제',
  'Connect your wallet': '지갑 연결',
  'Unlock the wallet': '지갑 잠금 해제',
  'Choose the account': '계정 선택',
  'Switch to BNB Smart Chain': 'BNB Smart Chain으로 전환',
  "We'll check it once your wallet is connected.": '지갑을 연결하시면 확인합니다.',
  '{balance} USDT in your wallet.': '지갑에 {balance} USDT가 있습니다.',
  'Your wallet has {balance} USDT. You need {missing} USDT more.': '지갑에 {balance} USDT가 있으며, {missing} USDT가 부족합니다.',
  'Send USDT (BEP20) to this wallet, or choose fewer nodes.': '이 지갑으로 USDT(BEP20)를 보내거나 수량을 줄이세요.',
  'Choose {nodes}': '{nodes} 선택',
  'Check again': '다시 확인',
  'Check the balance again': '잔액 다시 확인',
  'Checking your wallet': '지갑 확인 중',
  'You are next.': '곧 차례입니다.',
  '{count} before you': '앞에 {count}명이 있습니다',
  'About {count} before you': '앞에 약 {count}명이 있습니다',
  'Your place is kept, even if you reload this page.': '이 페이지를 새로고침해도 순서는 그대로 유지됩니다.',
  'I switched, continue': '전환했습니다, 계속',
  'Waiting for your wallet': '지갑의 응답을 기다리는 중',
  'Payment Progress': '결제 진행 상황',
  '{nodes} for {amount} USDT': '{nodes}, 총 {amount} USDT',
  'Reserved for {time}. Your wallet will ask you to confirm.': '예약 시간이 {time} 남았습니다. 지갑에서 승인을 요청합니다.',
  'I have sent it': '전송했습니다',
  'Stop waiting': '그만 기다리기',
  "Open it. The transfer is waiting there. If you have already sent it, don't pay again. We'll find it on the chain.":
    '지갑을 열어 주세요. 지갑에서 전송 요청이 승인을 기다리고 있습니다. 이미 보내셨다면 다시 결제하지 마세요. 체인에서 자동으로 확인됩니다.',
  "Your wallet was asked at {time}. If it still shows the transfer, answer it there. If you have already sent it, don't pay again. We'll find it on the chain.":
    '{time}에 지갑에 결제를 요청했습니다. 지갑에 전송 요청이 아직 남아 있다면 지갑에서 응답해 주세요. 이미 보내셨다면 다시 결제하지 마세요. 체인에서 자동으로 확인됩니다.',
  'Your wallet may still show a payment': '지갑에 결제 요청이 남아 있을 수 있습니다',
  "It was asked at {time} to pay for nodes that are no longer reserved for you. Reject it there. If you have already sent it, don't buy again. We'll find it on the chain.":
    '{time}에 결제를 요청한 노드는 더 이상 예약되어 있지 않습니다. 지갑에서 요청을 거절해 주세요. 이미 보내셨다면 다시 구매하지 마세요. 체인에서 자동으로 확인됩니다.',
  "Don't pay again": '다시 결제하지 마세요',
  'This purchase already has a payment. Reject the request if your wallet still shows it.':
    '이 구매에는 이미 결제가 있습니다. 지갑에 요청이 아직 남아 있다면 거절해 주세요.',
  'The reservation has expired': '예약이 만료되었습니다',
  "Nothing was paid. Close this and purchase again. If your wallet sent the payment anyway, don't pay twice. We'll find it on the chain.":
    '결제된 금액이 없습니다. 이 창을 닫고 다시 구매해 주세요. 그래도 지갑에서 결제가 전송되었다면 두 번 결제하지 마세요. 체인에서 확인됩니다.',
  'Nothing was paid': '결제된 금액이 없습니다',
  'Not in a block yet': '아직 블록에 포함되지 않았습니다',
  'The chain rejected the transaction, often because there was not enough BNB for the fee. The nodes stay held until about 30 minutes after you reserved them. You can purchase again after that.':
    '체인에서 거래가 거부되었습니다. 대개 수수료로 쓸 BNB가 부족한 경우입니다. 노드는 예약하신 때부터 약 30분 동안 확보되어 있으며, 그 후에 다시 구매하실 수 있습니다.',
  "If you sped it up in your wallet, we'll find its replacement. If you cancelled it, nothing was paid. The nodes stay held until about 30 minutes after you reserved them. You can purchase again after that.":
    '지갑에서 거래 속도를 높이셨다면 대체된 거래를 자동으로 찾습니다. 거래를 취소하셨다면 결제된 금액이 없습니다. 노드는 예약하신 때부터 약 30분 동안 확보되어 있으며, 그 후에 다시 구매하실 수 있습니다.',
  'Sent it already? Check my transaction': '이미 보내셨나요? 내 거래 확인',
  "You can close this. We'll keep tracking the payment on the chain and email you when the nodes are yours.":
    '창을 닫으셔도 됩니다. 이 페이지가 없어도 체인에서 결제를 계속 확인하며, 노드가 배정되면 이메일을 보내 드립니다.',
  Transaction: '거래',
  'Transaction in the block explorer': '블록 탐색기에서 거래 보기',
  'See your history': '내역 보기',
  Done: '완료',
  'Keep the reservation?': '예약을 유지하시겠어요?',
  '{nodes} for {amount} USDT, reserved for another {time}.': '{nodes}, {amount} USDT. 예약 시간이 {time} 남았습니다.',
  "Keep them to pay any time before the timer ends, or release them now. You haven't paid anything.":
    '예약을 유지하면 시간이 끝나기 전까지 언제든지 결제하실 수 있고, 지금 해제하실 수도 있습니다. 아직 결제된 금액은 없습니다.',
  'Your wallet was asked at {time}. If it may have sent the payment, keep the nodes.':
    '{time}에 지갑에 결제를 요청했습니다. 지갑에서 결제가 전송되었을 수 있다면 예약을 유지해 주세요.',
  'Releasing...': '해제 중...',
  'Release the nodes': '예약 해제',
  'Keep them and close': '유지하고 닫기',

  // The steps of a payment
  'Steps of the payment': '결제 단계',
  'not yet': '대기',
  now: '진행 중',
  'under review': '검토 중',
  stopped: '중단됨',
  'Nodes reserved': '노드 예약',
  'BNB Smart Chain': 'BNB Smart Chain 네트워크',
  'USDT balance': 'USDT 잔액',
  'Signed and sent': '서명 및 전송',
  'Confirmed by the chain': '체인 확인',
  'Nodes allocated': '노드 배정',
  'Connect your wallet.': '지갑을 연결하세요.',
  'Your wallet is locked.': '지갑이 잠겨 있습니다.',
  'Your wallet is using a different account than the registered one.':
    '지갑에서 등록된 계정이 아닌 다른 계정이 선택되어 있습니다.',
  'Your wallet is on another network.': '지갑이 다른 네트워크에 연결되어 있습니다.',
  "Couldn't load the sale figures": '판매 현황을 불러오지 못했습니다',
  'More may have been sold than shown. You will see the price before you pay.':
    '실제 판매 수량은 표시된 것보다 많을 수 있습니다. 결제 금액은 결제 전에 안내해 드립니다.',
  "Your wallet hasn't been checked yet.": '아직 지갑을 확인하지 못했습니다.',
  "Your wallet doesn't have enough USDT.": '지갑의 USDT가 부족합니다.',
  'Confirm in your wallet if prompted.': '지갑에서 확인을 요청하면 승인해 주세요.',
  'Checking it on the chain.': '체인에서 잔액을 확인하고 있습니다.',
  'Confirm the transfer in your wallet.': '지갑에서 전송을 승인해 주세요.',
  "Notifying the server. We'll retry until it responds.": '서버에 알리고 있습니다. 응답을 받을 때까지 반복합니다.',
  'The transaction failed on the chain. Nothing was paid.': '체인에서 거래가 실패했습니다. 결제된 금액은 없습니다.',
  "Your wallet replaced the transaction. If you sped it up, we'll find the new one by its sender and amount. If you cancelled it, nothing was paid.":
    '지갑에서 거래가 대체되었습니다. 속도를 높이신 거래는 보낸 주소와 금액으로 찾으며, 취소하신 거래라면 결제된 금액이 없습니다.',
  'Waiting for the first block.': '첫 블록을 기다리고 있습니다.',
  'Confirmed on the chain. We are checking it with a second source.':
    '체인에서 확인되었습니다. 두 번째 출처와 대조하고 있습니다.',
  '{count} of {needed} confirmations': '확인 {count}/{needed}',
  'Node {numbers} is yours.': '노드 {numbers}번이 배정되었습니다.',
  'Nodes {numbers} are yours.': '노드 {numbers}번이 배정되었습니다.',
  'Our team is reviewing this payment.': '담당자가 이 결제를 확인하고 있습니다.',
  "The amount received doesn't match the total. Support will resolve it.":
    '입금된 금액이 합계와 다릅니다. 고객 지원에서 처리해 드립니다.',
  "It came from a wallet that isn't registered to you. Support will resolve it.":
    '등록된 지갑이 아닌 다른 지갑에서 입금되었습니다. 고객 지원에서 처리해 드립니다.',
  'The nodes ran out before the payment arrived. Support will resolve it.':
    '결제가 도착하기 전에 노드가 매진되었습니다. 고객 지원에서 처리해 드립니다.',
  'It arrived after the reservation expired. Support will resolve it.':
    '예약이 만료된 후에 입금되었습니다. 고객 지원에서 처리해 드립니다.',
  'Cancelled: no payment arrived in time.': '취소됨: 제한 시간 안에 결제가 도착하지 않았습니다.',
  'This payment was not accepted.': '승인되지 않은 결제입니다.',

  // Answers of the wallet
  'Transaction Submitted': '거래를 전송했습니다',
  'Your nodes are allocated once the chain has confirmed it.': '체인에서 확인되면 노드가 배정됩니다.',
  'Reject the earlier request if your wallet still shows it, so that you do not pay twice.':
    '지갑에 이전 요청이 아직 남아 있다면 두 번 결제되지 않도록 거절해 주세요.',
  'MetaMask not found': 'MetaMask를 찾을 수 없습니다',
  'Please install MetaMask to continue with payment.': '결제를 계속하시려면 MetaMask를 설치해 주세요.',
  'Transaction Failed': '거래에 실패했습니다',
  'Transaction failed. Please try again.': '거래에 실패했습니다. 다시 시도해 주세요.',
  'Connection Failed': '연결하지 못했습니다',
  'Your wallet has not responded. Open it, then continue.': '지갑이 응답하지 않았습니다. 지갑을 연 다음 계속해 주세요.',
  'Failed to connect to MetaMask. Please try again.': 'MetaMask에 연결하지 못했습니다. 다시 시도해 주세요.',
  'Choose the account {address} in your wallet. Only its payment is recognized.':
    '지갑에서 {address} 계정을 선택해 주세요. 그 계정에서 보낸 결제만 인정됩니다.',
  'Your wallet must be on BNB Smart Chain to pay.': '결제하시려면 지갑이 BNB Smart Chain에 연결되어 있어야 합니다.',
  'Switch to BNB Smart Chain in your wallet, then continue.': '지갑에서 직접 BNB Smart Chain으로 전환한 다음 계속해 주세요.',
  'Your wallet has a pending connection request. Respond to it, then continue.':
    '지갑에 대기 중인 연결 요청이 있습니다. 요청에 응답한 다음 계속해 주세요.',
  "Your wallet still shows an earlier request. Respond to it there. If that is the transfer, don't pay again.":
    '지갑에 이전 요청이 아직 남아 있습니다. 지갑에서 먼저 응답해 주세요. 그 요청이 이 전송이라면 다시 결제하지 마세요.',
  'No Response From Your Wallet': '지갑이 응답하지 않습니다',
  "Look at your wallet's activity first. If it shows the transfer, don't pay again. We'll find it on the chain.":
    '먼저 지갑의 거래 내역을 확인해 주세요. 전송이 표시되어 있다면 다시 결제하지 마세요. 체인에서 자동으로 확인됩니다.',
  'Transaction was rejected by user.': '사용자가 거래를 거절했습니다.',
  'Insufficient funds for transaction.': '거래에 필요한 잔액이 부족합니다.',
  'The network fee is paid in BNB. Send a little BNB to this wallet, or the USDT that it lacks, then pay again.':
    '네트워크 수수료는 BNB로 지불됩니다. 이 지갑으로 소량의 BNB(USDT가 부족하다면 USDT)를 보내신 다음 다시 결제해 주세요.',

  // Payments in progress
  'Payments in progress': '진행 중인 결제',
  View: '확인하기',
  Show: '보기',
  'Show the progress': '진행 상황 보기',
  'Payment requested in your wallet': '지갑에 결제를 요청했습니다',
  '{nodes} for {amount} USDT.': '{nodes}, 총 {amount} USDT.',
  '{nodes} reserved for you': '{nodes} 예약 중',
  '{amount} USDT, reserved for another {time}. {state}': '{amount} USDT, {time} 남음. {state}',
  'Nothing is paid yet.': '아직 결제된 금액은 없습니다.',
  'Your wallet was asked to pay.': '지갑에 결제를 요청했습니다.',
  'Not paid yet, {time} left': '결제 전, {time} 남음',
  'Your wallet was asked to pay, {time} left': '지갑에 결제를 요청함, {time} 남음',
  'Continue with the payment': '결제 계속하기',
  Release: '예약 해제',
  '{amount} USDT. Nothing left to do.': '{amount} USDT. 더 하실 일은 없습니다.',
  '{nodes}: sent': '{nodes}: 전송됨',
  'The server will be notified when you are online. Your payment is safe.':
    '온라인 상태가 되면 서버에 알립니다. 결제는 안전합니다.',
  'Notifying the server. Your payment is safe.': '서버에 알리고 있습니다. 결제는 안전합니다.',
  'sent, waiting for the chain': '전송됨, 체인 확인 대기 중',
  'Payment needs attention': '확인이 필요한 결제가 있습니다',
  Dismiss: '닫기',
  "{refusal} We'll find the transfer on the chain. If no nodes arrive within 30 minutes, send the transaction ID to {support}.":
    '{refusal} 전송은 체인에 기록되어 있으며 체인에서 확인됩니다. 30분 안에 노드가 지급되지 않으면 {support} 앞으로 거래 ID를 보내 주세요.',
  support: '고객 지원',
  'Your node has arrived': '노드가 배정되었습니다',
  'Your nodes have arrived': '노드가 배정되었습니다',

  // Check my transaction
  'Check my transaction': '내 거래 확인',
  'Paste its hash from your wallet. If you sped the transaction up, it has a new hash.':
    '지갑에서 거래 해시를 복사하여 붙여 넣어 주세요. 속도를 높인 거래에는 새 해시가 있습니다.',
  Checking: '확인 중',
  Check: '확인',
  'A transaction hash has 66 characters and begins with 0x.': '거래 해시는 66자이며 0x로 시작합니다.',
  "Got it. We're looking for it on the chain and will show it here as soon as it is in a block.":
    '접수했습니다. 체인에서 거래를 찾고 있으며, 블록에 포함되면 이 페이지에 바로 표시됩니다.',
  'Found. It belongs to this purchase.': '찾았습니다. 이 구매에 대한 거래입니다.',
  'It could not be checked. Please try again.': '확인하지 못했습니다. 다시 시도해 주세요.',
  '{said} Payments from your registered wallet are found without this check.':
    '{said} 등록된 지갑에서 보낸 결제는 이 확인 없이도 찾을 수 있습니다.',
  'It has no open purchase. A payment from your registered wallet is found automatically within minutes. If nothing shows after 30 minutes, send this hash to {support}.':
    '이 거래에 해당하는 구매 요청이 없습니다. 등록된 지갑에서 보낸 결제는 몇 분 안에 자동으로 확인됩니다. 30분이 지나도 표시되지 않으면 {support} 앞으로 이 해시를 보내 주세요.',
}
