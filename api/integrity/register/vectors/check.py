"""A second implementation of ../format.md, with Python's standard library only. Checks everything in vectors.json but Ed25519 and wallet
signatures: `python3 check.py [vectors.json]`. Exit code 1 and a traceback where it disagrees."""
import base64
import datetime
import hashlib
import hmac
import json
import os
import re
import sys

# Trees (RFC 6962), by stack and by RFC 9162's verification


def H(*parts):
    return hashlib.sha256(b''.join(parts)).digest()


def leaf_hash(data):
    return H(b'\0', data)


def root(hashes):
    stack = []
    for index, leaf in enumerate(hashes):
        stack.append(leaf)
        n = index + 1
        while n % 2 == 0:
            right = stack.pop()
            stack.append(H(b'\1', stack.pop(), right))
            n //= 2
    if not stack:
        return H()
    result = stack.pop()
    while stack:
        result = H(b'\1', stack.pop(), result)
    return result


def is_included(index, size, leaf, path, wanted):
    if index >= size:
        return False
    fn, sn, r = index, size - 1, leaf
    for p in path:
        if sn == 0:
            return False
        if fn & 1 or fn == sn:
            r = H(b'\1', p, r)
            while not fn & 1 and fn:
                fn >>= 1
                sn >>= 1
        else:
            r = H(b'\1', r, p)
        fn >>= 1
        sn >>= 1
    return sn == 0 and r == wanted


def is_prefix(first, second, path, first_root, second_root):
    if first == second:
        return not path and first_root == second_root
    if not 0 < first < second or not path:
        return False
    path = list(path)
    if first & (first - 1) == 0:
        path.insert(0, first_root)
    fn, sn = first - 1, second - 1
    while fn & 1:
        fn >>= 1
        sn >>= 1
    fr = sr = path[0]
    for p in path[1:]:
        if sn == 0:
            return False
        if fn & 1 or fn == sn:
            fr, sr = H(b'\1', p, fr), H(b'\1', p, sr)
            while not fn & 1 and fn:
                fn >>= 1
                sn >>= 1
        else:
            sr = H(b'\1', sr, p)
        fn >>= 1
        sn >>= 1
    return sn == 0 and fr == first_root and sr == second_root


# Values


class Refused(Exception):
    pass


def need(ok, why):
    if not ok:
        raise Refused(why)


LIMIT_NUMBER = 1_000_000
B64 = re.compile(r'[A-Za-z0-9+/]*={0,2}\Z')


