#!/usr/bin/env bash
# The server in a real Helix, which has no headless mode: it runs in a terminal of tmux, and its screen is read.
set -uo pipefail

checks=0 failures=0
check() {
  checks=$((checks + 1))
  if [ "$2" = yes ]; then
    printf '  ok   %s\n' "$1"
  else
    failures=$((failures + 1))
    printf '  FAIL %s\n    seen:\n%s\n' "$1" "$(screen)"
  fi
}

folder="$(mktemp -d)"
socket="$folder/tmux"
trap 'tmux -S "$socket" kill-server 2>/dev/null; rm -rf "$folder"' EXIT
cp "$PALLAS_FIXTURES/scale.py" "$PALLAS_FIXTURES/test_scale.py" "$folder/"
mkdir -p "$folder/config/helix"
# What editors/README.md says.
cat > "$folder/config/helix/languages.toml" <<END
[language-server.pallas]
command = "$PALLAS_BIN/pallas-lsp"
args = ["--stdio"]

[[language]]
name = "python"
language-servers = ["pallas"]
END
cat > "$folder/config/helix/config.toml" <<'END'
[editor.lsp]
display-inlay-hints = true
[editor]
end-of-line-diagnostics = "hint"
END

screen() { tmux -S "$socket" capture-pane -p -t 0; }
keys() { tmux -S "$socket" send-keys -t 0 "$@"; }
# Waits until the screen has a text.
shows() {
  for _ in $(seq 150); do
    if screen | grep -qF -- "$1"; then return 0; fi
    sleep 0.2
  done
  return 1
}
yes_if() { if "$@"; then echo yes; else echo no; fi; }

export XDG_CONFIG_HOME="$folder/config" XDG_CACHE_HOME="$folder/cache" TERM=xterm-256color
cd "$folder" || exit 1
tmux -S "$socket" -f /dev/null new-session -d -x 150 -y 40 "hx scale.py"
check "the finding is shown" "$(yes_if shows 'called with 2 program ids')"
# To the index map, and its fix.
keys "/lambda i:" Enter; sleep 0.5
keys Space a
check "its fix is offered" "$(yes_if shows 'Add the parameter')"
keys Enter
check "and applied" "$(yes_if shows 'lambda i, j: (i, 0)')"
keys Escape
check "inlay hints say blocks" "$(yes_if shows 'f32[4,128]')"
keys "9gg/x_ref" Enter; sleep 0.5
keys Space k
check "a hover behind an emoji says the block" "$(yes_if shows 'x_ref: ref')"
keys Escape
keys ":w" Enter
keys "/pallas_call" Enter; sleep 0.5
keys Space a
check "Run is a code action, since there are no lenses" "$(yes_if shows "Run this file's kernels")"
keys Escape
keys ":open test_scale.py" Enter
check "the other file is open" "$(yes_if shows 'def test_that_fails')"
keys "/assert 2" Enter; sleep 0.5
keys Space a
check "a test is run by a code action" "$(yes_if shows 'Run `test_that_fails`')"
keys Enter
check "its report opens" "$(yes_if shows 'FAILED test_scale.py::test_that_fails')"
keys ":open test_scale.py" Enter
failure=no
for _ in $(seq 50); do
  # Beside its own text.
  if screen | grep -qE 'assert 2 == 3.*assert 2 == 3'; then failure=yes; break; fi
  sleep 0.2
done
check "and its failure stands where it failed" "$failure"
keys ":buffer-close-all!" Enter
keys ":q!" Enter
gone=no
for _ in $(seq 50); do
  if ! tmux -S "$socket" list-sessions >/dev/null 2>&1; then gone=yes; break; fi
  sleep 0.1
done
checks=$((checks + 1))
if [ "$gone" = yes ]; then echo "  ok   it ends"; else echo "  FAIL it ends"; failures=$((failures + 1)); fi
echo "$(hx --version): $checks checks, $failures failed"
[ "$failures" -eq 0 ]
