"""Alike: words that mean the same: short forms, two names of one thing, English and Chinese, took and take.

Promises: pure; a word is alike to another if the other is to it; none is alike to itself.
Touches: nothing. Only a search that has a word which nobody wrote imports this.

A row has words of which one may stand for another in any project. Chinese words stand here with the two
characters that no other row has (据库 of 数据库), as `text` cuts them.
"""

from __future__ import annotations

from recollect.domain.text import stem

_ROWS = """
access 访问 | accessibility a11y | account 账号 账户 帐号 | address 地址 | alert alarm 告警 报警 | algorithm 算法
analytics telemetry tracking 埋点 | annotation labelling 标注 | api interface 接口 | application app 应用
architecture 架构 | archive 归档 | argument param parameter 参数 | array 数组 | async asynchronous 异步
attachment 附件 | audio sound 音频 声音 | audit 审计 | authentication auth signin login logon 登录 登陆 认证
authorization authz permission 权限 授权 | backend 后端 | backup 备份 | bandwidth 带宽 | batch 批量 | benchmark 基准
bill billing 账单 | branch 分支 | breakpoint 断点 | browser 浏览 | buffer 缓冲 | bug defect 缺陷 | bundle 打包
button 按钮 | cache 缓存 | callback 回调 | certificate cert 证书 | channel 渠道 | character char 字符
chart graph 图表 | checkout 结账 结算 | client 客户 | clock 时钟 | cluster 集群 | column field 字段 | command cmd 命令
comment 注释 评论 | commit 提交 | compile 编译 | component 组件 | compression 压缩 | concurrency 并发
config configuration setting 配置 设定 设置 | conflict 冲突 | connection 连接 | container 容器 | cost price 价格 费用
counter 计数 | coupon voucher 优惠 | crash 崩溃 | credential secret 密钥 凭证 | currency 货币 币种 | cursor 游标 光标
customer 顾客 | dashboard 看板 仪表 | data 数据 | database db 据库 | dataset 据集 | deadlock 死锁 | debug 调试
decision 决定 决策 | default 默认 | delete remove erase 删除 | dependency 依赖 | deploy deployment rollout 部署 上线
deprecated 弃用 废弃 | design 设计 | development dev 开发 | device 设备 | dialog modal 弹窗 话框
directory folder dir 目录 | discount 折扣 | disk 磁盘 硬盘 | distributed 分布 | documentation docs 文档 | domain 域名
download 下载 | draft 草稿 | duplicate 重复 | email mail 邮件 邮箱 | encoding 编码 | encryption 加密 | endpoint 端点
environment env 环境 | error failure err 错误 失败 | evaluation 评估 | event 事件 | exception 异常 | experiment 实验
export 导出 | feature 功能 特性 | feedback 反馈 | file 文件 | filter 筛选 过滤 | firmware 固件 | fix 修复 | font 字体
form 表单 | format 格式 | framework 框架 | frontend 前端 | function func fn 函数 | garbage gc 垃圾 | gateway 网关
generate 生成 | hang freeze 卡顿 卡死 | hash 哈希 | homepage 首页 | icon 图标 | idempotent 幂等
image picture photo 图片 | import 导入 | index 索引 | inference 推理 | inherit 继承 | input 输入 | install 安装
integration 集成 | internationalization i18n localization l10n 际化 | inventory stock 库存 | invoice 发票
issue 问题 | iteration 迭代 | javascript js | job task 任务 | kernel 内核 | key 密钥 | keyboard 键盘 | kubernetes k8s
label tag 标签 | language 语言 | latency lag slow 延迟 | layout 布局 | leak 泄漏 泄露 | library lib 类库
license licence 许可 | limit 限制 上限 | link 链接 | list 列表 | load 加载 | lock 锁定 | log 日志 | logout 登出 | loop 循环
maintainer 维护 | mapping 映射 | meeting 会议 | member 会员 | memory ram 内存 | menu 菜单 | merge 合并 | message msg 消息
metric 指标 | microservice 微服 | middleware 间件 | migration 迁移 | mirror 镜像 | mobile phone 手机 | mock 模拟
model 模型 | module 模块 | monitoring observability 监控 | namespace 名空 | network 网络 | node 节点
notification 通知 | object 对象 | offline 离线 | oncall pager 值班 | online 在线 | optimization 优化 | option 选项
order 订单 | outage incident downtime 故障 宕机 | output 输出 | owner 负责 | package pkg 件包 | page 页面
pagination paging 分页 | partition 分区 | password passwd pwd 密码 | path 路径 | pause 暂停 | payment 支付 付款
performance perf 性能 | pipeline 流水 | platform 平台 | plugin extension addon 插件 | pointer 指针 | policy 策略
pool 接池 | port 端口 | postgresql postgres pg | precision 精度 | process 进程 | product 商品 产品
production prod 生产 线上 | project 项目 | prompt 提示 | property attribute 属性 | protocol 协议 | proxy 代理 | push 推送
python py | query 查询 | queue 队列 | quota 配额 | random 随机 | read 读取 | recommendation 推荐 | record 记录
refactor 重构 | refresh 刷新 | refund 退款 | regex regexp 正则 | register signup 注册 | regression 回归
release 发布 发版 | remote 远程 | render 渲染 | replica 副本 | report 报表 报告 | repository repo 仓库 | request req 请求
reset 重置 | resource 资源 | response 响应 | restart reboot 重启 | result 结果 | retry 重试 | review 评审 审查 | role 角色
rollback revert 回滚 | rounding 舍入 | route router 路由 | rule 规则 | sample 样本 采样 | sandbox 沙箱 | save 保存
scaling 扩容 | schedule cron 定时 | schema 模式 | screen 屏幕 | script 脚本 | scroll 滚动 | search 搜索 检索
security 安全 | select 选择 | sensor 传感 | server 务器 | service 服务 | session 会话 | settlement 结算
shard sharding 分片 | share 分享 共享 | shell 终端 | shipping 发货 | size 大小 | snapshot 快照 | sort 排序 | source 源码
specification spec 规范 | split 拆分 | spreadsheet excel 表格 | stack 堆栈 | standard 标准 | startup 启动
state status 状态 | statistics stats 统计 | step 步骤 | storage 存储 | stream 流式 | string str 符串 | style css 样式
submit 提交 | subscription 订阅 | support 支持 | sync synchronize 同步 | syntax 语法 | team 团队 | template 模板
temporary temp tmp 临时 | tenant 租户 | terraform tf | test 测试 | text 文本 | theme 主题 | thread 线程
threshold 阈值 | throttle ratelimit 限流 | time 时间 | timeout 超时 | timezone tz 时区 | toggle switch 开关
token 令牌 | tool 工具 | trace tracing 追踪 链路 | traffic 流量 | training 训练 | transaction 事务 | translation 翻译
tutorial 教程 | typescript ts | unique 唯一 | update 更新 | upgrade 升级 | upload 上传 | user 用户 | validation 校验 验证
value 数值 | variable var 变量 | vendor supplier 供应 | version 版本 | video 视频 | virtual 虚拟 | voice speech 语音
vulnerability 漏洞 | warehouse 仓储 | warning 警告 | website 网站 | weight 权重 | window 窗口 | workflow 流程
write 写入
"""

