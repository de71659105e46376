"""What surrounds the lines that are looked for: other lines of code, and Chinese paragraphs.

Promises: the same seed gives the same; no line of code says what a cue asks for.
Touches: the TOML files of this benchmark and of the coding histories (reading).
"""

from __future__ import annotations

import itertools
import os
import random
import re
from collections.abc import Callable, Iterator
from typing import NamedTuple

from bench.coding import data

SEED = 20261122
NAMES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "names.toml")
# The first are the commonest; the parts of the names that are looked for are among them.
_WORDS = (
    "get user id set name data list index file count value type is error http request response handle "
    "date format time page order item load save create update delete find max min size limit retry cache pool token "
    "client server query table key node path parse build config test state event callback use effect render "
    "service provider repository factory manager memory module found not message queue worker process sync async "
    "payment invoice billing account stock shop warehouse feature enabled checkout counter script utils left pad html xml "
    "fragment bounds out exception proxy kube map unordered react button primary override compose docker part app hash seed "
    "flag label image version release branch commit review session login password secret role group member invite mail "
    "address city country price total tax amount currency rate chart report export import upload download stream buffer reader "
    "writer socket channel topic offset batch chunk frame window scroll column row cell grid header footer menu dialog form "
    "field label input select option theme color border margin shadow layer mask filter sort search match rank score"
).split()
_EXTENSIONS = ("ts", "js", "py", "go", "rs", "java", "yml", "toml", "md", "sql")
_LETTERS = "0123456789abcdef"
_CLAUSE_ENDS = re.compile(r"[。；;！？\n]")
_FEWEST_CHARACTERS = 6


class Line(NamedTuple):
    """A line, and how somebody asks for the name in it."""

    text: str
    cues: tuple[str, ...]


def written() -> list[Line]:
    """The lines that were written by hand."""
    import tomllib

    with open(NAMES, "rb") as file:
        return [Line(row["text"], tuple(row.get("cues", ()))) for row in tomllib.load(file)["line"]]


def squeezed(text: str) -> str:
    """The letters and digits alone, in lower case."""
    return "".join(char for char in text.lower() if char.isalnum())


def code(count: int, known: list[Line], seed: int = SEED) -> Iterator[str]:
    """Other lines of code, made of the words of which names are made."""
    rng = random.Random(seed)
    weights = list(itertools.accumulate(1 / (rank + 8) for rank in range(len(_WORDS))))
    asked = {squeezed(cue) for line in known for cue in line.cues}
    while count:
        line = _line(rng, weights)
        plain = squeezed(line)
        if not any(name in plain for name in asked):
            count -= 1
            yield line


def _line(rng: random.Random, weights: list[float]) -> str:
    def words(least: int, most: int) -> list[str]:
        return rng.choices(_WORDS, cum_weights=weights, k=rng.randint(least, most))

    def snake() -> str:
        return "_".join(words(2, 4))

    def pascal() -> str:
        return "".join(word.title() for word in words(2, 4))

    def camel() -> str:
        first, *rest = words(2, 4)
        return first + "".join(word.title() for word in rest)

    def kebab() -> str:
        return "-".join(words(2, 3))

    def path() -> str:
        return f"src/{words(1, 1)[0]}/{kebab()}.{rng.choice(_EXTENSIONS)}"

    number = rng.randrange(10_000)
    release = f"{rng.randrange(9)}.{rng.randrange(20)}.{rng.randrange(30)}"
    kinds: list[Callable[[], str]] = [
        lambda: f"const {camel()} = await {camel()}({camel()}.{words(1, 1)[0]});",
        lambda: f"def {snake()}({words(1, 1)[0]}: str, {snake()}: int = {number}) -> None:",
        lambda: f"import {{ {pascal()} }} from './{kebab()}/{kebab()}'",
        lambda: f"raise {pascal()}Error(\"{' '.join(words(3, 6))}\")",
        lambda: f"if ({camel()} !== {snake().upper()}) return {camel()};",
        lambda: f"export {snake().upper()}={number}",
        lambda: f"// {' '.join(words(5, 9))}",
        lambda: f"error E{number:04}: {' '.join(words(3, 5))} ({path()}:{rng.randrange(400)})",
        lambda: f"{kebab()}=={release}",
        lambda: f"make test --{kebab()}={words(1, 1)[0]} --{kebab()}",
        lambda: f"{''.join(rng.choices(_LETTERS, k=8))} {' '.join(words(3, 6))} (#{number})",
        lambda: f"func (s *{pascal()}) {pascal()}({camel()} {pascal()}) error {{",
        lambda: f"{path()}: {' '.join(words(3, 6))}",
    ]  # fmt: skip
    return rng.choice(kinds)()


# --------------------------------------------------------------------------------------- Chinese

WORDS = (
    "数据 缓存 连接 订单 用户 接口 配置 测试 部署 日志 错误 异常 权限 密码 登录 支付 退款 库存 价格 商品 "
    "消息 队列 重试 超时 失败 成功 版本 发布 回滚 分支 提交 审查 迁移 索引 查询 事务 并发 性能 内存 磁盘 "
    "网络 域名 证书 镜像 容器 集群 节点 监控 告警 前端 后端 页面 按钮 组件 样式 图片 上传 下载 文件 目录 "
    "字段 类型 格式 编码 时间 时区 日期 任务 定时 脚本 命令 参数 返回 请求 响应 状态 环境 变量 依赖 升级 "
    "安装 文档 会议 决定 方案 问题 原因 解决 规则 流程 训练 模型 语音 样本 指标 小程 云函 分包 授权 微信"
).split()
TRADITIONAL = (
    "數據 連接 訂單 測試 錯誤 異常 權限 登錄 庫存 價格 隊列 重試 超時 失敗 發佈 審查 遷移 查詢 事務 "
    "並發 內存 磁盤 網絡 證書 鏡像 節點 監控 頁面 樣式 圖片 時間 參數 請求 環境 變量 規則 訓練 語音 指標"
).split()


def paragraphs(count: int, seed: int = SEED) -> Iterator[str]:
    """Paragraphs of Chinese clauses from the memories of the coding histories."""
    rng = random.Random(seed)
    texts = [one.text for one in data.written().memories.values()]
    clauses = sorted({part.strip() for text in texts for part in _CLAUSE_ENDS.split(text)})
    chinese = [one for one in clauses if sum("一" <= c <= "鿿" for c in one) >= _FEWEST_CHARACTERS]
    for _ in range(count):
        yield "。".join(rng.sample(chinese, rng.randint(2, 4))) + "。"
