"""Alike: words that mean the same: short forms, two names of one thing, English and Chinese, took and take.

Promises: pure; a word is alike to another if the other is to it; none is alike to itself.
Touches: nothing. Only a search that has a word which nobody wrote imports this.

A row has words of which one may stand for another in any project. Chinese words stand here with the two
characters that no other row has (据库 of 数据库), as `text` cuts them.
"""

from __future__ import annotations

from recollect.text.tokens import stem

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


# -------------------- Hanzi: which simplified character stands for a traditional one.


SIMPLIFIED = str.maketrans(
    "丟並乾亂亙亞佇佈佔併來侖侶侷俁係俠俬倀倆倉個們倖倫偉側偵偽傑傖傘備傢傭傯傳傴債傷傾僂僅僉"
    "僑僕僥僨僱價儀儂億儈儉儐儔儕儘償優儲儷儺儻儼兇兌兒兗內兩冊冑冪凈凍凜凱別刪剄則剋剎剛剝剮"
    "剴創剷劃劇劉劊劌劍劑勁動務勛勝勞勢勱勳勵勸勻匭匯匱區協卹卻厙厤厭厲厴參叢吒吳吶呂咼員唄唸"
    "問啞啟喚喪喫喬單喲嗆嗇嗎嗚嗩嗶嘆嘍嘔嘖嘗嘜嘩嘮嘯嘰嘵嘸噁噓噠噥噦噯噲噴噸噹嚀嚇嚌嚐嚕嚙嚥"
    "嚦嚨嚮嚳嚴嚶囀囁囂囅囈囌囑囪圇國圍園圓圖團埡埰執堅堊堝堯報場塊塋塏塒塗塚塢塤塵塹墊墜墮墳"
    "墾壇壎壓壘壙壚壞壟壢壩壯壺壽夠夢夥夾奐奧奩奪奮奼妝姍姦娛婁婦婭媧媯媼媽嫋嫗嫵嫻嬈嬋嬌嬙嬡"
    "嬤嬪嬰嬸孃孌孫學孿宮寀寢實寧審寫寬寵寶將專尋對導尷屆屍屜屢層屨屬岡峴島峽崍崑崗崙崢嵐嶁嶄"
    "嶇嶗嶠嶧嶸嶺嶼嶽巋巒巔巖巰巹帥師帳帶幀幃幗幘幟幣幫幬幹幾庫廁廂廄廈廕廚廝廟廠廡廢廣廩廬廳"
    "弒弔弳張強彆彈彌彎彔彙彥彫彿後徑從徠復徵徹恆恥悅悵悶悽惡惱惲惻愛愜愨愴愷愾慄態慍慘慚慟慣"
    "慪慫慮慳慶慼慾憂憊憐憑憒憚憤憫憮憲憶懇應懌懍懞懟懣懨懲懶懷懸懺懼懾戀戇戔戧戩戰戲戶拋挾捨"
    "捫捱捲掃掄掙掛採揀揚換揮損搖搗搶摑摜摟摯摳摶摺摻撈撐撓撟撣撥撫撲撳撻撾撿擁擄擇擊擋擔據擠"
    "擣擬擯擰擱擲擴擷擺擻擼擾攄攆攏攔攖攙攛攜攝攢攣攤攪攬敗敘敵數斂斃斕斬斷於旂昇時晉晝暈暉暢"
    "暫曄曆曇曉曏曖曠曬書會朧朮東枴柵柺桿梔條梟棄棖棗棟棧棲椏楊楓楨業極榦榪榮榿構槍槓槧槨槳樁"
    "樂樅樑樓標樞樣樸樹樺橈橋機橢橫檁檉檔檜檢檣檯檳檸檻櫃櫓櫚櫛櫝櫞櫟櫥櫧櫨櫪櫫櫬櫱櫳櫸櫻欄權"
    "欏欒欖欞欽歎歐歟歡歲歷歸歿殘殞殤殫殭殮殯殲殺殼毀毆毿氂氈氌氣氫氬氳氾汎汙決沒沖況泝洩洶浹"
    "涇涼淒淚淥淨淩淪淵淶淺渙減渦測渾湊湞湧湯溈準溝溫溼滄滅滌滎滬滯滲滷滸滾滿漁漚漢漣漬漲漵漸"
    "漿潁潑潔潛潤潯潰潷潿澀澆澇澗澠澤澩澮澱濁濃濕濘濛濟濤濫濰濱濺濼濾瀅瀆瀉瀋瀏瀕瀘瀝瀟瀠瀦瀧"
    "瀨瀰瀲瀾灃灄灑灕灘灝灣灤灩災為烏烴無煉煒煙煢煥煩煬熒熗熱熾燁燈燉燒燙燜營燦燬燭燴燻燼燾爍"
    "爐爛爭爺爾牆牘牽犖犛犢犧狀狹狽猙猶猻獃獄獅獎獨獪獫獰獲獵獷獸獺獻獼玀現琱琺琿瑋瑣瑤瑩瑪璉"
    "璣璦環璽璿瓊瓏瓔瓚甌甕產甦甯畝畢畫異當疇疊痙痠痾瘋瘍瘓瘞瘡瘧瘺療癆癇癉癒癘癟癡癢癤癥癩癬"
    "癭癮癰癱癲發皁皚皰皸皺盃盜盞盡監盤盧盪眥眾睏睜睞瞞瞼矇矚矯硃硤硨硯碩碭確碼磚磣磧磯磽礎礙"
    "礦礪礫礬礱祕祿禍禎禦禪禮禰禱禿秈稅稈稜稟種稱穀穌積穎穡穢穩穫窩窪窮窯窶窺竄竅竇竊競筆筍筧"
    "箇箋箏節範築篋篤篩篳簀簍簑簞簡簣簫簽簾籃籌籜籟籠籤籩籪籬籮籲粵糝糞糧糰糲糴糶糾紀紂約紅紆"
    "紇紈紉紋納紐紓純紕紗紙級紛紜紡紮細紱紲紳紹紺紼紿絀終絃組絆絎結絕絛絞絡絢給絨統絲絳絹綁綃"
    "綆綈綏綑經綜綞綠綢綣綬維綰綱網綴綵綸綹綺綻綽綾綿緄緇緊緋緒緗緘緙線緝緞締緡緣緦編緩緬緯緱"
    "緲練緶緹緻縈縉縊縋縐縑縛縝縞縟縣縫縭縮縱縲縴縵縶縷縹總績繃繅繆繒織繕繚繞繡繢繩繪繫繭繯繰"
    "繳繹繼繽繾纈纊續纍纏纓纔纖纘纜缽罈罌罰罵罷羅羆羈羋羥羨義羶習翫翹耬聖聞聯聰聲聳聵聶職聹聽"
    "聾肅脅脈脛脣脩脫脹腎腡腦腫腳腸膃膚膠膩膽膾膿臉臍臏臘臚臟臠臥臨臺與興舉舊艙艤艦艫艱艷芻苧"
    "茲荊莊莖莢莧華菴菸萇萊萬萵葉葒葦葯葷蒐蒔蒞蒼蓀蓆蓋蓮蓯蓴蓽蔔蔘蔞蔣蔥蔦蔭蕁蕆蕎蕓蕕蕘蕢蕩"
    "蕪蕭蕷薈薊薌薑薔薟薦薩薴薹薺藍藎藝藥藪藶藹藺蘄蘆蘇蘊蘋蘚蘞蘢蘭蘺蘿處虛虜號虧虯蛺蛻蜆蝕蝟"
    "蝦蝨蝸螄螞螢螻蟄蟈蟣蟬蟯蟲蟶蟻蠅蠆蠍蠐蠑蠔蠟蠣蠱蠶蠻衊術衕衚衛衝袞裊補裝裡製複褲褳褸褻襉"
    "襖襝襠襤襪襬襯襲覈見規覓視覘覡覦親覬覯覲覷覺覽覿觀觴觶觸訂訃計訊訌討訐訓訕訖託記訛訝訟訣"
    "訥訪設許訴訶診註証詁詆詎詐詒詔評詘詛詞詠詡詢詣試詩詫詬詭詮詰話該詳詵詼詿誄誅誆誇誌認誑誒"
    "誕誘誚語誠誡誣誤誥誦誨說誰課誶誹誼調諂諄談諉請諍諏諑諒論諗諛諜諞諡諢諤諦諧諫諭諮諱諳諶諷"
    "諸諺諼諾謀謁謂謄謅謊謎謐謔謖謗謙謚講謝謠謨謫謬謳謹謾譁證譎譏譖識譙譚譜譟譫譭譯議譴護譽譾"
    "讀變讎讒讓讕讖讚讜讞豈豎豐豔豬貓貝貞負財貢貧貨販貪貫責貯貰貲貳貴貶買貸貺費貼貽貿賀賁賂賃"
    "賄賅資賈賊賑賒賓賕賚賜賞賠賡賢賣賤賦賧質賬賭賴賺賻購賽賾贄贅贈贊贍贏贐贓贖贗贛趕趙趨趲跡"
    "踐踰踴蹌蹕蹟蹠蹣蹤蹺躉躊躋躍躑躒躓躕躚躡躥躦躪軀車軋軌軍軒軔軛軟軫軸軹軺軻軼軾較輅輇載輊"
    "輒輓輔輕輛輜輝輞輟輥輦輩輪輯輳輸輻輾輿轂轄轅轆轉轍轎轔轟轡轢轤辦辭辮辯農迴逕這連週進遊運"
    "過達違遙遜遞遠適遲遷選遺遼邁還邇邊邏邐郟郵鄆鄉鄒鄔鄖鄧鄭鄰鄲鄴鄶鄺酈醃醜醞醣醫醬釀釁釃釅"
    "釋釐釓釔釕釗釘釙針釣釤釦釧釩釵釷釹鈀鈁鈄鈅鈉鈍鈐鈑鈔鈕鈞鈣鈥鈦鈧鈮鈰鈳鈴鈷鈸鈹鈺鈽鈾鈿鉀"
    "鉅鉆鉈鉉鉍鉑鉗鉚鉛鉞鉤鉦鉬鉭鉸鉺鉻鉿銀銃銅銑銓銖銘銚銜銠銣銥銦銨銩銪銫銬銳銷銻銼鋁鋃鋅鋇"
    "鋌鋏鋒鋝鋟鋤鋦鋨鋪鋮鋯鋰鋱鋸鋼錁錄錆錈錐錒錕錘錙錚錛錟錠錢錦錨錫錮錯錳錶錸錼鍆鍇鍊鍋鍍鍔"
    "鍘鍛鍤鍥鍬鍰鍵鍶鍺鍼鍾鎂鎊鎌鎖鎘鎚鎢鎣鎦鎧鎩鎪鎬鎮鎰鎳鎵鏃鏇鏈鏌鏍鏑鏗鏘鏜鏝鏞鏟鏡鏢鏤鏨"
    "鏵鏷鏹鏽鐃鐋鐐鐒鐓鐔鐘鐙鐠鐨鐫鐮鐲鐳鐵鐸鐺鐿鑄鑊鑌鑑鑒鑠鑣鑭鑰鑲鑷鑼鑽鑾鑿钁長門閂閃閆閉"
    "開閌閎閏閑閒間閔閘閡閣閤閥閨閩閫閬閭閱閶閹閻閼閽閾閿闃闆闇闈闊闋闌闐闔闕闖關闞闡闢闥陘陝"
    "陞陣陰陳陸陽隉隊階隕際隨險隱隴隸隻雋雖雙雛雜雞離難雲電霑霧霽靂靄靈靚靜靦靨鞏鞝鞦韁韃韆韉"
    "韋韌韓韙韜韝韞韻響頁頂頃項順頇須頊頌頎頏預頑頒頓頗領頜頡頤頦頭頰頷頸頹頻顆題額顎顏顓願顙"
    "顛類顢顥顧顫顯顰顱顳顴風颮颯颱颳颶颼飄飆飛飢飩飪飫飭飯飲飴飼飽飾餃餅餈餉養餌餑餒餓餘餚餛"
    "餞餡館餬餱餳餵餼餾餿饃饅饈饉饋饌饑饒饗饜饞馬馭馮馱馳馴駁駐駑駒駔駕駘駙駛駝駟駢駭駱駿騁騅"
    "騍騎騏騖騙騫騭騮騰騶騷騸騾驀驁驂驃驄驅驊驍驏驕驗驚驛驟驢驤驥驪骯髏髒體髕髖髮鬆鬍鬚鬢鬥鬧"
    "鬨鬩鬮鬱魎魘魚魯魴魷鮐鮑鮒鮚鮞鮪鮫鮭鮮鯀鯁鯇鯉鯊鯔鯖鯗鯛鯡鯢鯤鯧鯨鯪鯫鯰鯽鰈鰉鰍鰒鰓鰣鰥"
    "鰨鰩鰭鰱鰲鰳鰷鰹鰻鰾鱈鱉鱒鱔鱖鱗鱘鱟鱧鱭鱷鱸鱺鳥鳧鳩鳳鳴鳶鴆鴇鴉鴕鴛鴝鴟鴣鴦鴨鴯鴰鴻鴿鵂"
    "鵑鵒鵓鵜鵝鵠鵡鵪鵬鵯鵰鵲鶇鶉鶘鶚鶩鶯鶴鶻鶼鶿鷂鷓鷗鷙鷚鷥鷦鷯鷲鷳鷴鷸鷹鷺鸕鸚鸛鸝鸞鹵鹹鹺"
    "鹼鹽麗麥麩麴麵麼黃黌點黨黲黴黷黽黿鼉鼕鼴齊齋齎齏齒齔齙齜齟齠齡齣齦齧齪齬齲齶齷龍龐龔龕龜",
    "丢并干乱亘亚伫布占并来仑侣局俣系侠私伥俩仓个们幸伦伟侧侦伪杰伧伞备家佣偬传伛债伤倾偻仅佥"
    "侨仆侥偾雇价仪侬亿侩俭傧俦侪尽偿优储俪傩傥俨凶兑儿兖内两册胄幂净冻凛凯别删刭则克刹刚剥剐"
    "剀创铲划剧刘刽刿剑剂劲动务勋胜劳势劢勋励劝匀匦汇匮区协恤却厍历厌厉厣参丛咤吴呐吕呙员呗念"
    "问哑启唤丧吃乔单哟呛啬吗呜唢哔叹喽呕啧尝唛哗唠啸叽哓呒恶嘘哒哝哕嗳哙喷吨当咛吓哜尝噜啮咽"
    "呖咙向喾严嘤啭嗫嚣冁呓苏嘱囱囵国围园圆图团垭采执坚垩埚尧报场块茔垲埘涂冢坞埙尘堑垫坠堕坟"
    "垦坛埙压垒圹垆坏垄坜坝壮壶寿够梦伙夹奂奥奁夺奋姹妆姗奸娱娄妇娅娲妫媪妈袅妪妩娴娆婵娇嫱嫒"
    "嬷嫔婴婶娘娈孙学孪宫采寝实宁审写宽宠宝将专寻对导尴届尸屉屡层屦属冈岘岛峡崃昆岗仑峥岚嵝崭"
    "岖崂峤峄嵘岭屿岳岿峦巅岩巯卺帅师帐带帧帏帼帻帜币帮帱干几库厕厢厩厦荫厨厮庙厂庑废广廪庐厅"
    "弑吊弪张强别弹弥弯录汇彦雕佛后径从徕复征彻恒耻悦怅闷凄恶恼恽恻爱惬悫怆恺忾栗态愠惨惭恸惯"
    "怄怂虑悭庆戚欲忧惫怜凭愦惮愤悯怃宪忆恳应怿懔蒙怼懑恹惩懒怀悬忏惧慑恋戆戋戗戬战戏户抛挟舍"
    "扪挨卷扫抡挣挂采拣扬换挥损摇捣抢掴掼搂挚抠抟折掺捞撑挠挢掸拨抚扑揿挞挝捡拥掳择击挡担据挤"
    "捣拟摈拧搁掷扩撷摆擞撸扰摅撵拢拦撄搀撺携摄攒挛摊搅揽败叙敌数敛毙斓斩断于旗升时晋昼晕晖畅"
    "暂晔历昙晓向暧旷晒书会胧术东拐栅拐杆栀条枭弃枨枣栋栈栖桠杨枫桢业极干杩荣桤构枪杠椠椁桨桩"
    "乐枞梁楼标枢样朴树桦桡桥机椭横檩柽档桧检樯台槟柠槛柜橹榈栉椟橼栎橱槠栌枥橥榇蘖栊榉樱栏权"
    "椤栾榄棂钦叹欧欤欢岁历归殁残殒殇殚僵殓殡歼杀壳毁殴毵牦毡氇气氢氩氲泛泛污决没冲况溯泄汹浃"
    "泾凉凄泪渌净凌沦渊涞浅涣减涡测浑凑浈涌汤沩准沟温湿沧灭涤荥沪滞渗卤浒滚满渔沤汉涟渍涨溆渐"
    "浆颍泼洁潜润浔溃滗涠涩浇涝涧渑泽泶浍淀浊浓湿泞蒙济涛滥潍滨溅泺滤滢渎泻沈浏濒泸沥潇潆潴泷"
    "濑弥潋澜沣滠洒漓滩灏湾滦滟灾为乌烃无炼炜烟茕焕烦炀荧炝热炽烨灯炖烧烫焖营灿毁烛烩熏烬焘烁"
    "炉烂争爷尔墙牍牵荦牦犊牺状狭狈狰犹狲呆狱狮奖独狯猃狞获猎犷兽獭献猕猡现雕珐珲玮琐瑶莹玛琏"
    "玑瑷环玺璇琼珑璎瓒瓯瓮产苏宁亩毕画异当畴叠痉酸疴疯疡痪瘗疮疟瘘疗痨痫瘅愈疠瘪痴痒疖症癞癣"
    "瘿瘾痈瘫癫发皂皑疱皲皱杯盗盏尽监盘卢荡眦众困睁睐瞒睑蒙瞩矫朱硖砗砚硕砀确码砖碜碛矶硗础碍"
    "矿砺砾矾砻秘禄祸祯御禅礼祢祷秃籼税秆棱禀种称谷稣积颖穑秽稳获窝洼穷窑窭窥窜窍窦窃竞笔笋笕"
    "个笺筝节范筑箧笃筛筚箦篓蓑箪简篑箫签帘篮筹箨籁笼签笾簖篱箩吁粤糁粪粮团粝籴粜纠纪纣约红纡"
    "纥纨纫纹纳纽纾纯纰纱纸级纷纭纺扎细绂绁绅绍绀绋绐绌终弦组绊绗结绝绦绞络绚给绒统丝绛绢绑绡"
    "绠绨绥捆经综缍绿绸绻绶维绾纲网缀彩纶绺绮绽绰绫绵绲缁紧绯绪缃缄缂线缉缎缔缗缘缌编缓缅纬缑"
    "缈练缏缇致萦缙缢缒绉缣缚缜缟缛县缝缡缩纵缧纤缦絷缕缥总绩绷缫缪缯织缮缭绕绣缋绳绘系茧缳缲"
    "缴绎继缤缱缬纩续累缠缨才纤缵缆钵坛罂罚骂罢罗罴羁芈羟羡义膻习玩翘耧圣闻联聪声耸聩聂职聍听"
    "聋肃胁脉胫唇修脱胀肾脶脑肿脚肠腽肤胶腻胆脍脓脸脐膑腊胪脏脔卧临台与兴举旧舱舣舰舻艰艳刍苎"
    "兹荆庄茎荚苋华庵烟苌莱万莴叶荭苇药荤搜莳莅苍荪席盖莲苁莼荜卜参蒌蒋葱茑荫荨蒇荞芸莸荛蒉荡"
    "芜萧蓣荟蓟芗姜蔷莶荐萨苎苔荠蓝荩艺药薮苈蔼蔺蕲芦苏蕴苹藓蔹茏兰蓠萝处虚虏号亏虬蛱蜕蚬蚀猬"
    "虾虱蜗蛳蚂萤蝼蛰蝈虮蝉蛲虫蛏蚁蝇虿蝎蛴蝾蚝蜡蛎蛊蚕蛮蔑术同胡卫冲衮袅补装里制复裤裢褛亵裥"
    "袄裣裆褴袜摆衬袭核见规觅视觇觋觎亲觊觏觐觑觉览觌观觞觯触订讣计讯讧讨讦训讪讫托记讹讶讼诀"
    "讷访设许诉诃诊注证诂诋讵诈诒诏评诎诅词咏诩询诣试诗诧诟诡诠诘话该详诜诙诖诔诛诓夸志认诳诶"
    "诞诱诮语诚诫诬误诰诵诲说谁课谇诽谊调谄谆谈诿请诤诹诼谅论谂谀谍谝谥诨谔谛谐谏谕咨讳谙谌讽"
    "诸谚谖诺谋谒谓誊诌谎谜谧谑谡谤谦谥讲谢谣谟谪谬讴谨谩哗证谲讥谮识谯谭谱噪谵毁译议谴护誉谫"
    "读变雠谗让谰谶赞谠谳岂竖丰艳猪猫贝贞负财贡贫货贩贪贯责贮贳赀贰贵贬买贷贶费贴贻贸贺贲赂赁"
    "贿赅资贾贼赈赊宾赇赉赐赏赔赓贤卖贱赋赕质账赌赖赚赙购赛赜贽赘赠赞赡赢赆赃赎赝赣赶赵趋趱迹"
    "践逾踊跄跸迹跖蹒踪跷趸踌跻跃踯跞踬蹰跹蹑蹿躜躏躯车轧轨军轩轫轭软轸轴轵轺轲轶轼较辂辁载轾"
    "辄挽辅轻辆辎辉辋辍辊辇辈轮辑辏输辐辗舆毂辖辕辘转辙轿辚轰辔轹轳办辞辫辩农回迳这连周进游运"
    "过达违遥逊递远适迟迁选遗辽迈还迩边逻逦郏邮郓乡邹邬郧邓郑邻郸邺郐邝郦腌丑酝糖医酱酿衅酾酽"
    "释厘钆钇钌钊钉钋针钓钐扣钏钒钗钍钕钯钫钭钥钠钝钤钣钞钮钧钙钬钛钪铌铈钶铃钴钹铍钰钸铀钿钾"
    "巨钻铊铉铋铂钳铆铅钺钩钲钼钽铰铒铬铪银铳铜铣铨铢铭铫衔铑铷铱铟铵铥铕铯铐锐销锑锉铝锒锌钡"
    "铤铗锋锊锓锄锔锇铺铖锆锂铽锯钢锞录锖锩锥锕锟锤锱铮锛锬锭钱锦锚锡锢错锰表铼镎钔锴炼锅镀锷"
    "铡锻锸锲锹锾键锶锗针钟镁镑镰锁镉锤钨蓥镏铠铩锼镐镇镒镍镓镞旋链镆镙镝铿锵镗镘镛铲镜镖镂錾"
    "铧镤镪锈铙铴镣铹镦镡钟镫镨镄镌镰镯镭铁铎铛镱铸镬镔鉴鉴铄镳镧钥镶镊锣钻銮凿镢长门闩闪闫闭"
    "开闶闳闰闲闲间闵闸阂阁合阀闺闽阃阆闾阅阊阉阎阏阍阈阌阒板暗闱阔阕阑阗阖阙闯关阚阐辟闼陉陕"
    "升阵阴陈陆阳陧队阶陨际随险隐陇隶只隽虽双雏杂鸡离难云电沾雾霁雳霭灵靓静腼靥巩绱秋缰鞑千鞯"
    "韦韧韩韪韬鞲韫韵响页顶顷项顺顸须顼颂颀颃预顽颁顿颇领颌颉颐颏头颊颔颈颓频颗题额颚颜颛愿颡"
    "颠类颟颢顾颤显颦颅颞颧风飑飒台刮飓飕飘飙飞饥饨饪饫饬饭饮饴饲饱饰饺饼糍饷养饵饽馁饿余肴馄"
    "饯馅馆糊糇饧喂饩馏馊馍馒馐馑馈馔饥饶飨餍馋马驭冯驮驰驯驳驻驽驹驵驾骀驸驶驼驷骈骇骆骏骋骓"
    "骒骑骐骛骗骞骘骝腾驺骚骟骡蓦骜骖骠骢驱骅骁骣骄验惊驿骤驴骧骥骊肮髅脏体髌髋发松胡须鬓斗闹"
    "哄阋阄郁魉魇鱼鲁鲂鱿鲐鲍鲋鲒鲕鲔鲛鲑鲜鲧鲠鲩鲤鲨鲻鲭鲞鲷鲱鲵鲲鲳鲸鲮鲰鲶鲫鲽鳇鳅鳆鳃鲥鳏"
    "鳎鳐鳍鲢鳌鳓鲦鲣鳗鳔鳕鳖鳟鳝鳜鳞鲟鲎鳢鲚鳄鲈鲡鸟凫鸠凤鸣鸢鸩鸨鸦鸵鸳鸲鸱鸪鸯鸭鸸鸹鸿鸽鸺"
    "鹃鹆鹁鹈鹅鹄鹉鹌鹏鹎雕鹊鸫鹑鹕鹗鹜莺鹤鹘鹣鹚鹞鹧鸥鸷鹨鸶鹪鹩鹫鹇鹇鹬鹰鹭鸬鹦鹳鹂鸾卤咸鹾"
    "碱盐丽麦麸曲面么黄黉点党黪霉黩黾鼋鼍冬鼹齐斋赍齑齿龀龅龇龃龆龄出龈啮龊龉龋腭龌龙庞龚龛龟",
)
