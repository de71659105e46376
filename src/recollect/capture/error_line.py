"""The line of an error by which it is known again, and whether an error can teach anything.

Pure.
"""

from __future__ import annotations

import re

from recollect._fastimport import Pattern
from recollect.text import failures
from recollect.text.failures import LONGEST_LINE, ErrorSignature
from recollect.text.tokens import simplified

_ESCAPES = Pattern(r"\x1b\[[0-9;?]*[ -/]*[@-~]|\x1b[@-_]|[\x00-\x08\x0b-\x1f\x7f]")
_CODE = Pattern(
    r"\b[A-Z][A-Za-z]{3,}(?:Error|Exception)\b|\bE(?!RROR|XCEPT|XIT)[A-Z]{4,14}\b|\b[A-Z]{2,}_[A-Z_]{3,}\b"
    r"|\b[A-Z]{1,7}-?\d{3,5}\b|\berror\[\w+\]"
)
# What programs say where it is not the code at hand that is wrong.
_SURROUNDINGS = Pattern(
    r"command not found|not recognized|no such (?:file|table|module|container|host|service)|permission denied|access denied"
    r"|already in use|already exists|connection (?:refused|reset|to server)|no module named|cannot find (?:module|package|-l)"
    r"|module not found|not installed|could not (?:resolve|connect|find|locate|read|open|load)|unable to (?:resolve|connect|find|locate|access)"
    r"|externally-managed|is locked|certificate|no longer supported|do you need to install|unauthorized|authentication|credentials|no space left|out of memory"
    r"|unrecognized (?:arguments|option)|unknown (?:option|flag|command|revision)|unsupported|requires|required|not a git repository|outside a module|needed"
    r"|does not exist|doesn't exist|(?:can ?not|could not|can't|couldn't) be (?:found|located|resolved|opened|loaded|read|reached)|i/o timeout"
    r"|no matching|\bno (?:[\w-]+ ){1,4}(?:(?:has|have) been |is |was |were )?(?:specified|configured|provided|supplied)\b|version (?:conflict|mismatch)"
    r"|timed out|not running|statement separator|denied|fixture '|missing|未找到|找不到|无法|不存在|拒绝|没有|权限|不允许的?操作|占用|(?:地址|端口)已|已存在|已经存在|未安装|缺少|连接(?:超时|失败|被)|未授权|认证失败|验证失败|证书|空间不足|内存不足|不支持|不是.{0,4}git 仓库|需要(?:安装|登录|参数)",
    re.I,
)
_TELLS = Pattern(
    r"\b(?:error|fatal|panic|exception|denied|invalid|refused|refusing|rejected|conflict|unresolved|undefined|undeclared|mismatch"
    r"|unexpected|cannot|can't|could not|couldn't|unable|failed|too (?:old|new|many|large)|must|not \w+)\b|错误|失败",
    re.I,
)
_STARTS = Pattern(
    r"(?:\S+: )?(?:E  |> |error|fatal|panic|exception|[\w.]+(?:Error|Exception)\b|错误|!|\* )", re.I
)
# Lines that stand in every output of their program, or only repeat that something went wrong.
_EMPTY = Pattern(
    r"\d+(?:\s+\d+)?\s*[│|]|\((?:pass|skip)\)|[✓✔] |.*\bexit code (?:124|130|137|143)\b|at [\w.$<>]+ ?\(|File \"|Traceback|The above exception|During handling|npm (?:ERR!|error) (?:A complete log|errno|path|command|Lifecycle"
    r"|Exit|workspace|location|syscall|cwd|signal|code ELIFECYCLE|\s*/)|g?make(?:\[\d+\])?: \*\*\* \[|error: recipe|.{0,40}exit(?:ed)?(?: with)? (?:status|code) \d+\b.{0,10}$"
    r"|.*\btask failed$|\w+ failed$|.{0,12}build failed\W*$|FAILURE: |Execution failed for task|\* (?:Try|Get more help|What went wrong)|.{0,20}\bRun with|(?:hint|note|help|usage|warn(?:ing)?)\b"
    r"|For more info|error: could not compile|.*aborting due to|.{0,4}(?:Found )?\d+ (?:errors?|problems?|issues?|warnings?|passed|failed)\b|ok\b|FAIL\b|PASS\b"
    r"|=== |--- |={4,}|-{4,}|_{4,}|\$ |> [\w@./-]+$|error Command failed|ERROR: Service|.*failed to solve: process|FAILED\b.{0,60}::|FAILED\s+\S+ > |> Task |.*subprocess-exited-with-error|[\d:. TZ-]+(?:DEBUG|INFO)"
    r"|.{0,40}\bpre-(?:push|commit)\b.{0,30}\b(?:fail|exit|declin)|Finished in|\[[\w:-]+\] \$|exit status|At \S.{0,80}\bchar:\d+$"
    r"|\[ERROR\] (?:COMPILATION ERROR|\[Help \d|To see the full|For more info|Re-run|After correct)|Unable to find image .* locally$|Release \S+ does not exist\. Installing|.*\bbecause:$"
    r"|- \S+ is locked to version"
    r"|Caused by: No such file or directory\b[^/]*$|\+ |Error: Process completed|(?:Error|ERROR|error|Failed|failed)\W*$",
    re.I,
)
# What a program says that it is doing: `go: downloading …`.
_DOING = Pattern(r"(?:\w+: )?(?:(?!missing|conflicting|warning)[a-z]{2,}ing\b(?!:)|正在)", re.I)
# A line of a program that an error shows.
_SOURCE = Pattern(
    r"(?:func|def|class|return|if|for|else|var|const|let|pub|defer|await|throw|raise|assert|fn|# |//|t\.\w)(?:\b|(?<=\W))|.*(?::=|[{;]$)"
)
# How git ends, whatever its remote or a hook said before.
_PUSH_FAILED = Pattern(
    r"error: failed to push some refs|To \S+$|错误：.*推送一些引用|fatal: Could not read from remote repo|致命错误：无法读取远程仓库"
)
_TEST_FAILED = Pattern(
    r"\bAssertionError\b|\b\d+ fail(?:ed|ing|ures?)\b(?=\s*(?:[,;|=)]|in \d|$))|^\s*--- FAIL|^FAILED \S+(?:::|\.\w|/)"
    r"|\bassert \b|\bexpect\(received\)|✗|● |^FAIL\b.*\d\.\d+s$|tests? failed",
    re.M,
)


