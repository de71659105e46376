"""Relevance: how much of a query a text covers, and when that is enough to inject it.

Pure; more text is never less evidence. Hooks import this module, so it imports little.
"""

from recollect.text.tokens import STOP_WORDS, is_cjk, plain_words, stem

# How common words are in what people type about any project, told apart from how common they are in
# one store: what everybody says all day, and what is English or Chinese and no term of anything.
# Starts, as `stem` leaves them.
EVERYDAY = """ actuall add additional ago agre ahead allow alread alway another answer anyth appl approach argument around ask availabl away back bad based basicall
begin behavior behaviour best better big bit break bring bug build call cannot care case chang check choos clas clean cleaner clear clos code come
comment commit complet confirm contain content continu copy correct creat current cut date day decid default delet dependenc descript detail diff different
director doc docs document done doubl draw due earlier easier easy edit else end ended enough error even ever everyth exactl exampl execut exist
expect explain extra fail failur far fast featur feel fewer field file final find fine finish first fix folder follow forget form format forward found
full funct general git github give given go goes going gone good great gues happ happen hard hello help hey hi hold however idea implement important
improv includ info inform input install instead issu job keep kind know larg last late later latest lead learn leav left less level like line lint
list littl live local long look lot main make making many mayb mean meant merg messag method mind minor miss mistak modif modul moment morn move much
multipl name near necessar need never new next nice nope normal note noth number object ok okay old one open option original output packag page
parameter part pass past path pattern perfect pick plac plan pleas point possibl pr prefer previou print probabl problem proce progres project proper
provid pull push put quest quick quickl quit read readm real reall reason refactor remain remember remov renam repeat replac repo request
requir resolv rest result return revert review rewrit right rule run runn safe save say script second section see seem sens sentenc separat session
set setup shar short shorter show side similar simpl simplif singl skip small someth soon sorr sort sound sourc spec specific start statu stay step
still stop structur stuff styl suggest summar summariz support sure switch system take talk task tell terminal test text thank thing think third
though thought thre thread time titl toda together tomorrow tonight total touch track true try turn two type understand undo unit updat use used
useful user using usual usuall valu variabl variou verif version view visibl wait want warn way well whol wish without wonder word work world worr
worth writ written wrong wrot yeah yep yes yesterda yet
继续 好的 可以 开始 谢谢 看看 看一 起来 不错 是的 提交 修改 推送 测试 再试 试一 一次 修复 错误 报错 同样 还是 撤销
刚才 文件 解释 这段 段代 代码 函数 作用 注释 单元 总结 一步 下一 步做 意思 问题 办法 更好 更新 文档 启动 服务 效果
运行 添加 增加 删除 创建 检查 页面 功能 实现 需要 应该 使用 用的 所有 今天 明天 昨天 时间 地方 东西 事情 方法 方案
内容 信息 结果 原因 为了 然后 首先 其他 其它 直接 完成 处理 设置 配置 项目 数据 用户 显示 打开 关闭 点击 按钮 输入
输出 返回 调用 变量 名称 名字 列表 类型 参数 接口 模块 目录 版本 安装 依赖 命令 执行 日志 分支 合并 回滚 优化 重构
调整 改成 改为 改一 加上 加个 写一 写个 做一 做个 跑一 给我 告诉 讲个 翻译 句话 天气 怎样 看到 知道 觉得 希望 想要
建议 确认 确定 正确 不对 不行 不要 不用 没问 重新 之前 之后 以后 以前 上面 下面 里面 前面 后面 左边 右边 第一 第二
第三 两个 几个 多少 有点 非常 比较 一样 一直 一些 一起 """.replace("\n", " ")
USUAL = """ key order report able accept acces account acros act action activ activit actual addres adult advanc afford afternoon age agent air airport alarm alon alternativ
amount analysi angl animal announc annual apartment appear appointment area argu arm army arrang arriv art articl ascii asset assum attach attack
attempt attent audienc aunt australia author autumn averag avoid award baby background bag balanc ball band bank bar base basic basket bath beach bear
beat beautiful becom bed bedroom beer believ belong benefit bike bill bird birth birthda black blank block blood blue board boat body bone bonu book
boot border boring boss bottl bottom bowl box boy brain branch bread breakfast bridg brief bright brother brown brush bucket budget bus busines busy
butter button buy cake calculat calendar calm camera camp canada capital car card career carr cash cat catch caus celebrat cell center central centur
certain chain chair challeng chanc channel chapter character charg charit chart chat cheap chees chicken child children china chines chocolat choic
church circl citizen city clever click client climat climb clock cloth cloud club coach coast coat coffe cold collect colleg color colour combin
comfort command common communit compan compar compet comput computer concern condit connect consider contact context continent contract contribut
control convert cook cool corner cost count countr coupl courag cours court cousin cover cow cream creativ credit crim critical cros crowd cry cultur
cup customer cycl dail damag danc danger dark data databas daughter dead deal dear death debat decad decis deep defend defin degre deliver demand
depend describ desert design desk destro develop developer devic diet differenc difficult dinner direct dirt discover discus dish distanc divid doctor
dog dollar door doubt download dozen drama dream dres drink driv driver drop dry duty ear earn earth east eat econom edge educat effect effort egg
eight elect electric element eleven email empt energ engin engineer english enjo enter entir environment equal escap essa establish estimat europ
event evidenc exam excellent exchang excit excus exercis exit experienc expert export expres extend extrem eye face fact factor fair fall fals famil
famou fan farm fashion father favorit favourit fear fee feed femal fight figur fill film financ finger fire fish fit five flat flight floor flow
flower fly focu food foot football forc foreign forest forever fork former fort fortun four fram franc free freedom french fresh frida friend friendl
front fruit fun fund funn furnitur futur game garden gas gather gentl german gift girl glad glas global goal god gold government grad grand
grandmother gras gray green grey ground group grow growth guest guid guitar gun guy habit hair half hall hand handl hang hat hate head health hear
heart heat heav height hero high hill hint hire histor hit hobb hole holida home honest hope hors hospital host hot hotel hour hous huge human hundr
hungr hunt hurr hurt husband ice imag imagin immediat impact import impossibl impres inch increas inde index individual industr insid insuranc
interest interfac internal international internet interview introduc invest invit island italian item jacket januar japan japanes jean jewel join joke
journe joy juic jump june junior jury justic kid kill kilometer kilometr king kiss kitchen knee knif knock knowledg lady lake land landlord languag
laugh law lay layer lazy leader leaf leather lectur leg legal lend lesson letter librar lie life lift light limit link lip listen literatur load loan
locat lock log london lose loss loud love lovel low luck lunch machin magazin mail male man manag manager map mark market marr mass master match
material math matter meal measur meat media medicin medium meet member memor men mention menu metal meter middl midnight mile militar milk million
minut mirror mix mobil mode model modern monda mone monitor month moon mother motion mountain mous mouth movi museum music myself myster narrow nation
natur neck negativ neighbor neighbour nervou network news newspaper night nine nois none north nose novel nurs ocean offer offic officer oil opinion
opportunit opposit orang organiz ourselv outsid oven owner pack pain paint pair pan paper paragraph parent park partner passag passenger password pay
payment peac pen pencil peopl pepper percent perform period person phon photo phras physical piano pictur piec pizza planet plant plastic plat
platform play player pleasur plent pocket poem poet poetr polic political poor popular populat posit positiv post pot potato pound power practic
prepar pres present president pret prevent pric privat priz proces produc product professional professor profil program promis proof protect proud
prov public punish pure purpl purpos qualit quarter queen quiet quot race radio rain rais random rang rank rate raw reach react reader realit receiv
recent recip recogniz recommend record recover red reduc refer referenc refus region regular relat releas relevant relig rely remind remot rent repair
repl represent research respect respond respons responsibl restaurant retir rich ride ring rise risk river road rock role roll roof room root rose
rough round rout row royal rude ruin sad sail salad salar sale salt sampl sand saturda scal scen schedul school scienc scientist scor screen sea
search season seat secret secur securit select sell send senior seri seriou serv server servic settl seven sex shad shak shap sharp sheet shelf shell
shin ship shirt shoe shoot shop shoulder shout shower shut sick sight sign signal silenc silent silver sing sister sit site situat six size skill skin
sky sleep slid slow smart smell smil smok smooth snow social societ sock soft softwar soil soldier solid solut solv somebod someon son song soul soup
south spac spain spanish speak special speech speed spell spend sport spot spread spring squar stabl staff stag stair stamp stand standard star stat
statement station steal steel stick stock ston stor storm straight strang stranger street strength stres strict strik string strong stud student
stupid subject succes sudden sugar suit summer sun sunda supper suppos surfac surpris surviv sweet swim symbol tabl tail talent tall target tast tax
taxi tea teach teacher team tear technical techniqu technolog teenager temperatur ten tenni term theor thick thin thirt thousand threat throw thursda
ticket tidy tie tight tiny tip tire tired tokyo tomato tone tongu tool tooth top topic tour toward towel town toy trad traditional traffic train
translat travel treat tree trend trial trick trip troubl truck trust truth tuesda twelv twent twic ugly umbrella uncl uniform union uniqu universit
upload upper upset urgent usa vacat valle valuabl variet vegetabl vehicl video villag violenc virtual visit vocabular voic volum vote wage wake walk
wall war warm wash wast watch water wave weak wealth weapon wear weather web websit wedd wednesda week weekend weight welcom west wet wheel whit wide
wife wild win wind window wine wing winner winter wire wise woman women wonderful wood worker wors worst writer yard year yellow young zero zone zoo """.replace(
    "\n", " "
)

