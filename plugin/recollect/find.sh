# Sets $python and $hook: who runs Recollect, and its hook program. Empty where there is none.
# $here is the folder of the script that reads this file.
place="${XDG_DATA_HOME:-$HOME/.local/share}/recollect/place"
python= hook=

# 1. What `recollect init` of the person's own installation noted.
if [ -r "$place" ]; then
  { IFS= read -r python && IFS= read -r hook; } < "$place"
fi

# 2. What a released plugin carries, with a Python of this machine, looked for once.
if [ ! -x "$python" ] || [ ! -r "$hook" ]; then
  hook="$here/../lib/recollect/hook.py" python=
  if [ -r "$hook" ]; then
    [ -r "$place-python" ] && IFS= read -r python < "$place-python"
    if [ ! -x "$python" ]; then
      python=
      for name in python3 python3.14 python3.13 python3.12 python3.11 /usr/local/bin/python3 /opt/homebrew/bin/python3; do
        python=$("$name" -I -c 'import sys; print(sys.executable) if sys.version_info >= (3, 11) else sys.exit(1)' 2>/dev/null) && break
      done
      [ -x "$python" ] && mkdir -p "${place%/*}" 2>/dev/null && printf '%s\n' "$python" > "$place-python" 2>/dev/null
    fi
  fi
fi

# 3. The checkout of the project that this plugin is part of.
if [ ! -x "$python" ] || [ ! -r "$hook" ]; then
  root=$(cd "$here/../../.." 2>/dev/null && pwd)
  python="$root/.venv/bin/python" hook="$root/src/recollect/hook.py"
fi

# 4. The program on the PATH, unless it is the plugin's own; asked once and noted.
if [ ! -x "$python" ] || [ ! -r "$hook" ]; then
  python= hook=
  tool=$(command -v recollect 2>/dev/null)
  case $tool in "" | "$here"/*) ;; *)
    IFS= read -r python < "$tool"
    python=${python#\#!}
    hook=$("$python" -I -c 'import os, recollect; print(os.path.join(os.path.dirname(recollect.__file__), "hook.py"))' 2>/dev/null)
    [ -r "$hook" ] && mkdir -p "${place%/*}" 2>/dev/null && printf '%s\n%s\n' "$python" "$hook" > "$place" 2>/dev/null ;;
  esac
fi
