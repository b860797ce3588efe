"""Words of Taiwan and of mainland China for the same thing, where OpenCC's phrases have none.

General computing and office vocabulary. A word with another everyday meaning on either side (例外,
套件, 清單) is left out: it would break more matches than it makes.
"""

import re

_TABLE = """
    預設 默认 | 回傳 返回 | 回應 响应 | 例外處理 异常处理 | 用戶端 客户端 |
    串列埠 串口 | 串列 列表 | 帳號 账号 | 帳戶 账户 | 帳務 账务 | 相依性 依赖 |
    相依 依赖 | 實作 实现 | 建構函式 构造函数 | 建構子 构造函数 | 建構 构建 |
    範本 模板 | 樣板 模板 | 逾時 超时 | 權杖 令牌 | 擴充功能 扩展 | 擴充 扩展 |
    品質 质量 | 捷徑 快捷方式 | 映像檔 镜像 | 剖析 解析 | 解譯器 解释器 |
    陳述式 语句 | 疊代 迭代 | 產生器 生成器 | 多載 重载 | 協定 协议 |
    網域名稱 域名 | 封包 数据包 | 亂數 随机数 | 座標 坐标 | 資安 信息安全 |
    復原 恢复 | 重設 重置 | 公尺 米 | 公分 厘米 | 捷運 地铁 | 影印 复印 |
    簽核 审批 | 報帳 报销 | 合約 合同 | 簡訊 短信 | 線上 在线 | 即時 实时 |
    人資 人力资源 | 客製化 定制 | 自訂 自定义 | 進階 高级 | 宣告 声明 | 註解 注释 |
    巢狀 嵌套 | 繫結 绑定 | 選用 可选 | 執行個體 实例 | 執行緒 线程 |
    執行 执行 | 查詢 查询 | 啟用 启用 | 回呼 回调 |
    中斷點 断点 | 唯讀 只读 | 全域 全局 | 佈署 部署 | 佈景主題 主题 |
    工作階段 会话 | 通訊埠 端口 | 連接埠 端口 | 儲存庫 仓库 | 相關聯 关联
"""
MAINLAND: dict[str, str] = dict(
    pair.split() for line in _TABLE.strip().splitlines() for pair in line.strip(" |").split("|")
)
"""Word of Taiwan, in Traditional script, to the mainland's, in Simplified."""

# What OpenCC makes of words that both sides share.
_SHARED = {"矢量": "向量", "串行化": "序列化"}

_BEFORE = re.compile("|".join(sorted(MAINLAND, key=len, reverse=True)))
_AFTER = re.compile("|".join(_SHARED))


def replace_regional(traditional: str) -> str:
    """The words of the table replaced, longest first; the rest is for OpenCC."""
    return _BEFORE.sub(lambda word: MAINLAND[word[0]], traditional)


def restore_shared(converted: str) -> str:
    """OpenCC's output with the shared words as both sides write them."""
    return _AFTER.sub(lambda word: _SHARED[word[0]], converted)
