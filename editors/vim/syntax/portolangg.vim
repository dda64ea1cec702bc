" SPDX-License-Identifier: Apache-2.0
" Graph grammars of Portolan (*.gg)
if exists("b:current_syntax")
  finish
endif

syn keyword portolanggKeyword grammar graph start types abstract rule control condition priority isomorphism
syn keyword portolanggKeyword injective dangling enabled disabled
syn keyword portolanggStatement let not new optional where use forall exists forallx existsx
syn keyword portolanggStatement nonempty hidden
syn keyword portolanggType int bool string real
syn keyword portolanggOperator and or implies is in
syn keyword portolanggConstant true false
syn match portolanggNumber "\<\d\+\>"
syn region portolanggString start=+"+ skip=+\\"+ end=+"+ oneline
syn match portolanggComment "//.*$"
syn region portolanggComment start="/\*" end="\*/"

hi def link portolanggKeyword Keyword
hi def link portolanggStatement Statement
hi def link portolanggType Type
hi def link portolanggOperator Operator
hi def link portolanggConstant Constant
hi def link portolanggNumber Number
hi def link portolanggString String
hi def link portolanggComment Comment

let b:current_syntax = "portolan-gg"
