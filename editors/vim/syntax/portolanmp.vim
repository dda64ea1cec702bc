" SPDX-License-Identifier: Apache-2.0
" Protocols of Portolan (*.mp)
if exists("b:current_syntax")
  finish
endif

syn keyword portolanmpKeyword protocol const type message channels unordered fifo lossy duplicating crashes
syn keyword portolanmpKeyword of byzantine process invariant final var let may rule any
syn keyword portolanmpKeyword in on when from by
syn keyword portolanmpStatement send to add remove clear if else do assert
syn keyword portolanmpType bool set array
syn keyword portolanmpOperator and or not implies forall exists count max min sum
syn keyword portolanmpOperator size all some best majority
syn keyword portolanmpConstant true false sender others crashed failed
syn match portolanmpNumber "\<\d\+\>"
syn region portolanmpString start=+"+ skip=+\\"+ end=+"+ oneline
syn match portolanmpComment "//.*$"
syn region portolanmpComment start="/\*" end="\*/"

hi def link portolanmpKeyword Keyword
hi def link portolanmpStatement Statement
hi def link portolanmpType Type
hi def link portolanmpOperator Operator
hi def link portolanmpConstant Constant
hi def link portolanmpNumber Number
hi def link portolanmpString String
hi def link portolanmpComment Comment

let b:current_syntax = "portolan-mp"