# Forms of one word that no rule of endings makes one; verbs that say little by themselves are left out.
_FORMS = """
begin began begun | bind bound | break broke broken | build built | buy bought | catch caught | choose chose chosen
deal dealt | draw drew drawn | drive drove driven | fall fell fallen | fly flew flown | forget forgot forgotten
freeze froze frozen | grow grew grown | hang hung | hide hid hidden | hold held | lend lent | lose lost | pay paid
ring rang rung | rise rose risen | run ran | seek sought | sell sold | send sent | shake shook shaken | shrink shrank shrunk
sink sank sunk | sleep slept | spend spent | spin spun | steal stole stolen | stick stuck | take took taken | teach taught
tear tore torn | throw threw thrown | understand understood | wake woke woken | wear wore worn | win won
analysis analyses | appendix appendices | child children | criterion criteria | index indices | leaf leaves
matrix matrices | mouse mice | person people | shelf shelves | vertex vertices
"""


def _key(word: str) -> str:
    """The start that all forms of a word share: deploying → deploy → deplo."""
    start = stem(word)
    return start if start == word else _key(start)


# One line for a row, with a space in front of each word: looked through, as a cue asks of a word or
# two and a table of all would have to be made for it.
_LINES = f"\n{_ROWS}\n{_FORMS}\n".replace(" | ", "\n").replace("\n", "\n ")


def others(word: str) -> tuple[str, ...]:
    """The words that mean the same as this one, as they are written."""
    key = _key(word)
    found: dict[str, None] = {}
    at = _LINES.find(f" {key}")  # a key is how all of its forms begin
    while at >= 0:
        end = _LINES.find("\n", at)
        row = {one: _key(one) for one in _LINES[_LINES.rfind("\n", 0, at) : end].split()}
        if key in row.values():
            found |= dict.fromkeys(one for one, its in row.items() if its != key)
        at = _LINES.find(f" {key}", end)
    return tuple(found)
