module github.com/inev-lts/inev/modules/proof

go 1.26.0

require github.com/inev-lts/inev v1.0.0

require (
	github.com/agnivade/levenshtein v1.2.2 // indirect
	github.com/go-json-experiment/json v1.27.2 // indirect
	github.com/klauspost/compress v1.20.4 // indirect
	github.com/klauspost/pgzip v1.3.0 // indirect
	gonum.org/v1/gonum v0.17.0 // indirect
	pgregory.net/rapid v1.3.0 // indirect
)
