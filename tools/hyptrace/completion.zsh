#compdef hyptrace
# SPDX-License-Identifier: GPL-2.0-only
#
# Completes hyptrace's arguments in zsh as in bash, by zsh's own bashcompinit.

autoload -U +X bashcompinit && bashcompinit
source "${functions_source[_hyptrace]:A:h}/../../bash-completion/completions/hyptrace"
_bash_complete -o default -F _hyptrace
