import type { Texts } from '../Texts.ts'

/** The public register and the proof of one's nodes. */
export const texts: Texts = {
  'Every node, every payment and every reward, published so that anyone can check it.':
    '모든 노드와 결제, 보상을 공개하여 누구나 확인할 수 있습니다.',
  'This site does not publish a register.': '이 사이트는 장부를 공개하지 않습니다.',
  'This site no longer publishes its register': '이 사이트가 장부 공개를 중단했습니다',
  'This device saw it with {count} entries. Ask the seller why it stopped.':
    '이 기기에서는 항목이 {count}개인 장부를 확인한 적이 있습니다. 중단한 이유를 판매자에게 문의하세요.',
  "This device couldn't read the blockchains": '이 기기에서 블록체인을 읽지 못했습니다',
  "Connect a wallet on BNB Smart Chain and check again. This device then reads the blockchain through your wallet, not through the seller. This page can't connect to any other server, but <file>verify.mjs</file> can use one of your choice (--rpc).":
    'BNB Smart Chain 지갑을 연결한 뒤 다시 확인하세요. 그러면 판매자가 아니라 내 지갑을 통해 블록체인을 읽습니다. 이 페이지는 다른 서버에 연결할 수 없지만, <file>verify.mjs</file>는 직접 고른 서버를 사용할 수 있습니다(--rpc).',
  'Nothing has been published yet': '아직 공개된 내용이 없습니다',
  "The register starts soon after the first daily rewards are paid. If nodes have already earned rewards for two days or more, it should be here: ask the seller why it isn't.":
    '장부는 첫 일일 보상이 지급된 직후에 시작됩니다. 노드가 이미 이틀 이상 보상을 받았다면 여기에 장부가 있어야 합니다. 없다면 판매자에게 이유를 문의하세요.',
  'This is a demo': '데모입니다',
  'Its clock can be moved, so its days and times prove nothing.':
    '시계를 임의로 옮길 수 있으므로 날짜와 시각은 아무것도 증명하지 않습니다.',
  'Checking the register': '장부 확인',
  'This device is reading the register and checking it…': '이 기기에서 장부를 읽고 확인하고 있습니다…',
  'Check the whole register?': '장부 전체를 확인하시겠습니까?',
  'Check about {megabytes} MB': '약 {megabytes}MB 확인하기',
  'This device reads every entry and every day, and checks them all. Use Wi-Fi if your data is limited.':
    '이 기기에서 모든 항목과 모든 날짜를 읽고 전부 확인합니다. 데이터 용량이 제한되어 있다면 Wi-Fi를 사용해 주세요.',
  "The register couldn't be read": '장부를 읽지 못했습니다',
  'Below is what this device found on {time}.': '아래는 {time}에 이 기기에서 확인한 내용입니다.',
  'No check has failed.': '실패한 확인은 없습니다.',
  'Checked by this device on {time}': '이 기기에서 {time}에 확인함',
  'Not checked on this device yet': '아직 이 기기에서 확인하지 않음',
  'No day has been published yet': '아직 공개된 날짜가 없습니다',
  'The first one follows after the first rewards are paid.': '첫 보상이 지급된 뒤에 공개됩니다.',
  'Check your own nodes': '내 노드 확인하기',
  'Books of {date}': '{date} 장부',
  'Days in the register': '장부에 있는 날짜 수',
  'Sold nodes': '판매된 노드',
  'Active nodes': '활성 노드',
  'Reward per node that day': '그날의 노드당 보상',
  'Earned by all nodes so far': '지금까지 모든 노드의 보상',
  'Paid out, fees included': '지급 완료 (수수료 포함)',
  'Owed to all holders': '모든 보유자에게 지급할 XCR',
  'Reserve in the payout wallets': '지급 지갑의 보유량',
  'USDT received': '받은 USDT',
  'Of that, in review, refunded or ignored': '그중 검토 중, 환불 또는 무시된 금액',
  'Copies on the blockchain': '블록체인에 남긴 사본',
  'Not anchored': '블록체인에 기록하지 않음',
  'Check it without this page': '이 페이지 없이 확인하기',
  'This page comes from the seller. For an independent check, run <file>verify.mjs</file> with Node 20 or later, and name a blockchain server that you trust with --rpc. The register has the fingerprint of the file, so you can get it from anyone. <format>The format</format> describes every byte.':
    '이 페이지는 판매자가 제공합니다. 독립적으로 확인하시려면 Node 20 이상에서 <file>verify.mjs</file>를 실행하고, --rpc에 신뢰하는 블록체인 서버를 지정하세요. 이 파일의 지문이 장부에 있으므로 누구에게서 받아도 됩니다. <format>형식 문서</format>에 모든 바이트가 설명되어 있습니다.',
  commands: '명령어',
  'How does it work?': '어떤 방식인가요?',
  'Every day the seller publishes one line for every node: whether it is sold, whether it is active, and what it has earned. A fingerprint of the list goes into a record to which entries can only be added, and a fingerprint of the record goes onto a public blockchain. If anything is changed later, the fingerprints no longer fit, and everyone notices.':
    '판매자는 매일 노드마다 한 줄씩 공개합니다. 판매되었는지, 활성 상태인지, 얼마를 받았는지가 들어 있습니다. 이 목록의 지문은 추가만 할 수 있는 기록에 들어가고, 그 기록의 지문은 공개 블록체인에 남습니다. 나중에 무엇이든 바꾸면 지문이 맞지 않게 되어 누구나 알 수 있습니다.',
  'What does it not prove?': '무엇을 증명하지 못하나요?',
  "It does not prove that XCR has a value, that the payout wallets will be refilled, that granted nodes were deserved, or that USDT received was not the seller's own or returned privately. Nor does it prove that every published withdrawal was a real holder's: each holder can only check their own.":
    'XCR에 가치가 있다는 것, 지급 지갑이 다시 채워진다는 것, 무상으로 준 노드가 정당했다는 것, 받은 USDT가 판매자 자신의 것이 아니거나 몰래 돌려준 것이 아니라는 것은 증명하지 못합니다. 공개된 출금이 모두 실제 보유자의 것이라는 것도 증명하지 못합니다. 보유자는 자신의 출금만 확인할 수 있습니다.',
  'What does it reveal about me?': '나에 대해 무엇이 드러나나요?',
  'It names no one: no email, no name, no account. It shows the transactions of payments and payouts, so a wallet can be linked to the nodes that it paid for and to what they earned. It cannot be linked to an email. Fetching the files leaves your IP address with the server, as on every website, and comparing them with the reward blockchain leaves it with a server of that blockchain.':
    '이메일, 이름, 계정 등 누구의 신원도 나오지 않습니다. 결제와 지급의 거래가 나오므로, 어떤 지갑이 결제한 노드와 그 노드가 받은 보상을 연결할 수 있습니다. 이메일과는 연결할 수 없습니다. 파일을 받으면 다른 웹사이트와 마찬가지로 서버에 IP 주소가 남고, 보상 블록체인과 비교하면 그 블록체인의 서버에도 남습니다.',
  'The public register does not add up': '공개 장부가 맞지 않습니다',
  '“{statement}” is not true': '‘{statement}’ — 사실과 다릅니다',
  'A check by this device failed on {time}:': '{time}에 이 기기의 확인이 실패했습니다:',
  'Save the evidence': '증거 저장',
  'Save the evidence, ask the seller, and show the file to other holders. It shows what this site has told you.':
    '증거를 저장한 뒤 판매자에게 문의하고, 다른 보유자에게도 파일을 보여주세요. 파일에는 이 사이트가 알려 준 내용이 담겨 있습니다.',

  'Proof of your nodes': '내 노드의 증명',
  'This device checks the public register for you. It does not take our word for it.':
    '이 기기가 공개 장부를 직접 확인합니다. 저희 말을 그대로 믿지 않습니다.',
  'Log in to check your own nodes.': '로그인하시면 내 노드를 확인하실 수 있습니다.',
  'Keep the proof, or give it to someone who checks it. It opens only this one day.':
    '증명을 보관하시거나 확인해 줄 사람에게 전달하세요. 이 하루만 열어 볼 수 있습니다.',
  'Save proof.json': 'proof.json 저장',
  'Checked for {email}.': '{email} 기준으로 확인했습니다.',
  'About the public register': '공개 장부 안내',
  '{count} check failed. Save the evidence.': '확인 {count}건이 실패했습니다. 증거를 저장하세요.',
  '{count} checks failed. Save the evidence.': '확인 {count}건이 실패했습니다. 증거를 저장하세요.',
  'This site did not show everything that your nodes are checked with. Check again.':
    '이 사이트가 내 노드를 확인하는 데 필요한 내용을 모두 보여주지 않았습니다. 다시 확인해 주세요.',
  'None of your nodes is in the register yet. They appear on the first day published after the purchase.':
    '아직 장부에 내 노드가 없습니다. 구매 후 처음 공개되는 날짜에 나타납니다.',
  'Your node is in the register of {date}.': '내 노드가 {date} 장부에 있습니다.',
  'All {count} of your nodes are in the register of {date}.': '내 노드 {count}개가 모두 {date} 장부에 있습니다.',
  'It earned {amount} XCR that day.': '그날 {amount} XCR을 받았습니다.',
  'They earned {amount} XCR that day.': '그날 {amount} XCR을 받았습니다.',
  'Your balance of {amount} XCR follows from what your nodes have earned.': '잔액 {amount} XCR은 노드가 받은 보상과 일치합니다.',
  'Your balance of {amount} XCR follows from what they earned and your withdrawal.':
    '잔액 {amount} XCR은 노드가 받은 보상과 출금 내역에 일치합니다.',
  'Your balance of {amount} XCR follows from what they earned and your {count} withdrawals.':
    '잔액 {amount} XCR은 노드가 받은 보상과 출금 {count}건에 일치합니다.',

  Verified: '확인됨',
  'Nothing yet': '아직 없음',
  'Could not look': '확인 불가',
  'Does not match': '일치하지 않음',
  'And {count} more.': '외 {count}건.',
  'Your account': '내 계정',
  'The record': '기록',
  'The books': '장부',
  'Your nodes are in the register': '내 노드가 장부에 있습니다',
  'Each of your node numbers has a line in the published list of all nodes. The line opens only with a secret of your account and your email, so it cannot be shown to anyone else as theirs.':
    '내 노드 번호마다 공개된 전체 노드 목록에 한 줄이 있습니다. 이 줄은 내 계정의 비밀 값과 이메일로만 열리므로 다른 사람에게 그 사람의 것으로 보여줄 수 없습니다.',
  'Your rewards are complete': '보상이 빠짐없이 지급되었습니다',
  "Each of your nodes has earned every day's reward since it became active.": '내 노드는 활성화된 이후 매일 보상을 받았습니다.',
  'Your balance follows from them': '잔액이 보상과 일치합니다',
  'Your balance is exactly what your nodes have earned, less your withdrawals and their fees.':
    '잔액은 내 노드가 받은 보상에서 출금과 수수료를 뺀 금액과 정확히 같습니다.',
  'Your payments are counted': '결제가 집계되었습니다',
  'Each payment in your receipts, and each that your wallet sent, is in the register: counted with your nodes, or refunded.':
    '영수증에 있는 결제와 내 지갑에서 보낸 결제가 모두 장부에 있습니다. 내 노드로 집계되었거나 환불되었습니다.',
  'Your withdrawals are the ones you signed': '출금이 서명한 내용과 같습니다',
  'Each withdrawal has the amount, the fee and the wallet of the message that you signed, and went to that wallet.':
    '출금마다 수량, 수수료, 지갑이 서명한 메시지와 같고, 그 지갑으로 보내졌습니다.',
  'Your receipts were honored': '영수증의 약속이 지켜졌습니다',
  'Each receipt is signed by the seller and names a day. The register of that day contains what the receipt promises. A receipt that was not honored proves it to anyone.':
    '영수증은 판매자가 서명하며 날짜가 적혀 있습니다. 그날의 장부에는 영수증이 약속한 내용이 들어 있습니다. 지켜지지 않은 영수증은 누구에게나 그 사실을 증명합니다.',
  'Signed with the key of the register': '장부의 키로 서명되었습니다',
  "The newest state of the register is signed, and it is this site's own. The key follows from the register's first entry, which your receipts name.":
    '장부의 최신 상태는 서명되어 있고, 이 사이트의 장부입니다. 키는 영수증에 적힌 장부의 첫 항목에서 이어집니다.',
  'Every entry is complete and in order': '모든 항목이 온전하고 순서대로입니다',
  'Every entry has the fixed form, stands at its place, and is dated before the books that contain it.':
    '모든 항목이 정해진 형식을 따르고 제자리에 있으며, 그 항목이 들어 있는 장부보다 날짜가 앞섭니다.',
  'Nothing has changed since your last visit': '지난 방문 이후 바뀐 것이 없습니다',
  'The register that this device saw last is the beginning of the present one. Entries are only ever added.':
    '이 기기에서 마지막으로 본 장부가 현재 장부의 앞부분과 같습니다. 항목은 추가만 됩니다.',
  'Every copy on the blockchain agrees': '블록체인의 모든 사본과 일치합니다',
  'Fingerprints of the register are stored in a contract that nobody can change. Each of them fits this register, so nobody is shown another one.':
    '장부의 지문은 아무도 바꿀 수 없는 컨트랙트에 저장됩니다. 모든 지문이 이 장부와 맞으므로 다른 장부를 보여줄 수 없습니다.',
  'The newest day is up to date': '최신 날짜까지 공개되었습니다',
  "The newest books are less than 36 hours old by this device's clock.":
    '최신 장부는 이 기기의 시계로 36시간이 지나지 않았습니다.',
  'No day is missing': '빠진 날짜가 없습니다',
  'The days follow one another without a gap, and each was paid and published in time.':
    '날짜가 빠짐없이 이어지며, 매일 제때 지급되고 공개되었습니다.',
  'Changes of the daily reward were announced': '일일 보상 변경이 미리 공지되었습니다',
  'Each new reward per node was in the register before the first day on which it applied.':
    '노드당 보상이 바뀔 때마다 적용되는 첫날보다 먼저 장부에 기록되었습니다.',
  'Every node has exactly one line': '모든 노드가 정확히 한 줄씩 있습니다',
  'Each day lists every number once, and the published counts are those of the list.':
    '날마다 모든 번호가 한 번씩 나오며, 공개된 수량이 목록과 같습니다.',
  'Every sold node has its payment': '판매된 모든 노드에 결제가 있습니다',
  'Each node belongs to one purchase or grant, and each purchase was paid at the price of its time.':
    '노드는 하나의 구매 또는 무상 지급에 속하며, 구매는 당시 가격으로 결제되었습니다.',
  'Bonus nodes follow the rule': '보너스 노드가 규칙을 따릅니다',
  'There is at most one bonus node for every ten paid ones.': '보너스 노드는 유료 노드 10개당 최대 1개입니다.',
  "Each active node earned the day's reward": '활성 노드가 모두 그날의 보상을 받았습니다',
  "On every day each active node earned exactly the day's reward, and no other node earned anything.":
    '날마다 활성 노드는 정확히 그날의 보상을 받았고, 다른 노드는 아무것도 받지 않았습니다.',
  'What is owed adds up': '지급할 금액이 맞습니다',
  'What all nodes have earned is what was paid out plus what is still owed.':
    '모든 노드가 받은 보상은 지급된 금액과 앞으로 지급할 금액의 합과 같습니다.',
  'Payments and payouts are those of the blockchains': '결제와 지급이 블록체인과 같습니다',
  'Each USDT payment to the seller and each XCR payout has its entry, and each entry is on its blockchain.':
    '판매자에게 보낸 USDT 결제와 XCR 지급마다 항목이 있고, 모든 항목이 블록체인에 있습니다.',
  'The reserve is in the wallets': '보유량이 지갑에 있습니다',
  "The seller's payout wallets signed for this register and hold the XCR that it shows.":
    '판매자의 지급 지갑이 이 장부에 서명했으며, 장부에 나온 XCR을 보유하고 있습니다.',
  'No node disappears or changes its kind': '노드가 사라지거나 종류가 바뀌지 않습니다',
  'A sold node stays sold, a paid node stays paid, and each state follows from its purchase.':
    '판매된 노드는 계속 판매된 상태이고, 유료 노드는 계속 유료이며, 상태는 구매에 따라 정해집니다.',
  'The software is the published one': '공개된 소프트웨어입니다',
  'The register names the software that this site says it serves. A page cannot vouch for itself; the independent check can.':
    '장부에는 이 사이트가 제공한다고 밝힌 소프트웨어가 적혀 있습니다. 페이지는 자신을 보증할 수 없으며, 독립적인 확인으로만 알 수 있습니다.',
}
export const serverTexts: Texts = {}