def b64(length):
    def read(text):
        need(len(text) == (length + 2) // 3 * 4 and B64.match(text), 'base64')
        data = base64.b64decode(text)
        need(len(data) == length and base64.b64encode(data).decode() == text, 'base64')
        return data
    return read


def amount(text):
    need(re.match(r'(0|[1-9][0-9]{0,38})\Z', text), 'amount')
    value = int(text)
    need(value < 1 << 128, 'amount')
    return value


def positive(text):
    value = amount(text)
    need(value > 0, 'amount')
    return value


def count(text):
    need(re.match(r'(0|[1-9][0-9]{0,15})\Z', text), 'count')
    value = int(text)
    need(value < 1 << 53, 'count')
    return value


def number(text):
    value = count(text)
    need(1 <= value <= LIMIT_NUMBER, 'number')
    return value


def time(text):
    need(re.match(r'(19[7-9]\d|20\d\d|21\d\d)-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z\Z', text, re.A), 'time')
    try:
        value = datetime.datetime.strptime(text, '%Y-%m-%dT%H:%M:%S.%fZ')
    except ValueError:
        raise Refused('time')
    return (value - datetime.datetime(1970, 1, 1)) // datetime.timedelta(milliseconds=1)


def day(text):
    need(re.match(r'\d{4}-\d\d-\d\d\Z', text, re.A), 'day')
    time(text + 'T00:00:00.000Z')
    return text


def at_nine(text):
    return time(text + 'T09:00:00.000Z')


def day_after(text):
    return (datetime.date.fromisoformat(text) + datetime.timedelta(days=1)).isoformat()


def pattern(expression):
    compiled = re.compile(expression + r'\Z', re.A)

    def read(text):
        need(compiled.match(text), expression)
        return text
    return read


address = pattern('0x[0-9a-f]{40}')
word = pattern('0x[0-9a-f]{64}')
free_text = pattern('[!-~]([ -~]{0,198}[!-~])?')


def words(*readers):
    def read(text):
        parts = text.split(' ')
        need(len(parts) == len(readers), 'words')
        return tuple(reader(part) for reader, part in zip(readers, parts))
    return read


def one_of(*choices):
    def read(text):
        need(text in choices, 'choice')
        return text
    return read


def optional(reader):
    return lambda text: None if text == '-' else reader(text)


def nothing(text):
    need(text == '-', 'nothing')


def spans(text):
    """Ranges of numbers in their canonical form: [(first, last)]."""
    result = []
    for part in text.split(','):
        first, dash, last = part.partition('-')
        a = number(first)
        b = number(last) if dash else a
        need(not dash or b > a, 'range')
        need(not result or a > result[-1][1] + 1, 'order of numbers')
        result.append((a, b))
    return result


def numbers_of(ranges):
    return [n for a, b in ranges for n in range(a, b + 1)]


def credits(text):
    result = []
    for part in text.split(','):
        numbers, colon, each = part.partition(':')
        need(colon, 'credits')
        [span] = spans(numbers)
        value = positive(each)
        if result:
            (_, before), of_before = result[-1]
            need(span[0] > before, 'order of credits')
            need(span[0] > before + 1 or value != of_before, 'credits not merged')
        result.append((span, value))
    return result


def sorted_list(reader, key=lambda item: item):
    def read(text):
        items = [reader(part) for part in text.split(',')]
        keys = [key(item) for item in items]
        need(all(a < b for a, b in zip(keys, keys[1:])), 'order of a list')
        return items
    return read


def balance(text):
    where, colon, value = text.partition(':')
    need(colon, 'balance')
    return address(where), amount(value)


transfer = words(word, count)
hash32 = b64(32)


P = 2**255 - 19
D = -121665 * pow(121666, -1, P) % P


def is_small_order(y):
    """The point with this y doubled three times is the neutral element. y of a double: see RFC 8032 5.1.4, without x."""
    y %= P
    for _ in range(3):
        if (1 + D * y * y) % P == 0:
            return False
        xx = (y * y - 1) * pow(D * y * y + 1, -1, P) % P
        y = (y * y + xx) * pow(1 - D * xx * y * y, -1, P) % P
    return y == 1


def ed25519(text):
    data = b64(33)(text)
    need(data[0] == 1, 'key')
    need(not is_small_order(int.from_bytes(data[1:], 'little') % 2**255), 'key of small order')
    return data


def setting(name, reader):
    return [('time', time), ('from', time), (name, reader)]


chain_token = words(number_of_chain := pattern('[1-9][0-9]{0,14}'), address, count)
GROUP = [('group', optional(lambda text: need(count(text) > 0, 'group') or count(text))), ('numbers', optional(spans))]
TIMES = [('allocated', optional(time)), ('active', optional(time))]
BLOCK = optional(words(count, word, time))
KINDS = {
    'genesis': [
        ('time', time),
        ('origin', pattern(r'[a-z0-9]([a-z0-9.:-]{0,251}[a-z0-9])?/register')),
        ('clock', one_of('real', 'demo')),
        ('payment', chain_token),
        ('reward', chain_token),
        ('anchor', optional(words(number_of_chain, address))),
        ('log-key', ed25519),
        ('receipt-key', ed25519),
    ],
    'day': [
        ('day', day),
        ('due', time),
        ('paid', time),
        ('rate', amount),
        ('states', words(count, count, count, count)),
        ('kinds', words(count, count, count, count)),
        ('rewards', amount),
        ('corrected', amount),
        ('earned', amount),
        ('nodes', words(number, hash32)),
    ],
    'books': [
        ('day', day),
        ('time', time),
        ('earned', amount),
        ('debts', amount),
        ('completed', words(amount, amount)),
        *((name, amount) for name in ('open', 'balances', 'owed', 'received', 'counted', 'review', 'refunded', 'ignored', 'orphaned', 'returned')),
        ('payment-block', BLOCK),
        ('reward-block', BLOCK),
        ('addresses', optional(sorted_list(address))),
        ('reserve', optional(sorted_list(balance, lambda item: item[0]))),
    ],
    'deposit': [
        ('time', time),
        ('transfer', transfer),
        ('block', optional(words(count, count))),
        ('mined', optional(time)),
        ('amount', positive),
        ('decision', one_of('counted', 'review', 'refunded', 'ignored', 'orphaned', 'vanished')),
        ('reason', optional(pattern('[a-z_]+'))),
        *GROUP,
        ('price', optional(positive)),
        ('priced', optional(time)),
        *TIMES,
        ('refund', optional(transfer)),
        ('returned', optional(positive)),
        ('owner', optional(hash32)),
    ],
    'payout': [
        ('time', time),
        ('state', one_of('accepted', 'paid', 'elsewhere', 'refunded', 'booked', 'sweep', 'foreign')),
        ('transfer', optional(transfer)),
        ('wallet', optional(address)),
        ('net', positive),
        ('fee', amount),
        ('request', optional(hash32)),
        ('owner', optional(hash32)),
    ],
    'grant': [
        ('time', time),
        ('cause', one_of('rule', 'hand', 'unpaid', 'gift')),
        *GROUP,
        *TIMES,
        ('owner', hash32),
    ],
    'rate': setting('rate', amount),
    'price': setting('price', positive),
    'fee': setting('fee', amount),
    'supply': setting('supply', number),
    'address': [
        ('time', time),
        ('role', one_of('deposit', 'wallet', 'anchor')),
        ('chain', number_of_chain),
        ('address', address),
        ('block', count),
        ('proof', optional(pattern('0x([0-9a-f]{2}){1,1024}'))),
    ],
    'correction': [('time', time), ('missed', day), ('reason', one_of('thawed', 'error')), ('credits', credits)],
    'note': [
        ('time', time),
        ('topic', one_of('sales-stopped', 'sales-resumed', 'caught-up', 'held', 'wrong', 'message')),
        ('subject', optional(pattern('[!-~]{1,20}'))),
        ('text', optional(free_text)),
    ],
    'key': [('time', time), ('use', one_of('log', 'receipt', 'proof')), ('old', str), ('new', optional(str)), ('proof', optional(b64(64)))],
    'release': [('time', time), ('verify', hash32), ('page', hash32), ('format', hash32)],
}
REASONS = {
    'counted': ('matched', 'decision', 'owed'),
    'review': ('underpaid', 'overpaid', 'late', 'wrong_wallet', 'insufficient_supply', 'unmatched'),
    'refunded': ('full', 'partial'),
    'ignored': ('dust', 'decision'),
    'orphaned': ('counted', 'review', 'refunded', 'ignored'),
    'vanished': (None,),
}
DAY_MS = 86_400_000


def exactly(entry, names, present):
    for name in names:
        need((entry[name] is not None) == present, f'{name} must {"" if present else "not "}be there')


def check_group(entry):
    exactly(entry, ('group', 'numbers', 'allocated', 'active'), True)
    need(entry['allocated'] <= entry['active'] <= entry['allocated'] + DAY_MS, 'active')


def check_entry(kind, e):
    """What one entry must satisfy by itself, beyond the form of its lines."""
    if kind == 'deposit':
        decision, reason = e['decision'], e['reason']
        need(reason in REASONS[decision], 'reason')
        is_mined = decision not in ('orphaned', 'vanished')
        exactly(e, ('block', 'mined'), is_mined)
        if decision == 'counted' or reason == 'counted':
            check_group(e)
            exactly(e, ('price', 'priced', 'owner'), True)
        else:
            exactly(e, ('group', 'numbers', 'price', 'priced', 'allocated', 'active'), False)
        is_refunded = decision == 'refunded' or reason == 'refunded'
        exactly(e, ('refund', 'returned'), is_refunded)
        if is_refunded:
            need(e['returned'] <= e['amount'], 'returned')
        if decision == 'refunded':
            need((e['returned'] < e['amount']) == (reason == 'partial'), 'reason of the refund')
    elif kind == 'payout':
        state = e['state']
        exactly(e, ('transfer',), state not in ('accepted', 'refunded'))
        exactly(e, ('wallet',), state in ('paid', 'booked', 'sweep', 'foreign'))
        exactly(e, ('request',), state in ('accepted', 'refunded', 'paid', 'elsewhere'))
        exactly(e, ('owner',), state not in ('sweep', 'foreign'))
        need(state not in ('sweep', 'foreign') or e['fee'] == 0, 'fee')
    elif kind == 'grant':
        check_group(e)
    elif kind == 'address':
        exactly(e, ('proof',), e['role'] == 'wallet')
    elif kind == 'note':
        topic = e['topic']
        if topic in ('sales-stopped', 'sales-resumed', 'message'):
            exactly(e, ('subject',), False)
        else:
            exactly(e, ('subject',), True)
            {'caught-up': day, 'held': pattern('E[1-8]'), 'wrong': count}[topic](e['subject'])
        need(topic != 'message' or e['text'] is not None, 'text')
    elif kind == 'key':
        if e['use'] == 'proof':
            hash32(e['old'])
            exactly(e, ('new', 'proof'), False)
        else:
            need(e['new'] is not None and ed25519(e['old']) != ed25519(e['new']), 'new key')
            need(e['use'] == 'log' or e['proof'] is None, 'proof')
    elif kind == 'books':
        for name in ('payment-block', 'reward-block'):
            need(e[name] is None or e[name][2] <= e['time'], name)


def parse_lines(text, lines):
    need(len(text) <= 65536 and re.match(r'[\n -~]*\Z', text), 'bytes')
    need(text.endswith('\n'), 'end')
    rows = text[:-1].split('\n')
    need(len(rows) == len(lines), 'number of lines')
    result = {}
    for row, (name, reader) in zip(rows, lines):
        need(row.startswith(name + ' '), f'line {name}')
        result[name] = reader(row[len(name) + 1:])
    return result


def parse(text):
    head, _, rest = text.partition('\n')
    kind, _, version = head.partition('/')
    need(version == 'v1' and kind in KINDS, 'kind')
    need(len(text) <= 65536, 'size')
    entry = parse_lines(rest, KINDS[kind])
    check_entry(kind, entry)
    return kind, entry


# Signed notes, checkpoints, receipts. Signatures are not checked here, their keys' ids are


def key_id(name, key):
    return H(name.encode() + b'\n', key)[:4]


def parse_vkey(text):
    name, ident, key = text.split('+', 2)
    data = ed25519(key)
    need(key_id(name, data).hex() == ident, 'key id')
    return name, data


def parse_note(note, limit):
    """The text and the signatures as (name, key id, signature)."""
    need(len(note.encode()) <= limit and note.endswith('\n'), 'note')
    text, gap, tail = note.rpartition('\n\n')
    need(gap, 'note')
    need(re.match(r'[\n -~]*\Z', text), 'note')
    rows = tail[:-1].split('\n')
    need(1 <= len(rows) <= 8, 'signatures')
    signatures = []
    for row in rows:
        match = re.match('\u2014 ([!-*,-~]+) ([A-Za-z0-9+/=]+)\\Z', row)
        need(match, 'signature line')
        need(len(match[2]) % 4 == 0, 'signature')
        data = base64.b64decode(match[2])
        need(len(data) >= 5 and base64.b64encode(data).decode() == match[2], 'signature')
        signatures.append((match[1], data[:4], data[4:]))
    return text + '\n', signatures


def parse_checkpoint(note, origin):
    text, signatures = parse_note(note, 4096)
    rows = text[:-1].split('\n')
    need(len(rows) == 3 and rows[0] == origin, 'checkpoint')
    return count(rows[1]), hash32(rows[2]), signatures


RECEIPTS = {
    'account': [('genesis', hash32), ('time', time), ('account', hash32)],
    'nodes': [
        ('genesis', hash32),
        ('time', time),
        ('account', hash32),
        ('cause', one_of('deposit', 'unpaid', 'grant')),
        ('numbers', spans),
        ('active', time),
        ('price', optional(positive)),
        ('transfers', optional(sorted_list(transfer))),
        ('by', day),
    ],
    'withdrawal': [
        ('genesis', hash32),
        ('time', time),
        ('account', hash32),
        ('net', positive),
        ('fee', amount),
        ('recipient', address),
        ('message', hash32),
        ('by', day),
    ],
}


def parse_receipt(note):
    text, signatures = parse_note(note, 65536)
    head, _, rest = text.partition('\n')
    match = re.match(r'receipt/([a-z]+)/v1\Z', head)
    need(match and match[1] in RECEIPTS, 'kind of receipt')
    receipt = parse_lines(rest, RECEIPTS[match[1]])
    if match[1] == 'nodes':
        exactly(receipt, ('transfers',), receipt['cause'] == 'deposit')
        exactly(receipt, ('price',), receipt['cause'] != 'grant')
    if 'by' in receipt:
        need(receipt['time'] <= at_nine(receipt['by']) <= receipt['time'] + 2 * DAY_MS, 'by')
    return match[1], receipt, signatures


# Node leaves, secrets

FREE = bytes([1]) + bytes(51)


def parse_leaf(data):
    need(len(data) == 52 and data[0] == 1 and data[3] == 0, 'leaf')
    state, kind, c, earned = data[1], data[2], data[4:36], int.from_bytes(data[36:], 'big')
    need(state <= 3 and kind <= 3, 'leaf')
    if state == 0:
        need(data == FREE, 'free leaf')
    else:
        need(kind != 0 and c != bytes(32), 'owned leaf')
    return state, kind, c, earned


def hkdf(key, label):
    prk = hmac.new(bytes(32), key, hashlib.sha256).digest()
    return hmac.new(prk, b'xcr-register/v1 ' + label.encode() + b'\1', hashlib.sha256).digest()


def holder(key, email, of_day, n):
    return H(b'xcr-register/node/v1\n', hkdf(key, 'day ' + of_day), of_day.encode(), n.to_bytes(4, 'big'), H(email.encode()))


def account_hash(key, email):
    return H(b'xcr-register/account/v1\n', key, H(email.encode()))


def entry_secret(key, body_hash):
    return hkdf(key, 'entry ' + base64.b64encode(body_hash).decode())


def owns(key, email, text, payment=None):
    """Whether the entry's last line is this account's commitment."""
    body, _, owner = text[:-1].rpartition('\nowner ')
    body_hash = H(body.encode() + b'\n')
    parts = [entry_secret(key, body_hash), body_hash, H(email.encode())]
    if text.startswith('payout/'):
        recipient, message = payment
        parts += [bytes.fromhex(recipient[2:]), H(message.encode()) if message is not None else bytes(32)]
        prefix = b'xcr-register/payout/v1\n'
    else:
        prefix = b'xcr-register/entry/v1\n'
    return base64.b64encode(H(prefix, *parts)).decode() == owner


# The public checks of a log: returns the names of the ticks that fail


def verify_log(texts, trees, chain, anchors):
    """trees: day → list of leaves."""
    failed = set()

    def tick(name, ok):
        if not ok:
            failed.add(name)

    entries = []
    for text in texts:
        try:
            entries.append(parse(text))
        except Refused:
            return {'entries'}
    if entries[0][0] != 'genesis':
        return {'entries'}
    tick('entries', len(set(texts)) == len(texts))
    genesis = entries[0][1]
    is_real = genesis['clock'] == 'real'
    settings = {kind: [] for kind in ('rate', 'price', 'fee', 'supply')}
    addresses = {'deposit': [], 'wallet': [], 'anchor': []}
    transfers, histories, groups, requests, payouts = {}, {}, {}, {}, {}
    days, notes = [], set()
    last_books, all_books, pending, corrected, corrections = None, [], [], {}, set()
    previous, previous_rate, orders = {}, None, []
    keys = {'log': genesis['log-key'], 'receipt': genesis['receipt-key']}
    missed, thawed = {}, set()
    # A snapshot's facts, then its days with all corrections directly before the last of them, then its books
    phase = 'facts'

    def in_force(kind, at):
        best = None
        for since, index, value in settings[kind]:
            if since <= at and (best is None or (since, index) >= best[:2]):
                best = (since, index, value)
        return best

    def join(index, e, cause):
        g = groups.get(e['group'])
        if g is None:
            tick('entries', e['group'] == len(groups) + 1 and (not days or e['allocated'] > at_nine(days[-1])))
            g = groups[e['group']] = {'facts': (e['numbers'], e['allocated'], e['active']), 'causes': set(), 'price': None}
        tick('E2', g['facts'] == (e['numbers'], e['allocated'], e['active']))
        if cause == 'deposit':
            terms = (e['price'], e['priced'])
            tick('E2', g['price'] in (None, terms))
            g['price'] = terms
        g['causes'].add(cause)
        tick('E2', len(g['causes'] & {'rule', 'hand'}) == 0 or len(g['causes']) == 1)

    for index, (kind, e) in enumerate(entries):
        tick('entries', (kind == 'genesis') == (index == 0))
        if kind == 'day':
            tick('entries', phase != 'corrected')
            phase = 'corrected' if orders else 'days'
        elif kind == 'books':
            tick('entries', phase != 'facts')
            phase = 'facts'
        else:
            tick('entries', phase == 'facts' or (kind == 'correction' and phase == 'days'))
            tick('entries', kind == 'correction' or not orders)
        if 'time' in e and kind != 'books':
            pending.append(e['time'])
        if kind in settings:
            if kind in ('rate', 'supply'):
                tick('entries', not days or e['from'] > at_nine(days[-1]))
            else:
                tick('entries', last_books is None or e['from'] > last_books['time'] - 600_000)
            settings[kind].append((e['from'], index, e[kind]))
        elif kind == 'address':
            known = {'deposit': 'payment-block', 'wallet': 'reward-block'}.get(e['role'])
            if last_books and known and last_books[known]:
                tick('entries', e['block'] > last_books[known][0])
            addresses[e['role']].append(e['address'])
        elif kind == 'key' and e['use'] in keys:
            tick('signature', ed25519(e['old']) == keys[e['use']])
            keys[e['use']] = ed25519(e['new'])
        elif kind == 'note':
            notes.add((e['topic'], e['subject']))
        elif kind == 'deposit':
            histories.setdefault(e['transfer'], []).append(e)
            transfers[e['transfer']] = e
            if e['group'] is not None:
                join(index, e, 'deposit')
        elif kind == 'grant':
            join(index, e, e['cause'])
        elif kind == 'payout':
            fees = [value for since, _, value in settings['fee'] if since <= e['time']]
            tick('E5', e['state'] in ('sweep', 'foreign') or e['fee'] in fees)
            if e['request'] is not None:
                before = requests.get(e['request'])
                tick('entries', before is None or before['state'] == 'accepted')
                tick('E5', before is None or (before['net'], before['fee']) == (e['net'], e['fee']))
                requests[e['request']] = e
            if e['transfer'] is not None:
                before = payouts.get(e['transfer'])
                tick('entries', before is None or before['state'] == 'foreign')
                payouts[e['transfer']] = e
        elif kind == 'correction':
            for (a, b), each in e['credits']:
                for n in range(a, b + 1):
                    corrected[n] = corrected.get(n, 0) + each
                    if e['reason'] == 'thawed':
                        tick('E4', (e['missed'], n) not in corrections)
                        corrections.add((e['missed'], n))
            orders.append(e)
        elif kind == 'day':
            tick('days', not days or e['day'] == day_after(days[-1]))
            nine = at_nine(e['day'])
            tick('days', e['paid'] >= e['due'] and (not is_real or e['due'] == nine))
            tick('days', not is_real or e['paid'] - e['due'] <= DAY_MS or ('caught-up', e['day']) in notes)
            cut = e['due'] if is_real else e['paid']
            pending.append(e['paid'])
            try:
                leaves = [parse_leaf(leaf) for leaf in trees[e['day']]]
            except (KeyError, Refused):
                tick('E1', False)
                continue
            size, wanted = e['nodes']
            supply = in_force('supply', nine)
            tick('E1', supply is not None and len(leaves) == size == supply[2])
            tick('E1', root([leaf_hash(leaf) for leaf in trees[e['day']]]) == wanted)
            tick('E1', e['states'] == tuple(sum(leaf[0] == s for leaf in leaves) for s in range(4)))
            tick('E1', e['kinds'] == tuple(sum(leaf[1] == k for leaf in leaves) for k in range(4)))
            tick('E1', e['earned'] == sum(leaf[3] for leaf in leaves))
            tick('E4', e['rewards'] == e['rate'] * e['states'][2])
            tick('E3', e['kinds'][2] <= e['kinds'][1] // 10)
            rate = in_force('rate', nine)
            tick('E4', rate is not None and rate[2] == e['rate'])
            if days and e['rate'] != previous_rate and last_books is not None:
                known = [(size, at * 1000) for size, at, _ in anchors] or all_books
                ends = [size for size, at in known if at <= cut]
                tick('notice', any(rate and rate[1] < end for end in ends))
            previous_rate = e['rate']
            # E2: every owned number belongs to one group that was allocated by 09:00, and every such group owns its numbers
            paying = {t['group'] for t in transfers.values() if t['group'] is not None}
            owner_of = {}
            for group, g in groups.items():
                ranges, allocated, active = g['facts']
                if allocated > nine:
                    continue
                tick('E2', group in paying or g['causes'] - {'deposit'})
                wanted_kind = 3 if g['causes'] & {'hand', 'gift'} else 2 if 'rule' in g['causes'] else 1
                for n in numbers_of(ranges):
                    tick('E2', n not in owner_of)
                    owner_of[n] = group
                    if n > len(leaves) or leaves[n - 1][0] == 0:
                        tick('E2', False)
                        continue
                    state, its_kind, _, _ = leaves[n - 1]
                    if n not in previous:
                        tick('E2', its_kind == wanted_kind)
                    if state == 3:
                        if active <= nine and e['rate'] > 0:
                            missed[e['day'], n] = group
                        tick('E8', was_orphaned(histories, group, cut, e['paid'] if active <= nine else float('inf')))
                    else:
                        tick('E8', state == (2 if active <= nine else 1))
            for position, leaf in enumerate(leaves):
                n = position + 1
                tick('E2', leaf[0] == 0 or n in owner_of)
                before = previous.get(n)
                if before:
                    tick('E8', leaf[0] != 0 and leaf[1] == before[1])
                due = (before[3] if before else 0) + (e['rate'] if leaf[0] == 2 else 0) + corrected.get(n, 0)
                tick('E4', leaf[3] == due)
            tick('E4', e['corrected'] == sum(corrected.values()) and all(n <= len(leaves) for n in corrected))
            previous = {n + 1: leaf for n, leaf in enumerate(leaves) if leaf[0]}
            days.append(e['day'])
            for c in orders:
                if c['reason'] == 'thawed':
                    of_day = next((d for k, d in entries[:index + 1] if k == 'day' and d['day'] == c['missed']), None)
                    if of_day is None:
                        tick('E4', False)
                        continue
                    for (a, b), each in c['credits']:
                        tick('E4', each == of_day['rate'])
                        tick('E4', all((c['missed'], n) in missed for n in range(a, b + 1)))
            corrected, orders = {}, []
        elif kind == 'books':
            tick('days', bool(days) and e['day'] == days[-1] and (last_books is None or last_books['day'] != e['day']))
            tick('days', last_books is None or e['time'] > last_books['time'])
            tick('entries', all(at <= e['time'] for at in pending) and not orders)
            pending = []
            latest = next((d for k, d in reversed(entries[:index]) if k == 'day'), None)
            if latest is None:
                continue
            check_money(tick, e, latest, transfers, histories, groups, payouts, requests, in_force)
            # E6 and E7, without the chains
            tick('E6', (e['addresses'] or []) == sorted(addresses['deposit']))
            tick('E7', [where for where, _ in e['reserve'] or []] == sorted(addresses['wallet']))
            # A node that earned nothing while its payment had vanished is credited by the second books after the payment returned
            tick('E4', not any(miss in thawed and miss not in corrections for miss in missed))
            orphaned = {t['group'] for t in transfers.values() if t['decision'] == 'orphaned'}
            thawed = {miss for miss, group in missed.items() if group not in orphaned}
            cut = latest['due'] if is_real else e['time']
            for name in ('payment-block', 'reward-block'):
                before = last_books[name] if last_books else None
                tick('E6', e[name] is not None or before is None)
                if e[name] is not None:
                    tick('E6', cut - DAY_MS <= e[name][2] <= cut and (before is None or before[0] <= e[name][0]))
            last_books = e
            all_books.append((index + 1, e['time']))
    tick('entries', phase == 'facts')
    if last_books and chain:
        check_chain(tick, last_books, transfers, payouts, addresses['wallet'], chain)
    return failed


def was_orphaned(histories, group, start, end):
    for history in histories.values():
        for e, after in zip(history, history[1:] + [None]):
            if e['decision'] == 'orphaned' and e['group'] == group and e['time'] <= end and (after is None or after['time'] >= start):
                return True
    return False


def check_money(tick, e, latest, transfers, histories, groups, payouts, requests, in_force):
    sums = {decision: 0 for decision in REASONS}
    returned = 0
    for t in transfers.values():
        sums[t['decision']] += t['amount']
        if t['decision'] == 'refunded':
            returned += t['returned']
            tick('E2', t['returned'] * 2 >= t['amount'])
        if t['decision'] == 'ignored' and t['reason'] == 'dust':
            price = in_force('price', t['mined'])
            tick('E2', price is not None and t['amount'] < price[2])
    for name in ('counted', 'review', 'refunded', 'ignored', 'orphaned'):
        tick('E2', e[name] == sums[name])
    tick('E2', e['returned'] == returned)
    tick('E2', e['received'] == sum(e[name] for name in ('counted', 'review', 'refunded', 'ignored', 'orphaned')))
    used = [t['refund'] for t in transfers.values() if t['refund'] is not None]
    tick('E2', len(used) == len(set(used)))
    for group, g in groups.items():
        if g['price'] is None:
            continue
        price, priced = g['price']
        paid = [t for t in transfers.values() if t['group'] == group]
        received = sum(t['amount'] for t in paid)
        size = sum(b - a + 1 for a, b in g['facts'][0])
        listed = in_force('price', priced)
        tick('E2', listed is not None)
        if listed is None or not paid:
            continue
        if all(t['decision'] == 'counted' and t['reason'] == 'matched' for t in paid):
            tick('E2', price == listed[2] and received == size * price)
            # A payment that vanished may be mined again at any time: its first block counts
            mined = [next(old['mined'] for old in histories[t['transfer']] if old['mined'] is not None) for t in paid]
            tick('E2', all(at - DAY_MS <= priced <= at + 60_000 for at in mined))
        elif not g['causes'] & {'gift', 'unpaid'}:
            tick('E2', received * 2 >= size * listed[2])
    completed = {id(p): p for p in [*payouts.values(), *requests.values()] if p['state'] in ('paid', 'elsewhere', 'booked')}.values()
    net, fees = sum(p['net'] for p in completed), sum(p['fee'] for p in completed)
    waiting = sum(p['net'] + p['fee'] for p in requests.values() if p['state'] == 'accepted')
    tick('E5', e['earned'] == latest['earned'] and e['completed'] == (net, fees) and e['open'] == waiting)
    tick('E5', e['owed'] == e['balances'] + e['open'] and e['earned'] + e['debts'] == e['owed'] + net + fees)


def check_chain(tick, books, transfers, payouts, wallets, chain):
    if books['payment-block']:
        last = books['payment-block'][0]
        published = {(t['transfer'][0], *t['block'], t['amount']) for t in transfers.values() if t['block'] and t['block'][0] <= last}
        found = {(t['hash'], t['block'], t['logIndex'], int(t['amount'])) for t in chain['payment'] if t['block'] <= last}
        tick('E6', published == found)
    refunds = {(t['hash'], t['ordinal']): int(t['amount']) for t in chain['refunds']}
    for t in transfers.values():
        tick('E6', t['refund'] is None or refunds.get(t['refund']) == t['returned'])
    if books['reward-block']:
        last = books['reward-block'][0]
        tick('E6', all(p['wallet'] in wallets for p in payouts.values() if p['wallet'] is not None))
        left = [(p['transfer'][0], p['wallet'], p['net']) for p in payouts.values() if p['wallet'] is not None]
        for t in chain['reward']:
            key = (t['hash'], t['wallet'], int(t['amount']))
            if key in left:
                left.remove(key)
            else:
                tick('E6', t['block'] > last)
        tick('E6', not left)


# The checks of one holder


def verify_holder(holding, texts, trees, notes):
    failed = set()

    def tick(name, ok):
        if not ok:
            failed.add(name)

    key, email = bytes.fromhex(holding['proofKey']), holding['email']
    entries = [parse(text) for text in texts]
    books = [(index, e) for index, (kind, e) in enumerate(entries) if kind == 'books']
    of_days = {e['day']: e for kind, e in entries if kind == 'day'}
    last = books[-1][0]
    receipts = []
    for note in notes:
        kind, receipt, _ = parse_receipt(note)
        receipts.append((kind, receipt))
        tick('receipts', receipt['genesis'] == leaf_hash(texts[0].encode()) and receipt['account'] == account_hash(key, email))
        end = next((index for index, e in books if 'by' in receipt and e['day'] >= receipt['by']), None)
        if end is None:
            continue
        known = entries[:end]
        if kind == 'withdrawal':
            request = H(b'xcr-register/request/v1\n', receipt['message'])
            tick('receipts', any(k == 'payout' and (e['request'], e['net'], e['fee']) == (request, receipt['net'], receipt['fee']) for k, e in known))
        else:
            facts = (receipt['numbers'], receipt['active'])
            of_group = [(k, e) for k, e in known if k in ('deposit', 'grant') and e['group'] is not None and (e['numbers'], e['active']) == facts]
            for paid in receipt['transfers'] or []:
                tick('receipts', any(k == 'deposit' and e['transfer'] == paid and e['decision'] == 'counted' for k, e in of_group))
            if receipt['cause'] == 'grant':
                tick('receipts', any(k == 'grant' and e['cause'] in ('rule', 'hand') for k, e in of_group))
            elif receipt['cause'] == 'unpaid':
                tick('receipts', any(e['cause'] == 'unpaid' if k == 'grant' else e['decision'] == 'counted' for k, e in of_group))
            tree = trees.get(receipt['by'], [])
            tick('receipts', all(n <= len(tree) and tree[n - 1][1] != 0 for n in numbers_of(receipt['numbers'])))
    held = [(receipt['time'], receipt['active'], n) for kind, receipt in receipts if kind == 'nodes' for n in numbers_of(receipt['numbers'])]
    before = {}
    for of_day, leaves in sorted(trees.items()):
        nine = at_nine(of_day)
        expected = {n: active for since, active, n in held if since <= nine}
        opened = {n for n, leaf in enumerate(leaves, 1) if leaf != FREE and leaf[4:36] == holder(key, email, of_day, n)}
        tick('nodes', opened == set(expected))
        for n, active in expected.items():
            state, _, _, earned = parse_leaf(leaves[n - 1])
            tick('nodes', state in (3, 2 if active <= nine else 1))
            if active <= nine and state != 3:
                tick('rewards', earned - before.get(n, 0) >= of_days[of_day]['rate'])
            before[n] = earned
    own_groups = []
    for index, (kind, e) in enumerate(entries):
        if kind in ('deposit', 'grant') and e['group'] is not None and owns(key, email, texts[index]):
            own_groups += numbers_of(e['numbers'])
    tick('receipts', set(own_groups) <= {n for _, _, n in held})
    current = {e['transfer']: (e, texts[index]) for index, (kind, e) in enumerate(entries[:last]) if kind == 'deposit'}
    for text in holding['transfers']:
        e, its_text = current.get(transfer(text), (None, None))
        if e is None:
            tick('deposits', False)
        elif e['decision'] == 'counted':
            tick('deposits', owns(key, email, its_text) and set(numbers_of(e['numbers'])) <= {n for _, _, n in held})
        elif e['decision'] == 'refunded':
            tick('deposits', e['returned'] * 2 >= e['amount'])
        elif e['decision'] == 'ignored':
            tick('deposits', e['reason'] == 'dust')
    withdrawn = 0
    requests = {e['request']: (e, texts[index]) for index, (kind, e) in enumerate(entries[:last]) if kind == 'payout' and e['request']}
    for one in holding['withdrawals']:
        e, its_text = requests.get(H(b'xcr-register/request/v1\n', H(one['message'].encode())), (None, None))
        if e is None:
            tick('payouts', False)
            continue
        signed = dict(re.findall(r'^(Net amount|Fee|Withdrawal address): (\S+)', one['message'], re.M))
        wanted = tuple(int(signed[name]) * 10 ** 18 for name in ('Net amount', 'Fee'))
        tick('payouts', (e['net'], e['fee']) == wanted and signed['Withdrawal address'] == one['recipient'])
        tick('payouts', owns(key, email, its_text, (one['recipient'], one['message'])))
        if e['state'] != 'refunded':
            withdrawn += e['net'] + e['fee']
    earned = sum(before.values())
    tick('balance', int(holding['balance']) - int(holding['debt']) == earned - withdrawn)
    return failed


# The vectors


def tree(of_day, supply):
    return [bytes.fromhex(of_day[str(n)]) if of_day.get(str(n)) else FREE for n in range(1, supply + 1)]


def print_verdicts(v):
    """Reads logs from standard input, one a line, and prints the failed ticks of each."""
    for line in sys.stdin:
        told = json.loads(line)
        trees = {of_day: tree(leaves, v['log']['supply']) for of_day, leaves in told['leaves'].items()}
        anchors = [(a['size'], a['time'], bytes.fromhex(a['root'])) for a in told['anchors']]
        print(json.dumps(sorted(verify_log(told['entries'], trees, told['chain'], anchors))))


def main():
    default = os.path.join(os.path.dirname(os.path.abspath(__file__)), 'vectors.json')
    with open(sys.argv[1] if len(sys.argv) > 1 else default, encoding='utf-8') as file:
        v = json.load(file)
    if sys.argv[2:] == ['verdicts']:
        return print_verdicts(v)
    ct = [leaf_hash(bytes.fromhex(x)) for x in ['', '00', '10', '2021', '3031', '40414243', '5051525354555657', '606162636465666768696a6b6c6d6e6f']]
    assert root([]).hex() == v['rfc6962']['empty']
    for i in range(8):
        assert root(ct[:i + 1]).hex() == v['rfc6962']['roots'][i]
    unhex = lambda items: [bytes.fromhex(item) for item in items]
    assert is_included(5, 8, ct[5], unhex(v['rfc6962']['inclusion_5_of_8']), root(ct))
    assert is_prefix(6, 8, unhex(v['rfc6962']['consistency_6_to_8']), root(ct[:6]), root(ct))

    key, email = b'\x11' * 32, 'buyer@example.com'
    assert hkdf(key, 'day 2026-11-23').hex() == v['leaves']['daySecret']
    assert account_hash(key, email).hex() == v['leaves']['account']
    unit = 10 ** 18
    leaf = lambda state, kind, c, earned: bytes([1, state, kind, 0]) + c + earned.to_bytes(16, 'big')
    five = [leaf(2, 1, holder(key, email, '2026-11-23', 1), 20 * unit), leaf(2, 1, holder(key, email, '2026-11-23', 2), 20 * unit),
            leaf(1, 2, holder(key, email, '2026-11-23', 3), 0), FREE, FREE]
    assert five[0].hex() == v['leaves']['nodeLeaf1']
    assert base64.b64encode(root([leaf_hash(x) for x in five])).decode() == v['leaves']['nodesRoot']

    name, log_key = parse_vkey(v['checkpoint']['vkey'])
    size, its_root, [signature] = parse_checkpoint(v['checkpoint']['note'], name)
    assert (size, its_root) == (8, root(ct)) and signature[:2] == (name, key_id(name, log_key))
    assert parse_checkpoint(v['checkpoints']['empty'], name)[:2] == (0, H())
    witnessed = parse_checkpoint(v['checkpoints']['witnessed'], name)[2]
    assert [len(one[2]) for one in witnessed] == [72, 64]

    for account in v['accounts']:
        key = bytes.fromhex(account['proofKey'])
        assert H(account['email'].encode()).hex() == account['emailHash']
        assert base64.b64encode(account_hash(key, account['email'])).decode() == account['account']
    for one in v['entries']:
        parse(one['text'])
        assert leaf_hash(one['text'].encode()).hex() == one['hash'], one['what']
    for one in v['refused']:
        try:
            parse(one['text'])
        except Refused:
            continue
        raise AssertionError(f'not refused: {one["why"]}')
    for one in v['refusedLeaves']:
        try:
            parse_leaf(bytes.fromhex(one['leaf']))
        except Refused:
            continue
        raise AssertionError(f'not refused: {one["why"]}')

    log = v['log']
    texts = log['entries']
    assert {text.split('/')[0] for text in texts} == set(KINDS)
    hashes = [leaf_hash(text.encode()) for text in texts]
    assert [h.hex() for h in hashes] == log['hashes']
    assert base64.b64encode(root(hashes)).decode() == log['root']
    assert ''.join(text + '\n' for text in texts) == log['file'] and log['file'][:-2].split('\n\n') == [t[:-1] for t in texts]
    for one in log['inclusion']:
        assert is_included(one['index'], one['size'], hashes[one['index']], unhex(one['path']), root(hashes))
    for one in log['consistency']:
        assert is_prefix(one['from'], one['to'], unhex(one['path']), root(hashes[:one['from']]), root(hashes))
    keys = {'log': [(0, log_key)]}
    for index, text in enumerate(texts):
        kind, e = parse(text)
        if kind == 'key' and e['use'] == 'log':
            keys['log'].append((index + 1, ed25519(e['new'])))
    assert [one['size'] for one in log['checkpoints'] if one['size'] in log['snapshots']] == log['snapshots']
    for one in log['checkpoints']:
        size, its_root, signatures = parse_checkpoint(one['note'], name)
        assert (size, its_root) == (one['size'], root(hashes[:size]))
        in_force = [key for since, key in keys['log'] if since <= size][-1]
        assert signatures[0][:2] == (name, key_id(name, in_force))
    assert [parse_vkey(line)[0] for line in log['keys'][:-1].split('\n')] == [name, name + '/receipts']

    for one in v['commitments']:
        key, text = bytes.fromhex(one['proofKey']), texts[one['index']]
        body_hash = H(text[:text.rindex('\nowner ') + 1].encode())
        assert body_hash.hex() == one['bodyHash'] and entry_secret(key, body_hash).hex() == one['secret']
        payment = (one['recipient'], one['message']) if 'message' in one else None
        assert owns(key, one['email'], text, payment) and not owns(key, 'x' + one['email'], text, payment)
        if payment:
            message = H(one['message'].encode())
            assert message.hex() == one['messageHash']
            request = base64.b64encode(H(b'xcr-register/request/v1\n', message)).decode()
            assert request == one['request'] and f'\nrequest {request}\n' in text
    genesis_hash = base64.b64encode(hashes[0]).decode()
    assert v['wallet']['message'] == (
        f'{name} pays XCR from this wallet.\n\nGenesis: {genesis_hash}\nChain: 20250217\nWallet: {v["wallet"]["address"]}')

    receipt_name, receipt_key = parse_vkey(v['receipts']['vkey'])
    by_name = {}
    for what, note in v['receipts']['notes'].items():
        kind, receipt, [signature] = parse_receipt(note)
        by_name[what] = receipt
        assert signature[:2] == (receipt_name, key_id(receipt_name, receipt_key)) and receipt['genesis'] == hashes[0]
    for one in v['receipts']['refused']:
        try:
            _, _, signatures = parse_receipt(one['note'])
            assert one['because'] == 'signature', one['why']
        except Refused:
            assert one['because'] == 'form', one['why']
    for one in v['checkpoints']['refused']:
        try:
            parse_checkpoint(one['note'], name)
            assert one['because'] == 'signature', one['why']
        except Refused:
            assert one['because'] == 'form', one['why']

    file = v['dayFile']
    wide = [leaf(2, 1, H(n.to_bytes(4, 'big')), n) for n in range(1, 301)]
    wide_hashes = [leaf_hash(x) for x in wide]
    assert H(*wide).hex() == file['fileHash'] and base64.b64encode(root(wide_hashes)).decode() == file['root']
    block_roots = [root(wide_hashes[i:i + 256]) for i in range(0, 300, 256)]
    assert [r.hex() for r in block_roots] == file['blockHashes'] and root(block_roots) == root(wide_hashes)
    for i in (0, 255, 256, 299):
        assert is_included(i, 300, wide_hashes[i], unhex(file[f'inclusion_{i}']), root(wide_hashes))

    anchor = v['anchor']
    answer = bytes.fromhex(anchor['answer'][2:])
    take = lambda i: int.from_bytes(answer[32 * i:32 * i + 32], 'big')
    assert take(0) == 32 and len(answer) == 64 + 96 * take(1)
    anchors = [(take(2 + 3 * i), take(3 + 3 * i), answer[128 + 96 * i:160 + 96 * i]) for i in range(take(1))]
    assert anchors == [(a['size'], a['time'], bytes.fromhex(a['root'])) for a in anchor['anchors']]
    for size, _, anchored in anchors:
        assert root(hashes[:size]) == anchored

    trees = {of_day: tree(leaves, log['supply']) for of_day, leaves in log['leaves'].items()}
    for of_day, leaves in trees.items():
        found = [leaf_hash(x) for x in leaves]
        assert [root(found[i:i + 256]).hex() for i in range(0, len(found), 256)] == log['dayHashes'][of_day]
    for use in (anchors, []):
        failed = verify_log(texts, trees, log['chain'], use)
        assert not failed, failed
    for one in log['holders']:
        key, of_day = bytes.fromhex(one['proofKey']), one['day']
        mine = [n + 1 for n, x in enumerate(trees[of_day]) if x[4:36] == holder(key, one['email'], of_day, n + 1)]
        assert mine == numbers_of(spans(one['numbers']))
        assert str(sum(parse_leaf(trees[of_day][n - 1])[3] for n in mine)) == one['earned']

    def told_by(lie):
        if 'allEntries' in lie:
            entries = [texts[one] if isinstance(one, int) else one for one in lie['allEntries']]
        else:
            entries = [lie['entries'].get(str(i), text) for i, text in enumerate(texts)]
        told = {of_day: list(leaves) for of_day, leaves in trees.items()}
        for of_day, changed in lie['leaves'].items():
            for n, x in changed.items():
                told[of_day][int(n) - 1] = bytes.fromhex(x) if x else FREE
        return entries, told

    notes = v['receipts']['notes']
    for one in log['holders']:
        failed = verify_holder(one, texts, trees, [notes[what] for what in one['receipts']])
        assert not failed, (one['email'], failed)
    for lie in log['holderLies']:
        holding = {**log['holders'][lie['holder']], **{name: lie[name] for name in ('balance',) if name in lie}}
        given = {**{what: notes[what] for what in holding['receipts']}, **lie.get('receipts', {})}
        failed = verify_holder(holding, *told_by(lie), [note for note in given.values() if note])
        assert lie['tick'] in failed, (lie['what'], lie['tick'], failed)
    for lie in log['lies']:
        if lie.get('needsSignatures'):
            continue
        entries, told = told_by(lie)
        failed = verify_log(entries, told, lie.get('chain', log['chain']), [] if 'allEntries' in lie else anchors)
        assert lie['tick'] in failed, (lie['what'], lie['tick'], failed)
    print(f'{len(v["entries"]) + len(texts)} entries, {len(v["refused"])} refusals, {len(log["lies"]) + len(log["holderLies"])} lies: Python agrees')


main()
