" SPDX-License-Identifier: Apache-2.0
" Thread programs of Portolan (*.dl)
if exists("b:current_syntax")
  finish
endif

syn keyword portolandlKeyword thread const in
syn keyword portolandlStatement if then else while for break continue return lock unlock
syn keyword portolandlStatement trylock wait signal broadcast await atomic assert spawn join skip
syn keyword portolandlStatement cas fetch_add indexer
syn keyword portolandlType int bool void cond local
syn keyword portolandlConstant true false failed
syn match portolandlNumber "\<\d\+\>"
syn region portolandlString start=+"+ skip=+\\"+ end=+"+ oneline
syn match portolandlComment "//.*$"
syn region portolandlComment start="/\*" end="\*/"

hi def link portolandlKeyword Keyword
hi def link portolandlStatement Statement
hi def link portolandlType Type
hi def link portolandlConstant Constant
hi def link portolandlNumber Number
hi def link portolandlString String
hi def link portolandlComment Comment

let b:current_syntax = "portolan-dl"