# How much a word is worth: 1 where one text of a thousand has it. What is known of the store is
# weighed with what is known of the language, as if this many texts had been read before.
READ_BEFORE = 200
RARE = 0.001  # the share of texts that have a word of which nothing is known
OF_EVERYDAY, OF_USUAL = 0.5, 0.02  # … one of these, whatever the store says
OF_TERM, FEW = 0.006, 8  # a term that so few sections have is one in the smallest store, too
LONGEST_WHOLE = 4  # letters of a word that must stand there as it is, but for an ending
SHORT = 60  # words; each time that a text is twice as long, its words are worth so much less
LESS_IN_LONG = 0.1
IN_EVERY_TEXT = 0.11  # what everybody says is not worth more
LEAST_TELLING = 0.45  # what is worth less says nothing by itself
TELLING = 0.7
# How much evidence makes a memory relevant (see `is_relevant`).
ENOUGH_COVERAGE, ENOUGH_OF_USUAL, ENOUGH_IN_PASSING = 0.5, 0.8, 0.65
LEAST_COVERAGE, ENOUGH_WEIGHT = 0.25, 1.4
ENOUGH_USUAL = 1.1  # two of them
UNKNOWN_WORTH = 0.6
UNKNOWN_PAIR_WORTH = 0.3  # of two Chinese characters: half of all pairs are no words
_LETTERS = frozenset("abcdefghijklmnopqrstuvwxyz")  # most of them from “what’s” and “don’t”
PARTICLES = frozenset("的了吗呢吧么是在和把给")  # in a pair that nobody wrote: no part of a word


