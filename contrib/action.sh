#!/usr/bin/env bash
# The steps of action.yml: `action.sh install` and `action.sh encode`.
set -euo pipefail

fail() {
  echo "::error::$1"
  exit 1
}

prefix="${RUNNER_TEMP:?}/venc"

install() {
  [ "${RUNNER_OS:-}" = Linux ] || fail 'This action needs a Linux runner.'
  command -v node > /dev/null || fail 'This action needs Node.js: add actions/setup-node before it.'
  # The files of the action have its tag, and so has the version in package.json.
  local version
  version=$(node -p 'require(process.argv[1]).version' "${GITHUB_ACTION_PATH:?}/../package.json")
  npm install --prefix "$prefix" --no-audit --no-fund "venc@$version"
}

encode() {
  local args=() line flag value
  while IFS= read -r line; do
    line="${line#"${line%%[![:space:]]*}"}"
    line="${line%"${line##*[![:space:]]}"}"
    [ -n "$line" ] || continue
    flag="${line%%[[:space:]]*}"
    value="${line#"$flag"}"
    value="${value#"${value%%[![:space:]]*}"}"
    [[ "$flag" == -* ]] || fail 'Each line of flags must begin with a flag, such as --width 1280.'
    args+=("$flag")
    [ -z "$value" ] || args+=("$value")
  done <<< "${VENC_ACTION_FLAGS:-}"
  [ -z "${VENC_ACTION_OUTPUT:-}" ] || args+=(-o "$VENC_ACTION_OUTPUT")
  [ -n "${VENC_ACTION_INPUT:-}" ] || fail 'The input is missing.'
  cd -- "${VENC_ACTION_FOLDER:-.}"
  local result delimiter
  result=$("$prefix/node_modules/.bin/venc" run --json "${args[@]}" -- "$VENC_ACTION_INPUT")
  # One line, so that no text in it can name another output.
  result=$(node -p 'JSON.stringify(JSON.parse(process.argv[1]))' "$result")
  printf 'result=%s\n' "$result" >> "${GITHUB_OUTPUT:?}"
  printf '%s\n' "$result"
}

case "${1:-}" in
  install) install ;;
  encode) encode ;;
  *) fail 'usage: action.sh install|encode' ;;
esac
