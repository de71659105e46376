"""Notice: how decisions and rules are worded in Chinese.

Promises: nothing but values.
Touches: nothing.
"""

from __future__ import annotations

from recollect.capture.phrases import Wording, any_of

_STARTS = r"(?:^|[，,：:；、\s])(?:请|那|另外|还有|所以|然后|而且|并且|并)*"
# What cannot be understood without what was said before.
_VAGUE = r"(?:这|那|它|哪|什么|怎么|第[一二三四]|上面|下面|方案[一二三ABC\d]|一下|你|谁|是否|吧)"
_THING = rf"\s*(?!{_VAGUE})[^\s。！，,.!]"
# Who has not decided yet, and whose decision it is.
_NOT_BEFORE = (
    r"(?<!没)(?<!有)(?<!未)(?<!再)(?<!取)(?<!来)(?<!先)(?<!能)(?<!他)(?<!她)(?<!他们)(?<!她们)"
)
_TO_USE = r"(?:使用|用)(?!的|户|到|过|法|途|例|于|力|心|了)"

_DECIDED = any_of(
    # It was decided.
    rf"{_NOT_BEFORE}决定(?!权|性|因素|于|不了|不下|好|完)[了是：:，,]?{_THING}",
    rf"(?:敲定|选定|商定|说好)了?{_THING}|就定.{{1,30}}了",
    # Something is chosen, or changed for something else.
    rf"(?:采用|选用|改用|换用|选择了|统一(?:使用|用|采用)|统一成){_THING}",
    r"(?<!名)(?<!色)(?<!字)(?:换成|改成)\s*[A-Za-z]|(?:使用|用).+(?:代替|替代|替换|而不是|[，,]\s*(?:不用|不要用))",
    rf"{_STARTS}(?:我们|咱们|项目|后端|前端|这里)?(?:就|都|只|继续|还是|仍然|会|将)*{_TO_USE}{_THING}.*吧",
    rf"{_STARTS}(?:我们|咱们|团队)(?:打算|准备|计划|要|将|会)+{_TO_USE}{_THING}",
    rf"(?:就|那就)用{_THING}",
    rf"(?:不再(?:支持|使用|用)|弃用|放弃(?:使用)?){_THING}",
)
_USED = any_of(
    rf"{_STARTS}(?:我们|咱们|本项目|团队)(?:就|都|只|统一|继续|现在|目前)*{_TO_USE}{_THING}",
)

_DO_NOT = r"(?:不要|别|禁止|严禁|请勿|不准|不允许|不得|不可以?|不能)"
_GENERAL = (
    r"(?:再|随便|直接|随意|擅自|总是|老是)*(?:使用|用|加|添加|写|提交|推送|创建|新建|安装|引入|省略|模拟|mock"
    r"|打印|输出|硬编码|存|放|依赖|返回|混用|重复|跳过|忽略|合并|部署|暴露|复制|在.{1,20}(?:里|中|上))"
)
_RULED = any_of(
    # From a point in time on.
    r"(?:以后|今后|从现在(?:起|开始)|从今(?:以后|往后|天起)|往后)(?!再(?:说|看|改|做|讨论|处理)).{0,14}?"
    r"(?:都|要|请|不要|别|不|用|必须|一律|每次|先)",
    # What not to do, as long as it is not about this moment (see `passing`).
    rf"(?:{_STARTS}|永远|以后|绝对|千万|所有人)(?:也|都|就)?{_DO_NOT}{_GENERAL}{_THING}",
    r"(?:禁止|严禁).{2,}",
    r"(?:永远|绝对?)(?:都)?(?:不要|不能|别|不得|不可)",
    # What always holds, or for all of a kind.
    r"总是(?:要|先|用|使用|把|给|加上?|写|保持|检查|运行)(?!失败|报错|出错)\s*\S.",
    r"(?:始终|全部)(?:都|要|请)*(?:使用|用|保持|采用)\s*\S{2,}|一律|务必|必须(?!说|承认|得说|指出|是|.{1,14}才)\s*\S.",
    r"(?:所有|每个|每次|每一|任何).{1,20}(?:都要|都必须|都应该?|都得|必须|要|不能)"
    r"(?!等|花|跑|重新|重启|手动|卡)\s*\S.",
    # What somebody likes.
    rf"我(?:们)?(?:比较|更|很|不|非常|一般|通常)*(?:喜欢|偏好|偏爱|习惯|讨厌){_THING}",
    # What is to be kept in mind, and what was agreed.
    rf"{_STARTS}(?:记住|记得|牢记|别忘了|请注意)(?:[：:，,])?(?!吗|了吗|没).{{4,}}",
    rf"{_STARTS}(?:我们|团队|项目里?)?的?(?:约定|规定|规范|惯例)(?:是|为|[：:])?(?!的|好|时).{{4,}}",
    # The language to speak.
    r"(?:用|以|使用)(?:中文|英文|英语|日文|日语|德语)(?:来)?(?:回复|回答|写|注释|提交|交流|沟通|解释|命名)",
    r"(?:回复|回答|注释|提交信息|文档|变量名|命名)(?:的时候|时)?(?:请|都|要|一律|必须)*(?:用|使用)(?:中文|英文|英语)",
)
_NOT_MEANT = any_of(
    # Questions.
    r"[?？吗呢]\s*[”\"]?$|^\s*(?:为什么|怎么|如何|什么|哪|谁)",
    r"要不要|是否|能不能|能否|可不可以|好不好|是不是|哪个|哪种|哪些|怎么办|还是.+好",
    # Doubts, conditions, wishes.
    r"如果|假如|假设|要是|也许|可能要|可能会|不确定|大概|考虑|比如|例如|可以(?:用|考虑|试)|建议"
    r"|明天|待会|回头再|改天|昨天",
    r"没(?:有)?(?:想好|决定|确定)|未定|由.{1,6}决定",
    # Idioms.
    r"不要紧|别担心|别急|没关系|没问题|取决于",
)
_PASSING = any_of(
    r"先不|先别|暂时|暂且|现在(?!起|开始)|这次|今天|目前(?!用)|等我|等会|稍后|还不要|继续吧",
    r"这个|那个|这些|那些|这里的|它|这一|那一|这段|这行",
    # Used once, for the task at hand.
    r"用.{1,12}(?:看看|看一下|找|查|试|跑|检查|调试|搜)",
)
_TROUBLE = any_of(
    r"报错|失败|出错|崩溃|超时|卡住|卡死|老是|有问题|太慢|不行|不工作|异常|跑不|打不开|泄漏|重建"
)
_REPORTED = any_of(
    r"(?:文档|手册|说明|他|她|他们|同事|老板|客户|日志|报错|错误|提示|信息|注释|评论)"
    r".{0,8}(?:说|写|是|显示|提示|要求|：|:).{0,20}$",
    r"(?:写|实现|加|添加|创建|新增)一个.{0,12}$",
)
CHINESE = Wording(
    decided=_DECIDED,
    used=_USED,
    ruled=_RULED,
    not_meant=_NOT_MEANT,
    passing=_PASSING,
    trouble=_TROUBLE,
    reported=_REPORTED,
    against=any_of(_DO_NOT, r"不要|绝不|讨厌|不喜欢"),
)