def worths(words: list[str], counts: dict[str, int], total: int) -> dict[str, float]:
    """What each word of a cue asks for, as `worth` has it, where `total` sections were counted.

    The keys are the words as `found_in` looks for them. A word that no memory has cannot be
    answered; it still says that the cue is about more. But a word that was only joined from others
    (`use callback` → `usecallback`) asks for nothing that they do not.
    """
    have = set(words)
    known = {word for word in words if counts.get(word, 0)}
    everyday = {word for word in words if _is_everyday(word)}
    asked: dict[str, float] = {}
    for word in words:
        count = counts.get(word, 0)
        if not count and (is_joined(word, have) or _is_between(word, known)):
            continue
        if count and is_joined(word, everyday):
            continue
        start = start_of(word)
        value = worth(word, count, total)
        if not count:
            value *= UNKNOWN_PAIR_WORTH if _is_pair(word) else UNKNOWN_WORTH
        asked[start] = max(value, asked.get(start, 0.0))
    return asked


def start_of(word: str) -> str:
    """A word as `found_in` looks for it: how it begins, or a short one as it stands."""
    start = stem(word)
    is_whole = start == word and len(word) <= LONGEST_WHOLE and word.isascii()
    return f" {start} " if is_whole else f" {start}"


def worth(word: str, count: int, total: int) -> float:
    """How much it tells that a text has a word that `count` of `total` sections have."""
    share = (count + READ_BEFORE * RARE) / (total + READ_BEFORE)
    if _is_everyday(word):
        share = max(share, OF_EVERYDAY)
    else:
        usual = OF_USUAL if f" {stem(word)} " in USUAL else OF_TERM
        share = min(share, usual) if count <= FEW else share
        share = max(share, usual) if usual == OF_USUAL else share
    return _logarithm(share) / _logarithm(RARE)


