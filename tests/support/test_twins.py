"""Our own cases of every kind: the source, a claim, whether it is supported."""

import pytest

from rag.core.support import check_support
from rag.domain.answer import Claim, SourceText

# fmt: off
# ruff: noqa: E501
CASES: dict[str, list[tuple[str, bool]]] = {
    'Backups are kept for 30 days.': [
        ('Backups are kept for 3 days.', False),
        ('Backups are retained for a period of 30 days.', True),
        ('Backups are kept for thirteen days.', False),
        ('Backups are kept for three hundred days.', False),
    ],
    'Each key may send 1,200 requests per minute.': [
        ('Each key may send 1200 requests a minute.', True),
        ('Each key may send 1,200 requests every minute.', True),
        ('Each key may send 12,000 requests per minute.', False),
        ('The limit per key is 1.2k requests/min.', True),
        ('Each key may send 1,200 requests per hour.', False),
    ],
    'Last quarter the service was up 99.95% of the time.': [
        ('Last quarter the service was up 99.95 per cent of the time.', True),
        ('Last quarter the service was up 9.995% of the time.', False),
    ],
    'The trial lasts 14 days and costs 30 dollars.': [
        ('The trial costs $30.', True),
        ('The trial costs 14 dollars.', False),
        ('The trial lasts two weeks.', True),
    ],
    'A quarter of all tickets, 25%, are closed within one hour.': [
        ('One quarter of the tickets are closed within an hour.', True),
        ('A quarter of the tickets are closed within 60 minutes.', True),
        ('A quarter of the tickets are closed within two hours.', False),
        ('Half of the tickets are closed within an hour.', False),
        ('Three quarters of all tickets are closed within one hour.', False),
    ],
    'Retries wait between 5 and 10 minutes.': [
        ('Retries wait 5-10 minutes.', True),
        ('Retries wait between 5 and 15 minutes.', False),
        ('Retries wait 5–10 min.', True),
    ],
    'After the third failed attempt the account is locked.': [
        ('The account is locked after three failed attempts.', True),
        ('The account is locked after the 4th failed attempt.', False),
        ('The account is locked after the first failed attempt.', False),
    ],
    '備份保留三十天。': [
        ('備份保留 30 天。', True),
        ('備份保留十三天。', False),
        ('備份保留卅天。', True),
        ('備份保留三十年。', False),
    ],
    '每把金鑰每分鐘上限為一萬二千次請求。': [
        ('每把金鑰每分鐘上限為 1.2 萬次請求。', True),
        ('每把金鑰每秒上限為一萬二千次請求。', False),
        ('每把金鑰每分鐘至少 12,000 次請求。', False),
    ],
    '手續費為百分之五。': [
        ('手續費為 5%。', True),
        ('手續費為千分之五。', False),
        ('手續費為 0.5%。', False),
        ('手續費為五成。', False),
    ],
    '連續輸入錯誤第三次後，帳號會被鎖定。': [
        ('連續輸入錯誤三次後帳號會被鎖定。', True),
    ],
    '試用期十四天，費用為新臺幣三百元。': [
        ('試用期三百天。', False),
        ('試用期為兩週。', True),
        ('費用為 NT$300。', True),
        ('費用為美金三百元。', False),
    ],
    'The retention period is 12 months.': [
        ('The retention period is 12 weeks.', False),
        ('Data is retained for twelve months.', True),
        ('The retention period is two years.', False),
    ],
    'Sessions end after 30 minutes without activity.': [
        ('Sessions end after half an hour without activity.', True),
        ('Sessions end after 30 seconds without activity.', False),
    ],
    'Uploads are limited to 512 MB.': [
        ('Uploads may be at most 512 MB.', True),
        ('Uploads must be at least 512 MB.', False),
        ('Uploads are limited to half a gigabyte.', True),
        ('Uploads are limited to 512 KB.', False),
    ],
    'The request times out after 90 seconds.': [
        ('The request times out after 1.5 minutes.', True),
        ('The request times out after 90 minutes.', False),
    ],
    'Travel within the city is refunded up to USD 500.': [
        ('City travel is refunded up to 500 US dollars.', True),
        ('City travel is refunded up to £500.', False),
        ('City travel is refunded up to 500 euros.', False),
    ],
    '保存期限為十二個月。': [
        ('保存期限為一年。', True),
        ('保存期限為十二天。', False),
        ('保存期限為十二週。', False),
    ],
    '閒置半小時後會自動登出。': [
        ('閒置三十分鐘後會自動登出。', True),
        ('閒置一小時後會自動登出。', False),
        ('閒置半天後會自動登出。', False),
    ],
    '會議室每次最多借用兩小時。': [
        ('會議室每次至少借用兩小時。', False),
        ('會議室每次最多借用 120 分鐘。', True),
        ('會議室每次最多借用兩天。', False),
    ],
    '差旅補助每日新臺幣 1,500 元。': [
        ('差旅補助每月新臺幣 1,500 元。', False),
        ('差旅補助每天 NT$1,500。', True),
        ('差旅補助每日新臺幣 15,000 元。', False),
    ],
    'The policy takes effect on 2026-03-01.': [
        ('The policy takes effect on March 1st, 2026.', True),
        ('The policy takes effect on 3 January 2026.', False),
        ('The policy takes effect in March 2026.', True),
        ('The policy takes effect in May 2026.', False),
    ],
    'Maintenance starts every Tuesday at 22:00.': [
        ('Maintenance starts every Thursday at 22:00.', False),
        ("Maintenance starts every Tuesday at ten o'clock in the evening.", True),
        ('Maintenance starts every Tuesday at 20:00.', False),
        ('Maintenance starts weekly on Tuesday.', True),
    ],
    'Claims must arrive before 09:00 on Friday.': [
        ('Claims must arrive after 09:00 on Friday.', False),
        ('Claims must arrive before 9 pm on Friday.', False),
        ('Claims must arrive by 9 am on Friday.', True),
        ('Claims must arrive before 09:00 on Monday.', False),
    ],
    '本辦法自民國115年3月1日起施行。': [
        ('本辦法自民國一百一十五年三月一日起施行。', True),
        ('本辦法自民國115年1月3日起施行。', False),
        ('本辦法於 2026/3/1 施行。', True),
        ('本辦法自民國114年3月1日起施行。', False),
    ],
    '每週二晚上十點進行系統維護。': [
        ('系統維護每週二 22:00 進行。', True),
        ('系統維護每週三晚上十點進行。', False),
        ('系統維護每週二晚上八點進行。', False),
        ('系統維護每月二日晚上十點進行。', False),
    ],
    '報銷單須於每月五日前送出。': [
        ('報銷單須於每月十五日前送出。', False),
        ('報銷單要在每個月 5 號以前送出。', True),
    ],
    '客服時間為週一至週五上午九點到下午六點。': [
        ('客服時間是週一至週五 09:00–18:00。', True),
        ('客服時間為週一至週六上午九點到下午六點。', False),
        ('週三上午九點到下午六點有客服。', True),
        ('客服到晚上六點。', True),
    ],
    'Access keys must not be shared with contractors.': [
        ('Access keys may be shared with contractors.', False),
        ('Sharing access keys with contractors is prohibited.', True),
        ('Never share access keys with contractors.', True),
        ('Access keys can be shared with contractors.', False),
    ],
    'The export button is no longer available since version 3.2.': [
        ('The export button is available since version 3.2.', False),
        ('The export button was removed in version 3.2.', True),
        ('The export button is unavailable since version 3.2.', True),
    ],
    'You do not need to restart the server after a change.': [
        ('The server must be restarted after a change.', False),
        ('There is no need to restart the server after a change.', True),
        ('You must not restart the server after a change.', False),
        ("You don't have to restart the server after a change.", True),
    ],
    'The job fails if the token is missing.': [
        ('The job fails when the token is missing.', True),
        ('The job does not fail if the token is missing.', False),
        ('The job succeeds if the token is missing.', False),
        ('If there is no token, the job fails.', True),
    ],
    'Administrators can view and edit the logs.': [
        ('Administrators can edit the logs.', True),
        ('Administrators can view but not edit the logs.', False),
        ('Only administrators can edit the logs.', False),
    ],
    "The old API isn't supported on mobile devices.": [
        ('The old API is not supported on mobile devices.', True),
        ('The old API is supported on mobile devices.', False),
        ('The old API does not work on mobile devices.', True),
    ],
    '存取金鑰不得外借。': [
        ('存取金鑰不可外借。', True),
        ('存取金鑰得外借。', False),
        ('存取金鑰不能借給他人。', True),
        ('請勿外借存取金鑰。', True),
        ('存取金鑰必須外借。', False),
    ],
    '請假三天以內無須主管核准。': [
        ('請假三天以內不需主管核准。', True),
        ('請假三天以上無須主管核准。', False),
        ('請假三天以內須經主管核准。', False),
        ('請假三天以內不必主管核准。', True),
    ],
    '行動版尚未支援匯出功能。': [
        ('行動版目前不支援匯出功能。', True),
        ('行動版支援匯出功能。', False),
        ('行動版可以使用匯出功能。', False),
    ],
    '平日與假日都可以申請。': [
        ('無論平日或假日都可以申請。', True),
        ('假日不可以申請。', False),
        ('僅平日可以申請。', False),
        ('不但平日可以申請，假日也可以。', True),
    ],
    '之後的版本會支援單一登入，回應速度很快。': [
        ('之後的版本會支援單一登入。', True),
        ('回應速度非常快。', True),
        ('回應速度不快。', False),
    ],
    'Passwords need at least 12 characters.': [
        ('Passwords must have a minimum of 12 characters.', True),
        ('Passwords need at most 12 characters.', False),
        ('Passwords need fewer than 12 characters.', False),
        ('Passwords shorter than 12 characters are not accepted.', True),
        ('Passwords must not be shorter than 12 characters.', True),
    ],
    'A team may hold no more than 5 open licences.': [
        ('A team may hold up to 5 open licences.', True),
        ('A team may hold at least 5 open licences.', False),
        ('A team may not hold more than 5 open licences.', True),
        ('A team may hold 5 or more open licences.', False),
    ],
    'In May the price rose by 5%.': [
        ('In May the price fell by 5%.', False),
        ('In May the price increased by 5 percent.', True),
        ('In June the price rose by 5%.', False),
        ('In May the price dropped by 5%.', False),
        ('The price went up 5% in May.', True),
    ],
    '密碼至少需要 12 個字元。': [
        ('密碼不得少於 12 個字元。', True),
        ('密碼最多 12 個字元。', False),
        ('密碼不得超過 12 個字元。', False),
        ('密碼最少要有十二個字元。', True),
        ('密碼需要 12 個字元以下。', False),
    ],
    '每組最多持有五個授權。': [
        ('每組至少持有五個授權。', False),
        ('每組不得持有超過五個授權。', True),
        ('每組持有的授權以五個為限。', True),
    ],
    'Set `max_retries` to 5 in /etc/app/config.toml; version 3.11 or newer is required.': [
        ('Set `max_retries` to 6 in /etc/app/config.toml.', False),
        ('Set `max_retries` to 5 in /etc/app/config.yaml.', False),
        ('Version 3.11 or later is needed.', True),
        ('Version 3.11 or older is required.', False),
        ('max_retries is 5.', True),
        ('Set maxRetries to 5.', False),
    ],
    'Unknown users get 401 Unauthorized; a known user without the role gets 403 Forbidden.': [
        ('Unknown users get 403.', False),
        ('A known user without the role receives 403.', True),
        ('Users without the role get 401.', False),
    ],
    'The log then reads "token expired" and the process exits with code 3.': [
        ('The process exits with code 4.', False),
        ('The exit code is 3.', True),
    ],
    'We are certified under ISO 27001 and use TLS 1.3 on port 8443.': [
        ('We are certified under ISO 27002.', False),
        ('TLS 1.3 runs on port 8443.', True),
        ('Port 8080 uses TLS 1.3.', False),
        ('We hold an ISO 27001 certificate.', True),
    ],
    '請將 `max_retries` 設為 5，並使用 v2.3.1 以上版本。': [
        ('請使用 2.3.1 以上的版本。', True),
        ('請使用 v2.3.2 以上版本。', False),
        ('請使用 v2.3.1 以下版本。', False),
        ('請將 `max_retries` 設為五。', True),
    ],
    '未登入者會收到 401；無權限者會收到 403。錯誤訊息為「權限不足」。': [
        ('未登入者會收到 403。', False),
        ('沒有權限的人會收到 403。', True),
        ('無權限者會收到 404。', False),
    ],
    'An administrator can reset the password at any time.': [
        ('No administrator can reset the password.', False),
        ('The password can be reset by an administrator whenever needed.', True),
        ('There is no doubt that an administrator can reset the password at any time.', True),
    ],
    'If the first call fails, the client waits and tries again.': [
        ('If the second call fails, the client waits and tries again.', False),
        ('First, the client waits; then it tries again.', True),
    ],
    '若失敗請重試，並由資訊部統一處理。': [
        ('若失敗請不要重試。', False),
        ('一旦失敗，請重試。', True),
        ('一律由資訊部處理。', True),
    ],
    '備份非常重要，所有伺服器一律每日備份。': [
        ('所有伺服器每週備份。', False),
        ('備份十分重要。', True),
        ('備份不重要。', False),
        ('部分伺服器每日備份。', True),
    ],
    '兩個服務使用不同的連接埠。': [
        ('兩個服務使用同樣的連接埠。', False),
        ('二個服務用不同的連接埠。', True),
        ('三個服務使用不同的連接埠。', False),
    ],
    'Expense reports are approved by the finance lead in Taipei.': [
        ('The finance lead in Taipei approves expense reports.', True),
        ('Expense reports are approved by the finance lead in Berlin.', False),
    ],
    'The database runs on PostgreSQL 15 and is replicated to Frankfurt.': [
        ('The database runs on PostgreSQL 16.', False),
        ('Postgres 15 is the database.', True),
        ('The database is replicated to Frankfurt.', True),
    ],
    '差旅費由財務部林經理核准。': [
        ('林經理核准差旅費。', True),
        ('差旅費由人事部林經理核准。', False),
    ],
    '備份檔案保留三十天，逾期自動刪除。': [
        ('备份档案保留三十天。', True),
        ('备份文件逾期自动删除。', True),
        ('Backup files are kept for 30 days.', True),
        ('Backup files are kept for 60 days.', False),
    ],
    'Passwords expire every 90 days and must have at least 12 characters.': [
        ('密碼每九十天到期。', True),
        ('密碼每 30 天到期。', False),
        ('密碼至少須有十個字元。', False),
        ('密碼至少要十二個字元，每 90 天更換。', True),
    ],
    'Employees submit expense claims within 30 days of purchase.': [
        ('Employees submit expense claims 30 days before purchase.', False),
        ('Expense claims are due no later than thirty days after buying.', True),
        ('Employees submit expense claims after more than 30 days.', False),
    ],
    'When the limit is exceeded, the API answers 429 and the header Retry-After gives the seconds to wait.': [
        ('If you exceed the limit you get a 429 response.', True),
        ('When the limit is exceeded, the API answers 503.', False),
        ('The header `X-Wait` gives the seconds to wait.', False),
    ],
    '新進員工到職滿三個月後，可申請遠端工作，每週最多兩天。': [
        ('遠端工作每週最多三天。', False),
        ('遠端工作一週至多兩天。', True),
        ('遠端工作每月最多兩天。', False),
        ('新進員工到職未滿三個月可申請遠端工作。', False),
    ],
    '若憑證過期，系統會拒絕連線並寄信通知管理員。': [
        ('憑證過期時系統會拒絕連線。', True),
        ('憑證過期時系統會接受連線。', False),
        ('憑證過期時，系統不會通知管理員。', False),
    ],
    '| Plan | Price | Seats |\n|---|---|---|\n| Basic | $10 | 5 |\n| Team | $40 | 25 |': [
        ('The Basic plan costs $40.', False),
        ('The Team plan has 25 seats.', True),
        ('The Team plan has 5 seats.', False),
        ('The Basic plan costs 10 dollars and includes 5 seats.', True),
        ('There are two plans.', True),
    ],
    '| 假別 | 天數 | 給薪 |\n|---|---|---|\n| 特休 | 14 天 | 全薪 |\n| 病假 | 30 天 | 半薪 |': [
        ('病假 30 天，給半薪。', True),
        ('病假為 14 天。', False),
        ('病假有十五天。', False),
    ],
}
# fmt: on

PAIRS = [(source, *case) for source, cases in CASES.items() for case in cases]


@pytest.mark.parametrize(("source", "text", "supported"), PAIRS)
def test_tells_true_claims_from_false_ones(source: str, text: str, supported: bool) -> None:
    claim = Claim(text=text, start=0, end=len(text), markers=("S1",), verdict="supported")
    (checked,) = check_support([claim], [SourceText(marker="S1", text=source)])
    assert (checked.verdict != "unsupported") is supported, checked.why
