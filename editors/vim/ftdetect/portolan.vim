" SPDX-License-Identifier: Apache-2.0
au BufRead,BufNewFile *.mp setfiletype portolanmp
au BufRead,BufNewFile *.dl setfiletype portolandl
au BufRead,BufNewFile *.gg setfiletype portolangg
