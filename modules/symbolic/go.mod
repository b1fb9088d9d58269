module github.com/inev-lts/inev/modules/symbolic

go 1.26.0

require github.com/inev-lts/inev v1.0.0

require (
	github.com/agnivade/levenshtein v1.2.2 // indirect
	github.com/dalzilio/rudd v1.1.1-0.20230806153452-9e08a6ea8170
	github.com/klauspost/compress v1.20.4 // indirect
	gonum.org/v1/gonum v0.17.0 // indirect
)