def _is_everyday(word: str) -> bool:
    is_small = word in _LETTERS or word.isdecimal()
    return is_small or word in STOP_WORDS or f" {stem(word)} " in EVERYDAY


def _logarithm(number: float) -> float:
    # The natural one to 4 places: for `math` a hook would have to load another library.
    almost_one: float = number**1e-6
    return (almost_one - 1.0) * 1e6


def is_joined(word: str, others: set[str]) -> bool:
    """Whether a word is two others that stand beside each other: `use callback` → `usecallback`."""
    return any(
        word[i:] in others and (word[:i] in others or word[:i] in STOP_WORDS)
        for i in range(1, len(word))
    )


def _is_pair(word: str) -> bool:
    return len(word) == 2 and is_cjk(word[0]) and is_cjk(word[1])


def _is_between(word: str, known: set[str]) -> bool:
    """Whether a pair of Chinese characters is no word, but the end of one and the start of another.

    连接池满了 is cut into 连接, 接池, 池满, 满了.
    """
    if not _is_pair(word):
        return False
    return any(
        _is_pair(one) and (one[1] == word[0] or one[0] == word[1]) for one in known
    ) or not PARTICLES.isdisjoint(word)


def found_in(asked: dict[str, float], about: str, text: str = "") -> dict[str, float]:
    """What of a cue is answered (see `worths`) by what a memory is about and by its text.

    Both are made of `index_words`. That a long text has a word tells less.
    """
    found = {start: worth for start, worth in asked.items() if _has(f" {about} ", start)}
    if text:
        have = f" {text} "
        less = LESS_IN_LONG * (have.count(" ") // SHORT).bit_length()
        for start, worth in asked.items():
            if start not in found and _has(have, start):
                found[start] = max(worth - less, worth / 4)
    return found


def _has(text: str, start: str) -> bool:
    if start in text or not start.endswith(" "):
        return start in text
    return any(f"{start[:-1]}{end} " in text for end in ("s", "ed", "ing"))


def is_relevant(
    asked: dict[str, float],
    found: dict[str, float],
    about: str,
    named: str,
    *,
    is_ours: bool = False,
) -> bool:
    """Whether that much evidence is enough to say something unasked.

    `about` has the words of the titles, tags and triggers, `named` those of tags and triggers only;
    `is_ours` is set for a question about the project.
    """
    most = max(found.values(), default=0.0)
    if most < LEAST_TELLING:
        return False
    weight = sum(found.values())
    coverage = weight / sum(asked.values())
    if len(found) == 1 and not found_in(found, about):
        return coverage >= ENOUGH_IN_PASSING
    if most < TELLING:
        is_about = coverage >= ENOUGH_COVERAGE and (is_ours or weight >= ENOUGH_USUAL)
        return is_about or coverage >= ENOUGH_OF_USUAL
    is_named = any(worth >= TELLING for worth in found_in(found, named).values())
    return (
        coverage >= ENOUGH_COVERAGE
        or (weight >= ENOUGH_WEIGHT and coverage >= LEAST_COVERAGE)
        or (is_named and coverage >= LEAST_COVERAGE)
    )


# ------------------------------------------------------------------ several about the same thing

LEAST_SHARED = 3  # words of two titles without tags
Subject = tuple[set[str], set[str]]


def subject_of(title: str, tags: str) -> Subject:
    """What a memory is about: the words of its title, and its tags (a line each)."""
    words = {stem(word) for word in plain_words(title) if not word.isdecimal()}
    return words, set(tags.lower().split("\n")) - {""}


def is_same_subject(one: Subject, other: Subject) -> bool:
    """Whether one may say of the other's subject how it is now.

    They have at least half of their tags in common and a word of their titles, or hardly differ in
    their titles: in the titles of a project's history the same words come again and again.
    """
    common = len(one[0] & other[0])
    tags = len(one[1] & other[1])
    if common and 2 * tags >= len(one[1] | other[1]) > 0:
        return True
    return common >= LEAST_SHARED and 5 * common >= 3 * len(one[0] | other[0])