def clean_line(text: str) -> str:
    """`text` on one line without escapes and control characters."""
    plain = text if text.isprintable() else _ESCAPES.sub("", text)
    return " ".join(plain.split())[:LONGEST_LINE]


def telling_line(error: str) -> str:
    """The line of an error by which it is known again; nothing where there is none."""
    # pytest marks the lines of an exception with `E   `.
    told = [clean_line(line).strip("│ ") for line in failures.lines_of(error)]
    lines = [
        line for line in told if len(line) > 5 and not (_EMPTY.match(line) or _SOURCE.match(line))
    ]
    lines = [line for line in lines if not _PUSH_FAILED.match(line)] or lines
    scored = [
        (_score(line), n if "Traceback" in error else -n, line) for n, line in enumerate(lines)
    ]
    scored = [row for row in scored if row[0] or not _DOING.match(row[2])]
    if not scored:
        return ""
    score, _, line = max(scored)
    if not score and len(lines) > 2:
        return ""
    line = clean_line(failures.with_rest(told, told.index(line)))
    if len(line) == LONGEST_LINE:
        line = f"{line.rpartition(' ')[0] or line[:-2]} …"
    line = line.removeprefix("E ").strip()
    return line if ErrorSignature(line).is_telling else ""


def _score(line: str) -> int:
    if line[:1] in "{[" and line.endswith(("{", "[", ",")):
        return 0
    read = simplified(line)
    score = 4 if _CODE.search(line) else 0
    score += 3 if _SURROUNDINGS.search(read) else 0
    score += 1 if _TELLS.search(read) else 0
    return score + 2 if score and _STARTS.match(read) else score


def is_learnable(error: str) -> bool:
    """Whether something can be learned from an error: a failing test only says what is wrong."""
    if failures.is_of_client(error):
        return False
    line = telling_line(error)
    is_around = is_environment_error(line) and not is_failed_test(line)
    return bool(line) and (is_around or not is_failed_test(error))


def is_environment_error(line: str) -> bool:
    """Whether a line says that something around the code is wrong: a tool, a service, a right."""
    return bool(_SURROUNDINGS.search(simplified(line)))


def is_failed_test(error: str) -> bool:
    """Whether an error is what a test suite prints of a test that failed."""
    return bool(_TEST_FAILED.search(error))
