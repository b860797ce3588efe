"""Words of Taiwan and of mainland China for the same thing, where OpenCC's phrases have none or
mislead.

General computing and office vocabulary. A word with another everyday meaning on either side (例外,
套件, 清單) is left out: it would break more matches than it makes; and so are longer words made of
one (例外處理), which would then no longer match the short one.
"""

import re
from collections.abc import Callable

from rag.core.fold import fold_script

_TABLE = """
    預設 默认 | 回傳 返回 | 傳回 返回 | 回應 响应 | 用戶端 客户端 | 位址 地址 |
    串列埠 串口 | 序列埠 串口 | 串列 列表 | 帳號 账号 | 帳戶 账户 | 帳務 账务 |
    相依性 依赖 | 相依 依赖 | 實作 实现 | 建構函式 构造函数 | 建構子 构造函数 |
    建構式 构造函数 | 建構 构建 | 建置 构建 | 範本 模板 | 樣板 模板 | 範例 示例 |
    逾時 超时 | 權杖 令牌 | 擴充功能 扩展 | 擴充 扩展 | 品質 质量 | 捷徑 快捷方式 |
    映像檔 镜像 | 剖析 解析 | 解譯器 解释器 | 陳述式 语句 | 疊代 迭代 | 產生器 生成器 |
    多載 重载 | 覆寫 覆盖 | 協定 协议 | 網域名稱 域名 | 封包 数据包 | 亂數 随机数 |
    座標 坐标 | 資安 信息安全 | 復原 恢复 | 重設 重置 | 公尺 米 | 公分 厘米 |
    捷運 地铁 | 公車 公交车 | 影印 复印 | 簽核 审批 | 報帳 报销 | 合約 合同 |
    簡訊 短信 | 線上 在线 | 即時 实时 | 人資部 人力资源部 | 人資長 人力资源长 |
    客製化 定制 | 自訂 自定义 | 進階 高级 | 宣告 声明 | 註解 注释 | 巢狀 嵌套 |
    繫結 绑定 | 選用 可选 | 執行個體 实例 | 執行緒 线程 | 執行檔 可执行文件 |
    執行 执行 | 查詢 查询 | 啟用 启用 | 回呼 回调 | 中斷點 断点 | 唯讀 只读 |
    全域 全局 | 佈署 部署 | 佈景主題 主题 | 工作階段 会话 | 通訊埠 端口 | 連接埠 端口 |
    儲存庫 仓库 | 相關聯 关联 | 關聯式 关系型 | 透過 通过 | 身分 身份 | 偵測 检测 |
    套用 应用 | 處理序 进程 | 負載平衡 负载均衡 | 重新導向 重定向 | 印出 打印 |
    二進位 二进制 | 八進位 八进制 | 十進位 十进制 | 十六進位 十六进制 |
    中繼資料 元数据 | 詮釋資料 元数据 | 記錄檔 日志 | 設定檔 配置文件 |
    組態檔 配置文件 | 批次檔 批处理文件 | 參照 引用 | 追蹤 跟踪 | 旗標 标志 |
    儀表板 仪表盘 | 閘道 网关 | 死結 死锁 | 終端機 终端 | 反斜線 反斜杠 |
    開放原始碼 开源 | 時間戳記 时间戳 | 預存程序 存储过程 | 基底類別 基类 |
    父類別 父类 | 類別 类 | 請求本文 请求体 | 回應本文 响应体 | 背景任務 后台任务 |
    程式碼 代码 | 程式設計師 程序员 | 程式設計 编程 | 程式 程序 | 字串 字符串 |
    互動式 交互式
"""
# Words of both sides that OpenCC takes for Taiwan's and changes: 作業程序 is no 作业进程.
_SHARED = "向量 序列 程序 核心 指標 互動"

MAINLAND: dict[str, str] = dict(
    pair.split() for line in _TABLE.strip().splitlines() for pair in line.strip(" |").split("|")
)
"""Word of Taiwan, in Traditional script, to the mainland's, in Simplified."""

# Chinese has no spaces: beside these characters the letters belong to the words next to them (路線
# and 上, 符合 and 約定). Found among the neighbours of each word in Wikipedia and technical pages,
# and by thinking of words that end or begin so.
_NOT_AFTER = {
    "線上": "直曲航路戰沿海陸前後火防地平水天連斷無光視電熱拉管專幹支主副產流毛紅黃綠藍虛實斜底基"
    "邊界岸境鐵弧射軸兩雙一二三四五六七八九十數條",
    "實作": "確落真誠其現事切如證結充樸",
    "復原": "恢回修康反",
    "資安": "投融物工合外師",
    "合約": "符結綜適組配集聯整複混融契吻",
    "相依": "互",
    "品質": "產",
    "全域": "安完健",
    "封包": "信密冰",
    "重設": "著注嚴比側偏看慎尊多",
    "範本": "規示模典",
    "回傳": "來",
    "預設": "干",
    "進階": "推邁前",
    "多載": "許眾諸繁",
    "公分": "辦",
    "身分": "本終全渾",
    "套用": "整全一兩",
}
_NOT_BEFORE = {
    "回應": "該當",
    "回傳": "統說",
    "自訂": "立定購",
    "進階": "段",
    "多載": "具客人",
    "重設": "計施備立",
    "即時": "間",
    "身分": "泌離散",
}


_WORDS = re.compile("|".join(sorted([*MAINLAND, *_SHARED.split()], key=len, reverse=True)))


def in_mainland_words(traditional: str, convert: Callable[[str], str]) -> str:
    """`traditional` with the words of the table replaced, longest first; what stands between them
    by `convert`, which thus never joins the end of one with the beginning of the next (進行 and
    程式 hold 行程)."""
    pieces, done = [], 0
    for found in _WORDS.finditer(traditional):
        word = found[0]
        known = word in MAINLAND and not _is_chance(traditional, found)
        pieces.append(convert(traditional[done : found.start()]))
        pieces.append(MAINLAND[word] if known else fold_script(word))
        done = found.end()
    return "".join([*pieces, convert(traditional[done:])])


def _is_chance(text: str, found: re.Match[str]) -> bool:
    """Whether the characters of a word only meet here, as 線上 in 路線上."""
    before, after = text[found.start() - 1 : found.start()], text[found.end() : found.end() + 1]
    return (before or " ") in _NOT_AFTER.get(found[0], "") or (
        (after or " ") in _NOT_BEFORE.get(found[0], "")
    )
